import { seconds } from "../../api/written.ts";
import { sqrtPriceX96AtTick } from "../../base/ticks.ts";
import { callData, SELECTORS } from "../codec/calls.ts";
import { addressAt, smallIntAt, uintAt, wordOf, wordOfAddress } from "../codec/words.ts";
import type { Deployments } from "../deployments.ts";
import type { BlockReader } from "./block-reader.ts";
import {
  type Amounts,
  amountFields,
  feesBetween,
  type Growths,
  growthsInside,
} from "./position-amounts.ts";
import { inversePriceOf, priceOf } from "./price.ts";
import { NATIVE } from "./tokens.ts";
import { type V3State, v3StateOf } from "./v3-pools.ts";
import { pricedPair, tvlOf, type V4PoolParts } from "./v4-pools.ts";

/** What a position NFT of V3 stands for, which does not change. */
export interface V3PositionFacts {
  readonly pool: string;
  readonly token0: string;
  readonly token1: string;
  /** In hundredths of a basis point. */
  readonly fee: number;
  readonly lower: number;
  readonly upper: number;
}

/** What changes of it. */
export interface V3Holding {
  readonly liquidity: bigint;
  /** What its range's counters said when it was changed or collected last. */
  readonly last: Growths;
  /** What can be collected of what was earned and taken out until then. */
  readonly owed: Amounts;
}

const NOTHING: V3Holding = {
  liquidity: 0n,
  last: { growth0: 0n, growth1: 0n },
  owed: { amount0: 0n, amount1: 0n },
};

/** The manager keeps what is owed in so many bits. Source: v3-periphery, NonfungiblePositionManager.sol. */
const OWED_BITS = 128;

/** The positions of one chain's V3 position manager. */
export class V3Positions {
  readonly manager: string | null;
  readonly #factory: string | null;
  readonly #facts = new Map<string, V3PositionFacts>();

  constructor({ v3PositionManager, v3Factory }: Deployments) {
    this.manager = v3PositionManager;
    this.#factory = v3Factory;
  }

  /**
   * A position and what is in it: nothing, if it was burned since it was first read; null: there is none. `nft`
   * in decimal. Rejects with RpcError.
   */
  async read(
    reader: BlockReader,
    nft: string,
  ): Promise<{ readonly facts: V3PositionFacts; readonly holding: V3Holding } | null> {
    const { manager } = this;
    // What fits in no word is nobody's id.
    if (manager === null || BigInt(nft) >= 1n << 256n) return null;
    const data = await reader.call(manager, callData(SELECTORS.positions, wordOf(BigInt(nft))));
    const known = this.#facts.get(nft);
    if (data === null) return known === undefined ? null : { facts: known, holding: NOTHING };
    const holding = holdingIn(data);
    const facts = known ?? (await this.#factsIn(reader, data));
    if (facts === null || holding === null) return null;
    this.#facts.set(nft, facts);
    return { facts, holding };
  }

  async #factsIn(reader: BlockReader, data: string): Promise<V3PositionFacts | null> {
    const [token0, token1] = [addressAt(data, 2), addressAt(data, 3)];
    const [fee, lower, upper] = [smallIntAt(data, 4), smallIntAt(data, 5), smallIntAt(data, 6)];
    if (token0 === null || token1 === null || fee === null) return null;
    if (lower === null || upper === null || this.#factory === null) return null;
    const words = [wordOfAddress(token0), wordOfAddress(token1), wordOf(fee)];
    const found = await reader.call(this.#factory, callData(SELECTORS.getPool, ...words));
    const pool = found === null ? null : addressAt(found, 0);
    return pool === null || pool === NATIVE ? null : { pool, token0, token1, fee, lower, upper };
  }
}

/** The words after those that never change: liquidity, both counters, both amounts owed. */
function holdingIn(data: string): V3Holding | null {
  const [liquidity, growth0, growth1] = [uintAt(data, 7), uintAt(data, 8), uintAt(data, 9)];
  const [amount0, amount1] = [uintAt(data, 10), uintAt(data, 11)];
  if (liquidity === null || growth0 === null || growth1 === null) return null;
  if (amount0 === null || amount1 === null) return null;
  return { liquidity, last: { growth0, growth1 }, owed: { amount0, amount1 } };
}

/** What a range's counters say now; null where the pool does not say. Rejects with RpcError. */
async function growthsOf(
  reader: BlockReader,
  { pool, lower, upper }: V3PositionFacts,
  tick: number,
): Promise<Growths | null> {
  const ofTick = (end: number): Promise<string | null> =>
    reader.call(pool, callData(SELECTORS.ticks, wordOf(end)));
  const [first, second, low, high] = await Promise.all([
    reader.call(pool, SELECTORS.feeGrowth0),
    reader.call(pool, SELECTORS.feeGrowth1),
    ofTick(lower),
    ofTick(upper),
  ]);
  if (first === null || second === null) return null;
  const global = growthsAt(first, 0, second, 0);
  // After a tick's gross and net liquidity.
  const below = low === null ? null : growthsAt(low, 2, low, 3);
  const above = high === null ? null : growthsAt(high, 2, high, 3);
  if (global === null || below === null || above === null) return null;
  return growthsInside(tick, { lower, upper }, global, below, above);
}

function growthsAt(data0: string, at0: number, data1: string, at1: number): Growths | null {
  const [growth0, growth1] = [uintAt(data0, at0), uintAt(data1, at1)];
  return growth0 === null || growth1 === null ? null : { growth0, growth1 };
}

/** What `collect` would give now; null where the pool does not say. Rejects with RpcError. */
export async function owedOf(
  reader: BlockReader,
  facts: V3PositionFacts,
  { liquidity, last, owed }: V3Holding,
  { tick }: V3State,
): Promise<Amounts | null> {
  if (liquidity === 0n) return owed;
  const now = await growthsOf(reader, facts, tick);
  if (now === null) return null;
  const fees = feesBetween(liquidity, last, now);
  return {
    amount0: BigInt.asUintN(OWED_BITS, owed.amount0 + fees.amount0),
    amount1: BigInt.asUintN(OWED_BITS, owed.amount1 + fees.amount1),
  };
}

/**
 * The record of a V3 position at the reader's block, with its pool's price: with liquidity 0 and no owner where
 * it was burned since it was first read; undefined where there was none then. Rejects with RpcError.
 */
export async function v3PositionRecord(
  reader: BlockReader,
  nft: string,
  parts: Pick<V4PoolParts, "chainId" | "tokens" | "updates" | "usdOf"> & {
    readonly v3Positions: V3Positions;
  },
) {
  const { chainId, v3Positions, updates } = parts;
  const { manager } = v3Positions;
  const found = await v3Positions.read(reader, nft);
  if (manager === null || found === null) return undefined;
  const { facts, holding } = found;
  const { pool, lower, upper } = facts;
  const [state, owned, { token0, token1, usd0, usd1 }] = await Promise.all([
    v3StateOf(reader, pool),
    reader.call(manager, callData(SELECTORS.ownerOf, wordOf(BigInt(nft)))),
    pricedPair(reader, [facts.token0, facts.token1], pool, parts),
  ]);
  if (state === null) return undefined;
  const owed = await owedOf(reader, facts, holding, state);
  const { sqrtPriceX96, tick } = state;
  const { liquidity } = holding;
  const owner = owned === null ? null : addressAt(owned, 0);
  const decimals = [token0.decimals, token1.decimals] as const;
  const [decimals0, decimals1] = decimals;
  const usd = [usd0, usd1] as const;
  const isPriced = decimals0 !== null && decimals1 !== null;
  const known = `${liquidity}:${owner}:${sqrtPriceX96}`;
  const updated = updates.note(`v3_position:${nft}`, known, reader.header);
  return {
    chain_id: chainId,
    manager_address: manager,
    nft_id: nft,
    pool_address: pool,
    owner_address: owner,
    ...amountFields({
      lower,
      upper,
      sqrtLower: sqrtPriceX96AtTick(lower),
      sqrtUpper: sqrtPriceX96AtTick(upper),
      sqrtPriceX96,
      liquidity,
      decimals,
      usd,
    }),
    fees0: owed?.amount0.toString() ?? null,
    fees1: owed?.amount1.toString() ?? null,
    fees_usd: owed === null ? null : tvlOf(owed, decimals, usd),
    fee: facts.fee,
    current_tick: tick,
    sqrt_price_x96: sqrtPriceX96.toString(),
    price0: isPriced ? priceOf(sqrtPriceX96, decimals0, decimals1) : null,
    price1: isPriced ? inversePriceOf(sqrtPriceX96, decimals0, decimals1) : null,
    block_number: String(updated.block),
    timestamp: seconds(updated.time),
    token0: { ...token0, price: usd0 },
    token1: { ...token1, price: usd1 },
  };
}
