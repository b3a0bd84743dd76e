import { readNumber, readTick } from "../api/fields.ts";
import { type Decimal, isZero } from "../base/decimal.ts";
import { sqrtPriceX96AtTick } from "../base/ticks.ts";

/**
 * The earlier family has prices whose direction nobody has written down. A pool's state tells it:
 * token1 per token0 in whole tokens is sqrt(price)² times a power of ten, which the tokens' decimals
 * make, and what is the other way round is that of the inverse.
 */

/** Which of a pair of reciprocal prices is token1 per token0: the first or the second. */
export type Direction = "first" | "second";

const Q192 = 1n << 192n;
/** Powers of ten that no quotient of two prices is below. */
const SPARE = 10n ** 220n;
/** Distances are counted in units of 10^-18. */
const DIGITS = 19;
const ONE = 10n ** 18n;
/** The price and the state may be of different moments: further apart they are of different pools. */
const FARTHEST = ONE / 100n;

/**
 * Which of two prices, each the inverse of the other, is token1 per token0 by the pool's
 * `sqrt_price_x96`, or else by its tick. One of them may be missing. Null: the state is not known, or
 * neither fits to within a hundredth.
 */
export function directionOf(
  first: Decimal | null,
  second: Decimal | null,
  state: { readonly sqrtPriceX96: unknown; readonly tick: unknown },
): Direction | null {
  const root = rootOf(state.sqrtPriceX96, state.tick);
  if (root === null) return null;
  const square = root * root;
  const direct = farthest([distance(first, square, Q192), distance(second, Q192, square)]);
  const turned = farthest([distance(first, Q192, square), distance(second, square, Q192)]);
  if (direct === null || turned === null) return null;
  // Prices of exactly 1 are the same in both directions.
  const [best, of]: [bigint, Direction] = direct <= turned ? [direct, "first"] : [turned, "second"];
  return best <= FARTHEST ? of : null;
}

function rootOf(sqrtPriceX96: unknown, tick: unknown): bigint | null {
  const root = readNumber(sqrtPriceX96, "integer");
  if (root !== null && root.scale === 0 && root.digits > 0n) return root.digits;
  const known = readTick(tick);
  return known === null ? null : sqrtPriceX96AtTick(known);
}

/** How far a price is from top / bottom times a power of ten; null for a price that is not known. */
function distance(price: Decimal | null, top: bigint, bottom: bigint): bigint | null {
  if (price === null || isZero(price)) return null;
  const quotient = (price.digits * bottom * SPARE) / (10n ** BigInt(price.scale) * top);
  const text = quotient.toString();
  if (text.length < DIGITS) return null;
  const lead = BigInt(text.slice(0, DIGITS));
  const above = lead - ONE;
  const below = (ONE * 10n - lead) / 10n;
  return above < below ? above : below;
}

function farthest(distances: readonly (bigint | null)[]): bigint | null {
  let most: bigint | null = null;
  for (const one of distances) if (one !== null && (most === null || one > most)) most = one;
  return most;
}
