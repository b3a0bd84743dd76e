import { seconds } from "../../api/written.ts";
import { addressAt } from "../codec/words.ts";
import type { Seen } from "../db/seen-table.ts";
import type { BlockReader } from "./block-reader.ts";
import { amountFields } from "./position-amounts.ts";
import type { Records } from "./records.ts";
import { NATIVE, type TokenFacts } from "./tokens.ts";
import type { PositionFacts } from "./v4-keys.ts";
import type { V4PoolParts } from "./v4-pools.ts";
import { readSlot0 } from "./v4-slots.ts";

/** What positions are read with. */
export interface V4PositionParts extends Omit<V4PoolParts, "pools" | "origins"> {
  /** As they were read last. */
  readonly positions: Records<V4PositionRecord>;
}

interface V4PositionRecord extends ReturnType<typeof recordOf<object>> {
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
  manager: string,
  parts: V4PositionParts,
): Promise<V4PositionRecord | undefined> {
  const { keys, tokens, updates, usdOf, positions } = parts;
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
