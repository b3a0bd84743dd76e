import { blend } from "./noise.ts";

/**
 * Between `at` and `at + over` the US dollar price of a token on one chain slips smoothly to
 * `factor` times what it would have been. There it stays; with `back` it stays for `hold` (default
 * 0) and then takes `back` to return. The prices of its pools slip with it, on that chain only.
 * `at` counts from the market's start; all times are milliseconds.
 */
export interface PegEvent {
  readonly kind: "peg";
  readonly chain: number;
  /** The token's address, in lower case. */
  readonly token: string;
  readonly factor: number;
  readonly at: number;
  readonly over: number;
  readonly hold?: number | undefined;
  readonly back?: number | undefined;
}

/** How far a move has gone that may come back: 0 to 1, `t` ms after the market's start. */
export function thereAndBack(
  move: Pick<PegEvent, "at" | "over" | "hold" | "back">,
  t: number,
): number {
  const there = rampedTo(t, move.at, move.over);
  if (move.back === undefined) return there;
  return there - rampedTo(t, move.at + move.over + (move.hold ?? 0), move.back);
}

/** The natural logarithm of what the script multiplies a token's price on a chain by. */
export function scriptedPeg(
  script: readonly (PegEvent | { readonly kind: unknown })[],
  chain: number,
  token: string,
  t: number,
): number {
  let sum = 0;
  for (const event of script) {
    if (!isPeg(event) || event.chain !== chain || event.token !== token) continue;
    if (t >= event.at) sum += Math.log(event.factor) * thereAndBack(event, t);
  }
  return sum;
}

function isPeg(event: PegEvent | { readonly kind: unknown }): event is PegEvent {
  return event.kind === "peg";
}

/** How much of a move that begins at `at` and takes `over` is done: 0 to 1. */
export function rampedTo(t: number, at: number, over: number): number {
  return over === 0 ? (t >= at ? 1 : 0) : blend((t - at) / over);
}
