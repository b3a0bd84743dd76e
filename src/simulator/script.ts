import { raw } from "./listed-tokens.ts";
/**
 * What is made to happen in the market, on top of its own noise. Factors are above zero, and 1
 * changes nothing.
 */
export type ScriptEvent =
  | PriceEvent
  | PegEvent
  | LiquidityEvent
  | TipsEvent
  | CloseEvent
  | OwnerEvent
  | TokenEvent;

/** What happens to the stablecoin. */
type TokenEvent = MintEvent | TransferEvent | SellEvent | HoldersEvent;

interface Timed {
  /** From the market's start; all times are milliseconds. */
  readonly at: number;
}

/** Between `at` and `at + over` something goes smoothly to `factor` times what it would have been. */
interface Ramp extends Timed {
  readonly factor: number;
  readonly over: number;
}

/** There it stays; with `back` it stays for `hold` (default 0) and then takes `back` to return. */
export interface ThereAndBack extends Ramp {
  readonly hold?: number | undefined;
  readonly back?: number | undefined;
}

/** The price of a pool (token1 per token0) moves. Pools that follow this one move along. */
interface PriceEvent extends ThereAndBack {
  readonly kind: "price";
  readonly pool: string;
}

/**
 * The US dollar price of a token on one chain slips, and the prices of its pools with it, on that
 * chain only.
 */
interface PegEvent extends ThereAndBack {
  readonly kind: "peg";
  readonly chain: number;
  /** The token's address, in lower case. */
  readonly token: string;
}

/**
 * The liquidity of a pool moves, in steps, and its reserves and TVL with it. What the listed
 * positions hold in it stays.
 */
interface LiquidityEvent extends Ramp {
  readonly kind: "liquidity";
  readonly pool: string;
}

/** From `at`, for so long, every tip on a chain is `factor` times what it would have been. */
interface TipsEvent extends Timed {
  readonly kind: "tips";
  readonly chain: number;
  readonly factor: number;
  readonly for: number;
}

/** In the first block after `at` all liquidity of a position is withdrawn. */
interface CloseEvent extends Timed {
  readonly kind: "close";
  readonly position: PositionRef;
}

/** From the first block after `at` on a position is somebody else's: it was sold, or moved. */
export interface OwnerEvent extends Timed {
  readonly kind: "owner";
  readonly position: PositionRef;
  /** The new owner's address, in lower case. */
  readonly owner: string;
}

/** Names one position among all chains and protocols. */
export interface PositionRef {
  readonly chain: number;
  readonly protocol: string;
  readonly nft: string;
}

/** In the first block from `at` on, so many whole tokens are minted; burnt, if below zero. */
interface MintEvent extends Timed {
  readonly kind: "mint";
  readonly chain: number;
  readonly amount: number;
}

/**
 * In the first block from `at` on, a listed wallet receives so many whole tokens from wallets that
 * are not listed; it sends them there, if below zero. The supply stays as it is.
 */
interface TransferEvent extends Timed {
  readonly kind: "transfer";
  readonly chain: number;
  /** In lower case. */
  readonly wallet: string;
  readonly amount: number;
}

/**
 * In the first block from `at` on, a wallet gives all that it holds to exchanges, and is a holder no
 * more, unless something is transferred to it later. Simulated wallets can be named as well
 * (`middleWallets`).
 */
interface SellEvent extends Timed {
  readonly kind: "sell";
  readonly chain: number;
  /** In lower case. */
  readonly wallet: string;
}

/** The number of holders moves. */
interface HoldersEvent extends Ramp {
  readonly kind: "holders";
  readonly chain: number;
}

export type Script = readonly ScriptEvent[];

/** What a market is made of: the same seed, start (epoch ms) and script are the same market. */
export interface Story {
  readonly seed: number;
  readonly start: number;
  readonly script: Script;
}

/** An event that cannot be: `index` counts from 0 in the script as it was given. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";

  constructor(
    readonly index: number,
    problem: string,
  ) {
    super(`script event ${index + 1}: ${problem}`);
  }
}

/** What there is in the market for a script to name. */
export interface Known {
  pool(id: string): boolean;
  chain(id: number): boolean;
  position(ref: PositionRef): boolean;
  /** A token of any pool, or the stablecoin; the address is in lower case. */
  token(chain: number, address: string): boolean;
  /** Raw units of the stablecoin at the start; undefined: not on this chain, or not listed. */
  supply(chain: number): bigint | undefined;
  balance(chain: number, wallet: string): bigint | undefined;
  /** Whether a wallet that is simulated holds some of it all the time. */
  simulated(chain: number, wallet: string): boolean;
}

/** Throws ScriptError for the first event that names nothing or has an impossible number. */
export function checkScript(script: Script, known: Known): void {
  for (const find of [problemOf, (event: ScriptEvent) => excessOf(event, script, known)]) {
    for (const [index, event] of script.entries()) {
      const problem = find(event, known);
      if (problem !== null) throw new ScriptError(index, problem);
    }
  }
}

/** What is impossible about an event by itself; null: nothing. */
function problemOf(event: ScriptEvent, known: Known): string | null {
  if (!Number.isFinite(event.at)) return "`at` must be a number of milliseconds";
  const unnamed = unnamedBy(event, known);
  if (unnamed !== null) return unnamed;
  if ("amount" in event && !(Number.isSafeInteger(event.amount) && event.amount !== 0)) {
    return "`amount` must be a whole number of tokens, and not zero";
  }
  if ("factor" in event && !(Number.isFinite(event.factor) && event.factor > 0)) {
    return "`factor` must be above zero";
  }
  if ("over" in event && !isLength(event.over)) return "`over` must be zero or more milliseconds";
  if ("for" in event && !isLength(event.for)) return "`for` must be zero or more milliseconds";
  if (event.kind !== "price" && event.kind !== "peg") return null;
  if (event.hold !== undefined && event.back === undefined) return "`hold` needs `back`";
  const fits = isLength(event.hold ?? 0) && isLength(event.back ?? 0);
  return fits ? null : "`hold` and `back` must be zero or more milliseconds";
}

/** What an event names that is not there; null: all is. */
function unnamedBy(event: ScriptEvent, known: Known): string | null {
  switch (event.kind) {
    case "close":
    case "owner":
      return known.position(event.position) ? null : `no position ${event.position.nft}`;
    case "price":
    case "liquidity":
      return known.pool(event.pool) ? null : `no pool ${event.pool}`;
    case "tips":
      return known.chain(event.chain) ? null : `no chain ${event.chain}`;
    case "peg":
      return known.token(event.chain, event.token)
        ? null
        : `no token ${event.token} on chain ${event.chain}`;
    default: {
      const { chain } = event;
      if (known.supply(chain) === undefined) return `no token on chain ${chain}`;
      if (!("wallet" in event) || known.balance(chain, event.wallet) !== undefined) return null;
      const isThere = event.kind === "sell" && known.simulated(chain, event.wallet);
      return isThere ? null : `no wallet ${event.wallet} on chain ${chain}`;
    }
  }
}

function isLength(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

/**
 * Whether an event goes too far together with those of the script up to its time; null if it does
 * not. Amounts wander by themselves, but never near to half: within these bounds nobody holds less
 * than nothing, and the listed wallets together never more than the supply.
 */
function excessOf(event: ScriptEvent, script: Script, known: Known): string | null {
  if (event.kind !== "mint" && event.kind !== "transfer") return null;
  const { kind, chain, at } = event;
  const supply = known.supply(chain) ?? 0n;
  if (kind === "mint") {
    const fits = 2n * mintedRaw(script, chain, at) >= -supply;
    return fits ? null : "`amount` burns more than half of the listed supply";
  }
  const { sold, moved } = movesOf(script, chain, event.wallet, at);
  const least = sold ? 0n : -(known.balance(chain, event.wallet) ?? 0n);
  if (2n * moved < least) {
    return sold
      ? "`amount` takes what the wallet has sold"
      : "`amount` takes more than half of the listed balance";
  }
  const received = sumRaw(
    ofKind(script, "transfer").filter(
      (other) => other.chain === chain && other.at <= at && other.amount > 0,
    ),
  );
  return 4n * received <= supply ? null : "`amount` moves more than a quarter of the listed supply";
}

/** Those of a kind: asked for again and again, of a script that is mostly empty. */
export function ofKind<Kind extends ScriptEvent["kind"]>(
  script: Script,
  kind: Kind,
): readonly Extract<ScriptEvent, { kind: Kind }>[] {
  if (script.length === 0) return NONE;
  return script.filter(
    (event): event is Extract<ScriptEvent, { kind: Kind }> => event.kind === kind,
  );
}

const NONE: readonly never[] = [];

export function samePosition(a: PositionRef, b: PositionRef): boolean {
  return a.chain === b.chain && a.protocol === b.protocol && a.nft === b.nft;
}

function sumRaw(events: readonly { readonly amount: number }[]): bigint {
  return events.reduce((sum, { amount }) => sum + raw(amount), 0n);
}

/** Whether a wallet has sold all by `t`, and what was moved into it (less what was out) since. */
export function movesOf(
  script: Script,
  chain: number,
  wallet: string,
  t: number,
): { readonly sold: boolean; readonly moved: bigint } {
  const isOf = (event: SellEvent | TransferEvent): boolean =>
    event.chain === chain && event.wallet === wallet && event.at <= t;
  const since = Math.max(
    ...ofKind(script, "sell")
      .filter(isOf)
      .map(({ at }) => at),
  );
  const moved = ofKind(script, "transfer").filter((event) => isOf(event) && event.at > since);
  return { sold: since !== Number.NEGATIVE_INFINITY, moved: sumRaw(moved) };
}

/** What the script has minted on a chain, less what it has burnt, `t` ms after start; raw units. */
export function mintedRaw(script: Script, chain: number, t: number): bigint {
  return sumRaw(ofKind(script, "mint").filter((event) => event.chain === chain && event.at <= t));
}
