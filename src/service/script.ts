import { MINUTE } from "../base/duration.ts";
import { blend } from "./noise.ts";
import { type KnownTokens, type TokenEvent, tokenExcess, tokenProblem } from "./token-script.ts";

/**
 * What is made to happen in the market, on top of its own noise. `at` counts from the market's
 * start; all times are milliseconds; factors are above zero, and 1 changes nothing.
 */
export type ScriptEvent = PriceEvent | LiquidityEvent | TipsEvent | CloseEvent | TokenEvent;

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
  readonly hold?: number;
  readonly back?: number;
}

/** Between `at` and `at + over` liquidity, reserves and TVL of a pool go to `factor` times. */
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
  readonly tokens: KnownTokens;
}

/** The events that are the stablecoin's. */
export function tokenEvents(script: readonly ScriptEvent[]): readonly TokenEvent[] {
  return script.filter(isTokenEvent);
}

function isTokenEvent(event: ScriptEvent): event is TokenEvent {
  return event.kind === "mint" || event.kind === "transfer" || event.kind === "holders";
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
  if (event.kind === "close") {
    return known.position(event.position) ? null : `no position ${event.position.nft}`;
  }
  if (!Number.isFinite(event.factor) || event.factor <= 0) return "`factor` must be above zero";
  if (event.kind === "tips") {
    if (!known.chain(event.chain)) return `no chain ${event.chain}`;
    return isLength(event.for) ? null : "`for` must be zero or more milliseconds";
  }
  if (!known.pool(event.pool)) return `no pool ${event.pool}`;
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
    const there = rampedTo(t, event.at, event.over);
    const leaves = event.at + event.over + (event.hold ?? 0);
    const returned = event.back === undefined ? 0 : rampedTo(t, leaves, event.back);
    sum += Math.log(event.factor) * (there - returned);
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

/** How much of a move that begins at `at` and takes `over` is done: 0 to 1. */
function rampedTo(t: number, at: number, over: number): number {
  return over === 0 ? (t >= at ? 1 : 0) : blend((t - at) / over);
}
