import { seconds } from "../../api/written.ts";
import { amountsBetween } from "../../base/ticks.ts";
import { addressAt } from "../codec/words.ts";
import type { BlockReader } from "./block-reader.ts";
import { quotient } from "./price.ts";
import { NATIVE } from "./tokens.ts";
import { tvlOf, type V4PoolParts, written } from "./v4-pools.ts";
import { readSlot0 } from "./v4-slots.ts";

/**
 * The current family's record of a position of V4 itself (`dexa`) at the reader's block: with liquidity 0
 * and no owner where it was burned since it was first read; undefined where there was none then. Rejects with
 * RpcError.
 */
export async function v4PositionRecord(
  reader: BlockReader,
  nft: string,
  manager: string,
  { chainId, keys, tokens, updates, usdOf }: V4PoolParts,
) {
  const facts = await keys.position(reader, nft);
  if (facts === null) return undefined;
  const { key, poolId, lower, upper, sqrtLower, sqrtUpper } = facts;
  const [words, owned, token0, token1, usd0, usd1] = await Promise.all([
    reader.slots(facts.slots),
    reader.call(manager, facts.ownerOf),
    tokens.facts(reader, key.currency0),
    tokens.facts(reader, key.currency1),
    usdOf(reader, key.currency0, poolId),
    usdOf(reader, key.currency1, poolId),
  ]);
  const { sqrtPriceX96 } = readSlot0(words[0] ?? 0n);
  const liquidity = words[1] ?? 0n;
  const ownerWord = owned === null ? null : addressAt(owned, 0);
  const owner = ownerWord === NATIVE ? null : ownerWord;
  const amounts = amountsBetween(sqrtPriceX96, sqrtLower, sqrtUpper, liquidity);
  const { amount0, amount1 } = amounts;
  const [decimals0, decimals1] = [token0.decimals, token1.decimals];
  const updated = updates.note(
    `position:${nft}`,
    `${liquidity}:${owner}:${sqrtPriceX96}`,
    reader.header,
  );
  return {
    chain_id: chainId,
    protocol: "dexa",
    manager_address: manager,
    nft_id: nft,
    pool_id: poolId,
    owner_address: owner,
    lower_tick: lower,
    upper_tick: upper,
    liquidity: liquidity.toString(),
    amount0: amount0.toString(),
    amount1: amount1.toString(),
    amount0_d: written(amount0, decimals0),
    amount1_d: written(amount1, decimals1),
    core_total_usd: tvlOf(amounts, [decimals0, decimals1], [usd0, usd1]),
    ratio: ratioOf(amount0, amount1, sqrtPriceX96),
    block_number: String(updated.block),
    timestamp: seconds(updated.time),
  };
}

/** The share of the value that is in token0, at the pool's own price; null for an empty position. */
export function ratioOf(amount0: bigint, amount1: bigint, sqrtPriceX96: bigint): number | null {
  if (amount0 === 0n && amount1 === 0n) return null;
  // Both in raw units of token1, times 2^192.
  const value0 = amount0 * sqrtPriceX96 * sqrtPriceX96;
  return quotient(value0, value0 + (amount1 << 192n));
}
