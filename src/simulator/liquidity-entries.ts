import type { LiquidityEntry } from "./earlier-pools.ts";
import { hexOf } from "./hex.ts";
import type { ListedPool } from "./listed-pools.ts";
import { managerOf } from "./listed-positions.ts";
import { stream } from "./noise.ts";
import type { Pool } from "./pools.ts";
import { signed } from "./swaps.ts";
import { seconds } from "./units.ts";

/**
 * The mints and burns of a V4 pool up to a time (epoch ms), newest first: `limit` at most, after
 * `offset` others. All go through the manager that mints position NFTs, which salts each position
 * with its NFT's id.
 */
export function liquidityEntriesOf(
  { id, chainId, protocol }: ListedPool,
  pool: Pool,
  seed: number,
): (limit: number, offset: number, at: number) => readonly LiquidityEntry[] {
  const manager = managerOf(protocol, chainId);
  const entryOf = (index: number): LiquidityEntry => {
    const { block, time, lower, upper, delta, nft, transaction } = pool.book.change(index);
    const salt =
      nft === null ? hexOf(stream(seed, `salt:${id}:${lower}:${upper}`), 0, 64) : saltOf(nft);
    return {
      id: `${id}-${index + 1}`,
      pool_id: id,
      pool_entity_id: `${chainId}-${id}`,
      liquidity_delta: signed(delta),
      salt,
      sender_id: `${chainId}-${manager.toLowerCase()}`,
      sender: manager,
      tick_lower: lower,
      tick_upper: upper,
      hash: hexOf(stream(seed, `modify:${id}:${transaction}`), 0, 64),
      tx_at_timestamp: seconds(time),
      tx_at_block_number: String(block),
    };
  };
  return (limit, offset, at) => {
    if (at < pool.created.time) return [];
    const newest = pool.changesAt(at) - 1 - offset;
    const entries: LiquidityEntry[] = [];
    for (let index = newest; index >= 0 && entries.length < limit; index -= 1) {
      entries.push(entryOf(index));
    }
    return entries;
  };
}

/** An NFT's id as 32 bytes. */
function saltOf(nft: string): string {
  return `0x${BigInt(nft).toString(16).padStart(64, "0")}`;
}
