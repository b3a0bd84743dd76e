import { MINUTE } from "../base/duration.ts";
import { type PegEvent, rampedTo, thereAndBack } from "./peg.ts";
import { type KnownTokens, type TokenEvent, tokenExcess, tokenProblem } from "./token-script.ts";

/**
 * What is made to happen in the market, on top of its own noise. `at` counts from the market's
 * start; all times are milliseconds; factors are above zero, and 1 changes nothing.
 */
export type ScriptEvent =
  | PriceEvent
  | PegEvent
  | LiquidityEvent
  | TipsEvent
  | CloseEvent
  | OwnerEvent
  | TokenEvent;

/**
 * Between `at` and `at + over` the price of a pool (token1 per token0) moves smoothly to `factor`
 * times what it would have been. There it stays; with `back` it stays for `hold` (default 0) and
 * then takes `back` to return. Pools that follow this one move along.
 */
interface PriceEvent {
  readonly kind: "price";
  readonly pool: string;
  readonly factor: number;
  readonly at: number;
  readonly over: number;
  readonly hold?: number | undefined;
  readonly back?: number | undefined;
}

/**
 * Between `at` and `at + over` the liquidity of a pool goes to `factor` times, in steps, and its
 * reserves and TVL with it. What the listed positions hold in it stays.
 */
interface LiquidityEvent {
  readonly kind: "liquidity";
  readonly pool: string;
  readonly factor: number;
  readonly at: number;
  readonly over: number;
}

/** From `at`, for so long, every tip on a chain is `factor` times what it would have been. */
interface TipsEvent {
  readonly kind: "tips";
  readonly chain: number;
  readonly factor: number;
  readonly at: number;
  readonly for: number;
}

/** In the first block after `at` all liquidity of a position is withdrawn. */
interface CloseEvent {
  readonly kind: "close";
  readonly position: PositionRef;
  readonly at: number;
}

/** From the first block after `at` on a position is somebody else's: it was sold, or moved. */
interface OwnerEvent {
  readonly kind: "owner";
  readonly position: PositionRef;
  /** The new owner's address, in lower case. */
  readonly owner: string;
  readonly at: number;
}

/** Names one position among all chains and protocols. */
export interface PositionRef {
  readonly chain: number;
  readonly protocol: string;
  readonly nft: string;
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
  readonly tokens: KnownTokens;
}

/** The events that are the stablecoin's. */
export function tokenEvents(script: readonly ScriptEvent[]): readonly TokenEvent[] {
  return script.filter(isTokenEvent);
}

function isTokenEvent(event: ScriptEvent): event is TokenEvent {
  const { kind } = event;
  return kind === "mint" || kind === "transfer" || kind === "sell" || kind === "holders";
}

/** Throws ScriptError for the first event that names nothing or has an impossible number. */
export function checkScript(script: readonly ScriptEvent[], known: Known): void {
  for (const [index, event] of script.entries()) {
    const problem = problemOf(event, known);
    if (problem !== null) throw new ScriptError(index, problem);
  }
  const ofToken = tokenEvents(script);
  for (const [index, event] of script.entries()) {
    const excess = isTokenEvent(event) ? tokenExcess(event, ofToken, known.tokens) : null;
    if (excess !== null) throw new ScriptError(index, excess);
  }
}

function problemOf(event: ScriptEvent, known: Known): string | null {
  if (!Number.isFinite(event.at)) return "`at` must be a number of milliseconds";
  if (isTokenEvent(event)) return tokenProblem(event, known.tokens);
  if (event.kind === "close" || event.kind === "owner") {
    return known.position(event.position) ? null : `no position ${event.position.nft}`;
  }
  if (!Number.isFinite(event.factor) || event.factor <= 0) return "`factor` must be above zero";
  if (event.kind === "tips") {
    if (!known.chain(event.chain)) return `no chain ${event.chain}`;
    return isLength(event.for) ? null : "`for` must be zero or more milliseconds";
  }
  if (event.kind === "peg") {
    if (!known.token(event.chain, event.token)) {
      return `no token ${event.token} on chain ${event.chain}`;
    }
  } else if (!known.pool(event.pool)) return `no pool ${event.pool}`;
  if (!isLength(event.over)) return "`over` must be zero or more milliseconds";
  if (event.kind === "liquidity") return null;
  if (event.hold !== undefined && event.back === undefined) return "`hold` needs `back`";
  const fits = isLength(event.hold ?? 0) && isLength(event.back ?? 0);
  return fits ? null : "`hold` and `back` must be zero or more milliseconds";
}

function isLength(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

/** The natural logarithm of what the script multiplies a pool's price by, `t` ms after start. */
export function scriptedPrice(script: readonly ScriptEvent[], pool: string, t: number): number {
  let sum = 0;
  for (const event of script) {
    if (event.kind !== "price" || event.pool !== pool || t < event.at) continue;
    sum += Math.log(event.factor) * thereAndBack(event, t);
  }
  return sum;
}

/** The natural logarithm of what the script multiplies a pool's liquidity by. */
export function scriptedLiquidity(script: readonly ScriptEvent[], pool: string, t: number): number {
  let sum = 0;
  for (const event of script) {
    if (event.kind !== "liquidity" || event.pool !== pool || t < event.at) continue;
    sum += Math.log(event.factor) * rampedTo(t, event.at, event.over);
  }
  return sum;
}

/** What the script multiplies a chain's tips by, averaged over the minute that begins at `t`. */
export function scriptedTips(script: readonly ScriptEvent[], chain: number, t: number): number {
  let factor = 1;
  for (const event of script) {
    if (event.kind !== "tips" || event.chain !== chain) continue;
    const shared = Math.min(t + MINUTE, event.at + event.for) - Math.max(t, event.at);
    if (shared > 0) factor *= 1 + (event.factor - 1) * (shared / MINUTE);
  }
  return factor;
}

/** To whom the script gives a position, and when, in ms after start; oldest first. */
export function scriptedOwners(
  script: readonly ScriptEvent[],
  ref: PositionRef,
): readonly { readonly at: number; readonly owner: string }[] {
  return script
    .flatMap((event) =>
      event.kind === "owner" && samePosition(event.position, ref) ? [event] : [],
    )
    .toSorted((a, b) => a.at - b.at);
}

/** When the script closes a position, in ms after start; null if it does not. */
export function scriptedClose(script: readonly ScriptEvent[], ref: PositionRef): number | null {
  const times = script.flatMap((event) =>
    event.kind === "close" && samePosition(event.position, ref) ? [event.at] : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}

export function samePosition(a: PositionRef, b: PositionRef): boolean {
  return a.chain === b.chain && a.protocol === b.protocol && a.nft === b.nft;
}
