import { MINUTE } from "../base/duration.ts";
import { blend } from "./noise.ts";
import {
  movesOf,
  type OwnerEvent,
  ofKind,
  type PositionRef,
  type Script,
  samePosition,
  type ThereAndBack,
} from "./script.ts";

/** What a script does to the market at a time. */

/** The natural logarithm of what the script multiplies a pool's price by, `t` ms after start. */
export function scriptedPrice(script: Script, pool: string, t: number): number {
  return rampedBy(
    ofKind(script, "price").filter((event) => event.pool === pool),
    t,
  );
}

/** The natural logarithm of what the script multiplies a token's price on a chain by. */
export function scriptedPeg(script: Script, chain: number, token: string, t: number): number {
  const address = token.toLowerCase();
  return rampedBy(
    ofKind(script, "peg").filter((e) => e.chain === chain && e.token === address),
    t,
  );
}

/** What a script does to the market at a time. */

/** The natural logarithm of what the script multiplies a pool's liquidity by. */
export function scriptedLiquidity(script: Script, pool: string, t: number): number {
  return rampedBy(
    ofKind(script, "liquidity").filter((event) => event.pool === pool),
    t,
  );
}

/** What the script multiplies a chain's number of holders by. */
export function scriptedHolders(script: Script, chain: number, t: number): number {
  return Math.exp(
    rampedBy(
      ofKind(script, "holders").filter((event) => event.chain === chain),
      t,
    ),
  );
}

function rampedBy(events: readonly ThereAndBack[], t: number): number {
  let sum = 0;
  for (const { factor, at, over, hold = 0, back } of events) {
    if (t < at) continue;
    const returned = back === undefined ? 0 : rampedTo(t, at + over + hold, back);
    sum += Math.log(factor) * (rampedTo(t, at, over) - returned);
  }
  return sum;
}

/** How much of a move that begins at `at` and takes `over` is done: 0 to 1. */
function rampedTo(t: number, at: number, over: number): number {
  return over === 0 ? (t >= at ? 1 : 0) : blend((t - at) / over);
}

/** What the script multiplies a chain's tips by, averaged over the minute that begins at `t`. */
export function scriptedTips(script: Script, chain: number, t: number): number {
  let factor = 1;
  for (const event of ofKind(script, "tips")) {
    if (event.chain !== chain) continue;
    const shared = Math.min(t + MINUTE, event.at + event.for) - Math.max(t, event.at);
    if (shared > 0) factor *= 1 + (event.factor - 1) * (shared / MINUTE);
  }
  return factor;
}

/** To whom the script gives a position, and when, in ms after start; oldest first. */
export function scriptedOwners(script: Script, ref: PositionRef): readonly OwnerEvent[] {
  return ofKind(script, "owner")
    .filter(({ position }) => samePosition(position, ref))
    .toSorted((a, b) => a.at - b.at);
}

/** When the script closes a position, in ms after start; Infinity if it does not. */
export function scriptedClose(script: Script, ref: PositionRef): number {
  const closes = ofKind(script, "close").filter(({ position }) => samePosition(position, ref));
  return Math.min(...closes.map(({ at }) => at));
}

/** What a wallet has in raw units that would have `own` without the script: never below zero. */
export function scriptedBalance(
  script: Script,
  chain: number,
  wallet: string,
  own: bigint,
  t: number,
): bigint {
  const { sold, moved } = movesOf(script, chain, wallet, t);
  return sold ? moved : own + moved;
}
