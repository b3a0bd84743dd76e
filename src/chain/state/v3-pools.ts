import { isoTime } from "../../api/written.ts";
import { SELECTORS } from "../codec/calls.ts";
import { addressAt, smallIntAt, uintAt } from "../codec/words.ts";
import type { BlockReader } from "./block-reader.ts";
import { inversePriceOf, plainNumber, priceOf } from "./price.ts";
import { balanceIn, type TokenFacts } from "./tokens.ts";
import { pricedPair, tvlOf, type V4PoolParts, type V4PoolState } from "./v4-pools.ts";

/** What a V3 pool is, which does not change. */
interface V3Facts {
  readonly token0: string;
  readonly token1: string;
  readonly fee: number;
}

/** The V3 pools of one chain. */
export class V3Pools {
  readonly #facts = new Map<string, V3Facts>();

  /** Null: there is no such pool at the address. Rejects with RpcError. */
  async factsOf(reader: BlockReader, address: string): Promise<V3Facts | null> {
    const known = this.#facts.get(address);
    if (known !== undefined) return known;
    const [first, second, third] = await Promise.all([
      reader.call(address, SELECTORS.token0),
      reader.call(address, SELECTORS.token1),
      reader.call(address, SELECTORS.fee),
    ]);
    if (first === null || second === null || third === null) return null;
    const [token0, token1] = [addressAt(first, 0), addressAt(second, 0)];
    const fee = smallIntAt(third, 0);
    if (token0 === null || token1 === null || fee === null) return null;
    const facts = { token0, token1, fee };
    this.#facts.set(address, facts);
    return facts;
  }
}

/** Where a V3 pool stands. */
export interface V3State {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
}

/** Null where the address is no V3 pool, or none that was initialized. Rejects with RpcError. */
export async function v3StateOf(reader: BlockReader, address: string): Promise<V3State | null> {
  const [slot0, held] = await Promise.all([
    reader.call(address, SELECTORS.slot0),
    reader.call(address, SELECTORS.liquidity),
  ]);
  if (slot0 === null || held === null) return null;
  const [sqrtPriceX96, tick] = [uintAt(slot0, 0), smallIntAt(slot0, 1)];
  const liquidity = uintAt(held, 0);
  if (sqrtPriceX96 === null || sqrtPriceX96 === 0n || tick === null || liquidity === null)
    return null;
  return { sqrtPriceX96, tick, liquidity };
}

/** The earlier family's record of a V3 pool at the reader's block; undefined where there is none. Rejects with RpcError. */
export async function v3PoolRecord(
  reader: BlockReader,
  address: string,
  parts: Pick<V4PoolParts, "chainId" | "tokens" | "usdOf" | "origins"> & { readonly v3: V3Pools },
) {
  const { chainId, v3, origins } = parts;
  const [state, facts] = await Promise.all([
    v3StateOf(reader, address),
    v3.factsOf(reader, address),
  ]);
  if (state === null || facts === null) return undefined;
  const [pair, amount0, amount1] = await Promise.all([
    pricedPair(reader, [facts.token0, facts.token1], address, parts),
    balanceIn(reader, facts.token0, address),
    balanceIn(reader, facts.token1, address),
  ]);
  const amounts = amount0 === null || amount1 === null ? null : { amount0, amount1 };
  const origin = origins.of({ kind: "v3", id: address }, reader.header);
  const priced = { ...pair, amounts, origin };
  const { tick, liquidity, sqrtPriceX96 } = state;
  return {
    chain_id: chainId,
    pool_address: address,
    token0: facts.token0,
    token1: facts.token1,
    fee_tier: facts.fee,
    ...earlierState({ ...priced, liquidity, slot0: { sqrtPriceX96, tick } }),
  };
}

/** The earlier family's record of a V4 pool. */
export function earlierV4Record(state: V4PoolState, chainId: number) {
  const { id, key } = state;
  return {
    chain_id: chainId,
    pool_id: id,
    hook_address: key?.hooks ?? null,
    token0: key?.currency0 ?? null,
    token1: key?.currency1 ?? null,
    fee_tier: key?.fee ?? null,
    ...earlierState(state),
  };
}

interface EarlierState
  extends Pick<V4PoolState, "liquidity" | "amounts" | "usd0" | "usd1" | "origin"> {
  readonly slot0: { readonly sqrtPriceX96: bigint; readonly tick: number };
  readonly token0: TokenFacts | null;
  readonly token1: TokenFacts | null;
}

/** What the earlier family tells alike of pools of both versions. What a node without an index cannot know is null. */
function earlierState({
  slot0,
  liquidity,
  amounts,
  token0,
  token1,
  usd0,
  usd1,
  origin,
}: EarlierState) {
  const { sqrtPriceX96, tick } = slot0;
  const decimals = [token0?.decimals ?? null, token1?.decimals ?? null] as const;
  const [decimals0, decimals1] = decimals;
  const isPriced = decimals0 !== null && decimals1 !== null;
  const initial = origin?.initial ?? null;
  const tvl = amounts === null ? null : tvlOf(amounts, decimals, [usd0, usd1]);
  return {
    initial_tick: initial?.tick ?? null,
    initial_sqrt_price_x96: initial === null ? null : Number(initial.sqrtPriceX96),
    swap_count: null,
    liquidity: liquidity.toString(),
    sqrt_price_x96: sqrtPriceX96.toString(),
    tick,
    token0_price: isPriced ? plainNumber(priceOf(sqrtPriceX96, decimals0, decimals1)) : null,
    token1_price: isPriced ? plainNumber(inversePriceOf(sqrtPriceX96, decimals0, decimals1)) : null,
    total_value_locked_usd: tvl?.toFixed(2) ?? null,
    volume_24h: null,
    fees_24h: null,
    created_at_timestamp: origin === null ? null : isoTime(origin.time),
    created_at_block_number: origin?.block ?? null,
  };
}
