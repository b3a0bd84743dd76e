import type { BlockReader } from "./block-reader.ts";
import { type Amounts, feesBetween, growthsInside } from "./fee-growth.ts";
import type { PositionFacts } from "./v4-keys.ts";
import { tvlOf, type V4PoolParts } from "./v4-pools.ts";
import { growthSlots, growthSlotsAfter, poolBase, readSlot0, tickSlot } from "./v4-slots.ts";

/** The slots of a position's fees: price and liquidity, then its last counters, the pool's, and both ticks'. */
const slotsOf = new WeakMap<PositionFacts, readonly string[]>();

function feeSlots(facts: PositionFacts): readonly string[] {
  let slots = slotsOf.get(facts);
  if (slots === undefined) {
    const { poolId, lower, upper, slots: own } = facts;
    const base = poolBase(poolId);
    slots = [
      ...own,
      ...growthSlotsAfter(own[1]),
      ...growthSlots(base),
      ...growthSlotsAfter(tickSlot(base, lower)),
      ...growthSlotsAfter(tickSlot(base, upper)),
    ];
    slotsOf.set(facts, slots);
  }
  return slots;
}

/** What a V4 position has earned since it was changed last, which its next change pays out. Rejects with RpcError. */
export async function v4FeesOf(reader: BlockReader, facts: PositionFacts): Promise<Amounts> {
  const words = await reader.slots(feeSlots(facts));
  const at = (index: number) => ({ growth0: words[index] ?? 0n, growth1: words[index + 1] ?? 0n });
  const { tick } = readSlot0(words[0] ?? 0n);
  const now = growthsInside(tick, facts, at(4), at(6), at(8));
  return feesBetween(words[1] ?? 0n, at(2), now);
}

/** The record of a V4 position's fees at the reader's block; undefined where there is no such position. Rejects with RpcError. */
export async function v4FeesRecord(
  reader: BlockReader,
  nft: string,
  manager: string,
  { chainId, keys, tokens, usdOf }: V4PoolParts,
) {
  const facts = await keys.position(reader, nft);
  if (facts === null) return undefined;
  const { key, poolId } = facts;
  const [fees, token0, token1, usd0, usd1] = await Promise.all([
    v4FeesOf(reader, facts),
    tokens.facts(reader, key.currency0),
    tokens.facts(reader, key.currency1),
    usdOf(reader, key.currency0, poolId),
    usdOf(reader, key.currency1, poolId),
  ]);
  return {
    chain_id: chainId,
    protocol: "dexa",
    manager_address: manager,
    nft_id: nft,
    fees0: fees.amount0.toString(),
    fees1: fees.amount1.toString(),
    fees_usd: tvlOf(fees, [token0.decimals, token1.decimals], [usd0, usd1]),
  };
}
