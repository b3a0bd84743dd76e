import { pow10 } from "../../base/decimal.ts";
import { callData, SELECTORS } from "../codec/calls.ts";
import { addressAt, intAt, wordOf, wordOfAddress } from "../codec/words.ts";
import type { Deployments } from "../deployments.ts";
import type { BlockReader } from "../state/block-reader.ts";
import { inversePriceOf, priceOf, quotient } from "../state/price.ts";
import { balanceIn, NATIVE, type Tokens } from "../state/tokens.ts";
import { v3StateOf } from "../state/v3-pools.ts";
import { poolBase, poolIdOf, readSlot0, stateSlots } from "../state/v4-slots.ts";

/** Where a token trades against another one whose price is known. */
export interface Venue {
  readonly version: "v3" | "v4";
  /** The address or id of the pool, in lower case. */
  readonly pool: string;
  readonly token: string;
  readonly anchor: string;
}

/** What a venue says at a block. */
export interface Quote {
  readonly venue: Venue;
  /** Anchors for one token, both whole. */
  readonly price: number;
  /** Whole anchors that move the price by 2%, as far as they are there. */
  readonly depth: number;
}

/** The fees of pools without a hook, and the spacings of their ticks. Source: Uniswap v3-core and v4's app. */
const FEES: readonly (readonly [number, number])[] = [
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
];

/** sqrt(1.02) − 1: how far the square root of a price moves by 2%. */
const TWO_PERCENT = Math.sqrt(1.02) - 1;

/** The pools of a token and an anchor that there may be. Rejects with RpcError. */
export async function venuesOf(
  reader: BlockReader,
  token: string,
  anchor: string,
  { v3Factory, poolManager }: Deployments,
): Promise<readonly Venue[]> {
  const venues: Venue[] = [];
  const [currency0, currency1] = token < anchor ? [token, anchor] : [anchor, token];
  if (poolManager !== null) {
    for (const [fee, tickSpacing] of FEES) {
      const pool = poolIdOf({ currency0, currency1, fee, tickSpacing, hooks: NATIVE });
      venues.push({ version: "v4", pool, token, anchor });
    }
  }
  if (v3Factory !== null && token !== NATIVE && anchor !== NATIVE) {
    const pools = await Promise.all(
      FEES.map(([fee]) => {
        const words = [wordOfAddress(token), wordOfAddress(anchor), wordOf(fee)];
        return reader.call(v3Factory, callData(SELECTORS.getPool, ...words));
      }),
    );
    for (const data of pools) {
      const pool = data === null ? null : addressAt(data, 0);
      if (pool !== null && pool !== NATIVE) venues.push({ version: "v3", pool, token, anchor });
    }
  }
  return venues;
}

/** What a venue says; null where there is no such pool, or nothing in it. Rejects with RpcError. */
export async function quoteOf(
  reader: BlockReader,
  venue: Venue,
  tokens: Tokens,
): Promise<Quote | null> {
  const { token, anchor } = venue;
  const [state, facts, anchorFacts] = await Promise.all([
    stateOf(reader, venue),
    tokens.facts(reader, token),
    tokens.facts(reader, anchor),
  ]);
  const { decimals } = facts;
  if (state === null || decimals === null || anchorFacts.decimals === null) return null;
  const price = priceAt(venue, state.sqrtPriceX96, decimals, anchorFacts.decimals);
  const depth = depthOf(venue, state, anchorFacts.decimals);
  return { venue, price, depth };
}

interface VenueState {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  /** Raw anchors that the pool holds; null: that is not told by a balance. */
  readonly held: bigint | null;
}

async function stateOf(reader: BlockReader, venue: Venue): Promise<VenueState | null> {
  if (venue.version === "v4") {
    const [slot0 = 0n, liquidity = 0n] = await reader.slots(stateSlots(poolBase(venue.pool)));
    const { sqrtPriceX96 } = readSlot0(slot0);
    return sqrtPriceX96 === 0n ? null : { sqrtPriceX96, liquidity, held: null };
  }
  const [state, held] = await Promise.all([
    v3StateOf(reader, venue.pool),
    balanceIn(reader, venue.anchor, venue.pool),
  ]);
  return state === null || held === null ? null : { ...state, held };
}

function priceAt(venue: Venue, sqrt: bigint, decimals: number, anchorDecimals: number): number {
  return venue.token < venue.anchor
    ? priceOf(sqrt, decimals, anchorDecimals)
    : inversePriceOf(sqrt, anchorDecimals, decimals);
}

/**
 * Whole anchors for 2% of the price: with liquidity L and square root p of the price, L·p·(√1.02 − 1) of
 * token1, or L/p·(√1.02 − 1) of token0. Never more than a V3 pool holds.
 */
function depthOf({ token, anchor }: Venue, state: VenueState, anchorDecimals: number): number {
  const { sqrtPriceX96, liquidity, held } = state;
  const unit = pow10(anchorDecimals);
  const whole =
    token < anchor
      ? quotient(liquidity * sqrtPriceX96, unit << 96n)
      : quotient(liquidity << 96n, sqrtPriceX96 * unit);
  const depth = whole * TWO_PERCENT;
  return held === null ? depth : Math.min(depth, quotient(held, unit));
}

/** A price is averaged over so many seconds. */
const AVERAGE_SECONDS = 1_800;
const TICK_BASE = 1.0001;

/**
 * The mean price of a V3 pool over half an hour, anchors for one token; null where it has too few
 * observations. Source: v3-core, Oracle.sol. Rejects with RpcError.
 */
export async function meanPriceOf(
  reader: BlockReader,
  { pool, token, anchor }: Venue,
  tokens: Tokens,
): Promise<number | null> {
  const words = [wordOf(32), wordOf(2), wordOf(AVERAGE_SECONDS), wordOf(0)];
  const [data, { decimals }, other] = await Promise.all([
    reader.call(pool, callData(SELECTORS.observe, ...words)),
    tokens.facts(reader, token),
    tokens.facts(reader, anchor),
  ]);
  if (data === null || decimals === null || other.decimals === null) return null;
  // Two offsets, then the length and the cumulative ticks.
  const [then, now] = [intAt(data, 3), intAt(data, 4)];
  if (then === null || now === null) return null;
  const tick = Number(now - then) / AVERAGE_SECONDS;
  const mean = TICK_BASE ** (token < anchor ? tick : -tick);
  return mean * 10 ** (decimals - other.decimals);
}
