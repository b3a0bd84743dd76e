import { seconds } from "../../api/written.ts";
import { addressAt } from "../codec/words.ts";
import type { Seen } from "../db/seen-table.ts";
import type { BlockReader } from "./block-reader.ts";
import { type Amounts, amountFields, feesBetween, growthsInside } from "./position-amounts.ts";
import type { Records } from "./records.ts";
import { NATIVE, type TokenFacts } from "./tokens.ts";
import type { PositionFacts } from "./v4-keys.ts";
import { pricedPair, tvlOf, type V4PoolParts, v4ManagerOf } from "./v4-pools.ts";
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
  parts: Pick<V4PoolParts, "chainId" | "contracts" | "keys" | "tokens" | "usdOf">,
) {
  const manager = v4ManagerOf(parts);
  const facts = manager === null ? null : await parts.keys.position(reader, nft);
  if (facts === null) return undefined;
  const { key, poolId } = facts;
  const [fees, { token0, token1, usd0, usd1 }] = await Promise.all([
    v4FeesOf(reader, facts),
    pricedPair(reader, [key.currency0, key.currency1], poolId, parts),
  ]);
  return {
    chain_id: parts.chainId,
    protocol: "dexa",
    manager_address: manager,
    nft_id: nft,
    fees0: fees.amount0.toString(),
    fees1: fees.amount1.toString(),
    fees_usd: tvlOf(fees, [token0.decimals, token1.decimals], [usd0, usd1]),
  };
}

/** What positions are read with. */
export interface V4PositionParts extends Omit<V4PoolParts, "pools" | "origins"> {
  /** As they were read last. */
  readonly positions: Records<V4PositionRecord>;
}

export interface V4PositionRecord extends ReturnType<typeof recordOf<object>> {
  readonly nft_id: string;
}

/**
 * The current family's record of a position of V4 itself (`dexa`) at the reader's block: with liquidity 0
 * and no owner where it was burned since it was first read; undefined where there was none then. Rejects with
 * RpcError.
 */
export async function v4PositionRecord(
  reader: BlockReader,
  nft: string,
  parts: V4PositionParts,
): Promise<V4PositionRecord | undefined> {
  const { keys, tokens, updates, usdOf, positions } = parts;
  const manager = v4ManagerOf(parts);
  if (manager === null) return undefined;
  const facts = keys.knownPosition(nft) ?? (await keys.position(reader, nft));
  if (facts === null) return undefined;
  const { currency0, currency1 } = facts.key;
  const owning = reader.call(manager, facts.ownerOf);
  // Where nothing is read, the words say so.
  owning.catch(() => {});
  const words = await reader.words(facts.slots);
  const owned = await owning;
  const token0 = tokens.known(currency0) ?? (await tokens.facts(reader, currency0));
  const token1 = tokens.known(currency1) ?? (await tokens.facts(reader, currency1));
  const usd0 = await usdOf(reader, currency0, facts.poolId);
  const usd1 = await usdOf(reader, currency1, facts.poolId);
  const seen = [words[0], words[1], owned, token0, token1, usd0, usd1];
  const same = positions.get(nft, seen, reader.header);
  if (same !== undefined) {
    updates.same();
    return same;
  }
  const [state, liquidity] = [BigInt(`0x${words[0]}`), BigInt(`0x${words[1]}`)];
  const { sqrtPriceX96 } = readSlot0(state);
  const ownerWord = owned === null ? null : addressAt(owned, 0);
  const owner = ownerWord === NATIVE ? null : ownerWord;
  const now = `${liquidity}:${owner}:${sqrtPriceX96}`;
  const updated = updates.note(`position:${nft}`, now, reader.header);
  const record = recordOf(
    { chain_id: parts.chainId, protocol: "dexa", manager_address: manager, nft_id: nft } as const,
    { facts, sqrtPriceX96, liquidity, owner, tokens: [token0, token1], usd: [usd0, usd1] },
    updated,
  );
  positions.put(nft, seen, updated.block, record);
  return record;
}

/** A position and what is known of its tokens. */
interface PositionState {
  readonly facts: PositionFacts;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly owner: string | null;
  readonly tokens: readonly [TokenFacts, TokenFacts];
  readonly usd: readonly [number | null, number | null];
}

function recordOf<Id>(
  id: Id,
  { facts, sqrtPriceX96, liquidity, owner, tokens, usd }: PositionState,
  updated: Pick<Seen, "block" | "time">,
) {
  const { poolId, lower, upper, sqrtLower, sqrtUpper } = facts;
  const decimals = [tokens[0].decimals, tokens[1].decimals] as const;
  return {
    ...id,
    pool_id: poolId,
    owner_address: owner,
    ...amountFields({ lower, upper, sqrtLower, sqrtUpper, sqrtPriceX96, liquidity, decimals, usd }),
    block_number: String(updated.block),
    timestamp: seconds(updated.time),
  };
}
