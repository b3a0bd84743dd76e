import type { PoolListing } from "./listed-pools.ts";
import type { Moves } from "./moves.ts";
import type { ScriptEvent } from "./script.ts";
import type { Traded, Trades } from "./trades.ts";

/** What was traded since a pool was initialized; raw units. */
export interface Lifetime {
  readonly in0: bigint;
  readonly in1: bigint;
  readonly volume0: bigint;
  readonly volume1: bigint;
  /** US dollars, by what token1 cost at the time. */
  readonly usd: number;
}

/** Sums are kept for every so many legs, which take a few microseconds to go through. */
const STRIDE = 8;

export interface LifetimeSurroundings {
  readonly moves: Moves;
  readonly trades: Trades;
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  /** US dollars for one token1 at a time (epoch ms). */
  readonly quote: (at: number) => number;
}

/**
 * The sums over all moves up to one, exact. What lies before the newest move asked for is summed up
 * once, at about half a millisecond for a day.
 */
export function lifetimesOf(
  listed: PoolListing,
  { moves, trades, seed, start, script, quote }: LifetimeSurroundings,
): (move: number) => Lifetime {
  const { perLeg } = moves;
  const perRow = STRIDE * perLeg;
  const whole1 = trades.lot1 / 10 ** listed.token1.decimals;
  const quietRows = (): number => {
    const quiet = moves.latest(start + Math.min(...script.map(({ at }) => at)) - 1);
    return Math.max(Math.floor((quiet - 1) / perRow), 0);
  };
  const shared = sharedSums(seed, listed.id);

  /** A row and what the moves after it up to one trade. */
  const upTo = (row: SumRow, from: number, to: number): SumRow => {
    const traded: Traded = { in0: 0, out0: 0, in1: 0, out1: 0 };
    let { usd } = row;
    for (let move = from; move < to; ) {
      const leg = Math.floor(move / perLeg) * perLeg;
      const next = Math.min(leg + perLeg, to);
      const before = traded.in1 + traded.out1;
      trades.add(traded, move, next);
      usd += (traded.in1 + traded.out1 - before) * whole1 * quote(moves.timeOf(leg));
      move = next;
    }
    return {
      in0: row.in0 + BigInt(traded.in0),
      out0: row.out0 + BigInt(traded.out0),
      in1: row.in1 + BigInt(traded.in1),
      out1: row.out1 + BigInt(traded.out1),
      usd,
    };
  };
  /** `sums` begins with row `first`. */
  const rowOf = (sums: Sums, first: number, index: number): SumRow => {
    while (first + sums.length <= index) {
      const from = (first + sums.length - 1) * perRow;
      sums.push(upTo(sums.row(sums.length - 1), from, from + perRow));
    }
    return sums.row(index - first);
  };
  // From the last row on that comes before the script.
  const ownFirst = script.length === 0 ? Number.POSITIVE_INFINITY : quietRows();
  let own: Sums | undefined;
  const rowAt = (index: number): SumRow => {
    if (index <= ownFirst) return rowOf(shared, 0, index);
    own ??= new Sums(rowOf(shared, 0, ownFirst));
    return rowOf(own, ownFirst, index);
  };

  const [lot0, lot1] = [BigInt(trades.lot0), BigInt(trades.lot1)];
  return (move) => {
    const index = Math.floor(move / perRow);
    const sum = upTo(rowAt(index), index * perRow, move);
    return {
      in0: sum.in0 * lot0,
      in1: sum.in1 * lot1,
      volume0: (sum.in0 + sum.out0) * lot0,
      volume1: (sum.in1 + sum.out1) * lot1,
      usd: sum.usd,
    };
  };
}

/** Lots that came in and went out, by token, and US dollars: sums up to some move. */
export interface SumRow {
  readonly in0: bigint;
  readonly out0: bigint;
  readonly in1: bigint;
  readonly out1: bigint;
  readonly usd: number;
}

const NOTHING: SumRow = { in0: 0n, out0: 0n, in1: 0n, out1: 0n, usd: 0 };

const COLUMNS = 4;
const FIRST_SIZE = 256;

/** Rows of sums, numbered from 0, packed: some years of a pool take less than a megabyte. */
class Sums {
  #lots = new BigInt64Array(COLUMNS * FIRST_SIZE);
  #usd = new Float64Array(FIRST_SIZE);
  #length = 0;

  constructor(first: SumRow) {
    this.push(first);
  }

  get length(): number {
    return this.#length;
  }

  row(index: number): SumRow {
    const lots = (column: number): bigint => this.#lots[index * COLUMNS + column] ?? 0n;
    return { in0: lots(0), out0: lots(1), in1: lots(2), out1: lots(3), usd: this.#usd[index] ?? 0 };
  }

  push({ in0, out0, in1, out1, usd }: SumRow): void {
    if (this.#length === this.#usd.length) {
      const [lots, dollars] = [this.#lots, this.#usd];
      this.#lots = new BigInt64Array(lots.length * 2);
      this.#lots.set(lots);
      this.#usd = new Float64Array(dollars.length * 2);
      this.#usd.set(dollars);
    }
    this.#lots.set([in0, out0, in1, out1], this.#length * COLUMNS);
    this.#usd[this.#length] = usd;
    this.#length += 1;
  }
}

/** So many pools of other markets are remembered. */
const KEPT = 64;
const kept = new Map<string, Sums>();

/**
 * Everything in a market runs relative to its start, so what a pool traded before a script did
 * anything depends on the seed alone: markets of one seed share those sums.
 */
function sharedSums(seed: number, pool: string): Sums {
  const key = `${seed}:${pool}`;
  const found = kept.get(key);
  if (found !== undefined) return found;
  if (kept.size >= KEPT) kept.clear();
  const made = new Sums(NOTHING);
  kept.set(key, made);
  return made;
}
