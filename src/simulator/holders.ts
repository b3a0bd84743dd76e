import { DAY, HOUR } from "../base/duration.ts";
import type { ListedToken } from "./listed-tokens.ts";
import { type Octave, type Stream, steps, stream, uniform, wander } from "./noise.ts";

/** A wallet and what it holds, in raw units: always above zero. */
export interface Holding {
  /** In lower case. */
  readonly address: string;
  readonly balance: bigint;
}

/** What decides about the holders from outside. */
export interface HoldersSurroundings {
  readonly seed: number;
  readonly supply: (t: number) => bigint;
  /** About how many there are; no fewer than the wallets that have something to do. */
  readonly level: (t: number) => number;
  /** What the script makes of a wallet's own balance. */
  readonly scripted: (address: string, own: bigint, t: number) => bigint;
}

/** Wallets that trade for themselves: they hold 2.3% of the supply together, and pass each other. */
const MIDDLE = 40;
const TRADES: readonly Octave[] = [
  { period: 5 * HOUR, size: 0.006 },
  { period: 2 * DAY, size: 0.03 },
  { period: 15 * DAY, size: 0.05 },
];

/** Exchanges and bridges: they hold what nobody else does, shared by weights that drift. */
const EXCHANGES: readonly number[] = [34, 26, 18, 13, 9];
const DRIFT: readonly Octave[] = [
  { period: 3 * DAY, size: 0.02 },
  { period: 25 * DAY, size: 0.1 },
];

/** Between two of these the exchanges leave their shares as they are. */
const SETTLED = 6 * HOUR;
/** Everybody else, the n-th with about (n + 20)^−1.6: never more than 6% of the supply together. */
const SMALL_SHARE = 0.06;
const SMALL_HEAD = 20;

/** The wallets of a chain that are simulated but can be named: in lower case, the richest first. */
export function middleWallets(chainId: number, token: string): readonly string[] {
  const crowd = crowdOf(`middle:${chainId}:${token.toLowerCase()}`);
  return Array.from({ length: MIDDLE }, (_, i) => crowd.address(i));
}

/**
 * Who holds a token. At every time the balances of all holders add up to the supply, and there
 * are as many of them as `count` says. `t` is in milliseconds after the market's start.
 */
export function holdersOf(listed: ListedToken, around: HoldersSurroundings) {
  const { seed, supply, level, scripted } = around;
  const key = `${listed.chainId}:${listed.coin.address.toLowerCase()}`;
  const own = new Map<string, (t: number) => bigint>();
  for (const { address, balance, lot, flow } of listed.wallets) {
    own.set(address, steps(seed, `token:${listed.chainId}:${address}`, balance, lot, flow));
  }
  for (const [i, address] of middleWallets(listed.chainId, listed.coin.address).entries()) {
    const share = BigInt(Math.round(3_400 / (i + 1) ** 0.75));
    const base = (listed.supply * share) / 1_000_000n;
    own.set(address, steps(seed, `holder:${key}:${i}`, base, base / 400n, TRADES));
  }
  const exchanges = crowdOf(`exchange:${key}`);
  const drifts = EXCHANGES.map((_, i) => wander(stream(seed, `exchange:${key}:${i}`), DRIFT));
  const crowd = crowdOf(`small:${key}`);
  const small = smallOf(listed.supply);

  /** The exchanges' shares of what is left to them; the last has the rest, to the last unit. */
  const shared = (t: number, left: bigint): readonly Holding[] => {
    const settled = Math.floor(t / SETTLED) * SETTLED;
    const weights = EXCHANGES.map((weight, i) => weight * Math.exp(drifts[i]?.(settled) ?? 0));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let rest = left;
    return weights.map((weight, i) => {
      const part = (left * BigInt(Math.floor((weight / total) * 1e9))) / 1_000_000_000n;
      const balance = i === weights.length - 1 ? rest : part;
      rest -= balance;
      return { address: exchanges.address(i), balance };
    });
  };

  const stateAt = (t: number): State => {
    const named: Holding[] = [];
    let held = 0n;
    let gone = 0;
    for (const [address, amount] of own) {
      const balance = scripted(address, amount(t), t);
      held += balance;
      if (balance === 0n) gone += 1;
      else named.push({ address, balance });
    }
    const others = Math.max(0, level(t) - gone - named.length - EXCHANGES.length);
    named.push(...shared(t, supply(t) - held - small.sum(others)));
    named.sort((a, b) => (a.balance > b.balance ? -1 : a.balance < b.balance ? 1 : 0));
    return { t, named, others };
  };

  // One answer asks for many wallets at one time; the last time's state is remembered.
  let last: State | undefined;
  const state = (t: number): State => {
    if (last?.t !== t) last = stateAt(t);
    return last;
  };

  return {
    count: (t: number): number => {
      const { named, others } = state(t);
      return named.length + others;
    },
    /** The address is in lower case; who holds nothing has 0. */
    balance: (address: string, t: number): bigint => {
      const { named, others } = state(t);
      const known = named.find((holding) => holding.address === address);
      if (known !== undefined) return known.balance;
      const index = crowd.index(address);
      return index === null || index >= others ? 0n : small.balance(index);
    },
    /** The richest first, without the `offset` richest, `size` of them at most. */
    richest: (t: number, offset: number, size: number): readonly Holding[] => {
      const { named, others } = state(t);
      const page: Holding[] = [];
      let [ahead, behind] = meetingAt(named, others, offset, small);
      while (page.length < size && (ahead < named.length || behind < others)) {
        const next = named[ahead];
        const balance = behind < others ? small.balance(behind) : -1n;
        if (next !== undefined && next.balance >= balance) {
          page.push(next);
          ahead += 1;
        } else {
          page.push({ address: crowd.address(behind), balance });
          behind += 1;
        }
      }
      return page;
    },
  };
}

/** Who holds something at a time: those with a name or a job, the richest first, and a crowd. */
interface State {
  readonly t: number;
  readonly named: readonly Holding[];
  readonly others: number;
}

/**
 * The small holders by index, the richest first: what one has, and the first so many together.
 * These are differences of one falling curve, so that sums need no loop.
 */
function smallOf(supply: bigint) {
  const all = Number(supply) * SMALL_SHARE;
  const beyond = (index: number): bigint =>
    BigInt(Math.floor(all * (SMALL_HEAD / (index + SMALL_HEAD)) ** 0.6));
  return {
    balance: (index: number) => beyond(index) - beyond(index + 1),
    sum: (count: number) => beyond(0) - beyond(count),
  };
}

/**
 * How many of the named and how many of the others are among the `offset` richest. Both are sorted,
 * so that each named one's place is found by halving.
 */
function meetingAt(
  named: readonly Holding[],
  others: number,
  offset: number,
  small: ReturnType<typeof smallOf>,
): [number, number] {
  let ahead = 0;
  for (const { balance } of named) {
    let low = 0;
    let high = others;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (small.balance(middle) > balance) low = middle + 1;
      else high = middle;
    }
    if (ahead + low >= offset) break;
    ahead += 1;
  }
  return [ahead, Math.max(0, Math.min(others, offset - ahead))];
}

/** Odd, so that multiplying by it (modulo 2^32) can be undone: the golden ratio's bits. */
const SPREAD = 0x9e3779b1;
const GATHER = inverseOf(SPREAD);

/**
 * Any number of wallets that are told apart by their index, each with an address of its own. The
 * first eight digits of an address hold the index, spread over all values, so that a wallet is found
 * without a list of them all; the others follow from it.
 */
export function crowdOf(name: string) {
  const of = stream(0, `crowd:${name}`);
  const address = (index: number): string => {
    const head = hex((Math.imul(index, SPREAD) ^ of) >>> 0);
    return `0x${head}${[0, 1, 2, 3].map((part) => hex(bits(of, index * 4 + part))).join("")}`;
  };
  return {
    /** In lower case; `index` is a whole number from 0 and below 2^32. */
    address,
    /** Whose address (in lower case) this is; null: nobody's in this crowd. */
    index: (text: string): number | null => {
      const head = /^0x([0-9a-f]{8})[0-9a-f]{32}$/.exec(text)?.[1];
      if (head === undefined) return null;
      const index = Math.imul(Number.parseInt(head, 16) ^ of, GATHER) >>> 0;
      return address(index) === text ? index : null;
    },
  };
}

function bits(of: Stream, index: number): number {
  return Math.floor(uniform(of, index) * 2 ** 32);
}

function hex(word: number): string {
  return word.toString(16).padStart(8, "0");
}

/** The inverse of an odd number modulo 2^32, by Newton's iteration, which doubles the right bits. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let bitsRight = 3; bitsRight < 32; bitsRight *= 2) {
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  }
  return inverse;
}
