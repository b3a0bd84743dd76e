import { readNumber, readTick } from "../api/fields.ts";
import { type Decimal, isZero } from "../base/decimal.ts";
import { sqrtPriceX96AtTick } from "../base/ticks.ts";
import type { Answer, Ask, RawRecord } from "../model/index.ts";
import { fieldsOf, recordOf, valueIn } from "./fields.ts";
import type { Answers } from "./kind.ts";
import type { TokenKey } from "./tokens.ts";
import { infoAsk } from "./tokens.ts";

/** The records of pools in the earlier family name their tokens by address only. */
export type EarlierPool = "v3_pool" | "v4_pool_24h";

const TOKENS: readonly TokenKey[] = ["token0", "token1"];
const NATIVE = `0x${"0".repeat(40)}`;

/** The ask for a pool of the earlier family; `id` in lower case. */
export function earlierPoolAsk(record: EarlierPool, chainId: number, id: string): Ask {
  return { key: `${record}:${chainId}:${id}`, record, chainId, id };
}

/** What never changes of a pool: the pool's own record once, and the info of its tokens. */
export function pairFacts(pool: Ask, answers: Answers): readonly Ask[] {
  const record = recordOf(answers(pool));
  if (record === null) return [pool];
  const tokens = TOKENS.map((key) => tokenOf(record, key));
  return [
    pool,
    ...tokens
      .filter((token) => token !== null && token !== NATIVE)
      .map((token) => infoAsk(pool.chainId, token ?? "")),
  ];
}

/** The facts that answers of this round show to be needed; nothing once they are there. */
export function unansweredFacts(pool: Ask, answers: Answers): readonly Ask[] {
  return pairFacts(pool, answers).filter((ask) => answers(ask) === undefined);
}

/**
 * Both tokens and the fee as the record of a V4 pool in the current family has them, as far as the
 * pool's answer and the infos of its tokens tell; null without an answer.
 */
export function pairRecord(
  answer: Answer | undefined,
  chainId: number,
  answers: Answers,
): RawRecord | null {
  const pool = recordOf(answer);
  if (pool === null) return null;
  const token = (key: TokenKey): RawRecord | null => {
    const address = tokenOf(pool, key);
    if (address === null) return null;
    const info = recordOf(answers(infoAsk(chainId, address)));
    return { address, symbol: info?.symbol, decimals: info?.decimals };
  };
  return { token0: token("token0"), token1: token("token1"), fee: pool.fee_tier };
}

function tokenOf(pool: RawRecord, key: TokenKey): string | null {
  const value = valueIn(fieldsOf("v3_pool"), pool, key);
  return typeof value === "string" ? value : null;
}

/**
 * The specification does not say which way the earlier family's prices point. A pool's state does:
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
