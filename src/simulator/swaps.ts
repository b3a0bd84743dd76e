import type { LiquidityEntry, SwapEntry } from "./earlier-pools.ts";
import type { ListedPool } from "./listed-pools.ts";
import { managerOf } from "./listed-positions.ts";
import { stream, uniform } from "./noise.ts";
import type { Pool } from "./pools.ts";
import { hexOf, isoTime, seconds, tickOf } from "./units.ts";

/** Who trades in a pool: so many wallets, through so many routers. */
const WALLETS = 400;
const ROUTERS = 3;

/**
 * The swaps of a pool up to a time (epoch ms), newest first: `limit` at most, after `offset` others.
 * A transaction of two swaps that look alike is told as two equal entries, each with half of what
 * the two trade and with what the transaction left behind.
 */
export function swapsOf(
  pool: Pool,
  seed: number,
): (limit: number, offset: number, at: number) => readonly SwapEntry[] {
  const { moves, trades, book, listed } = pool;
  const hashes = stream(seed, `transactions:${listed.id}`);
  const who = stream(seed, `traders:${listed.id}`);
  const wallets = stream(seed, "wallets");
  const routers = stream(seed, `routers:${listed.chainId}`);
  const [lot0, lot1] = [BigInt(trades.lot0), BigInt(trades.lot1)];

  const entryOf = (move: number): SwapEntry => {
    const { lots0, lots1 } = trades.trade(move);
    const halves = moves.isDouble(move) ? 2n : 1n;
    const sqrtPriceX96 = trades.sqrtPriceX96(move);
    const tick = tickOf(sqrtPriceX96);
    const time = moves.timeOf(move);
    const wallet = Math.floor(uniform(who, 2 * move) ** 2 * WALLETS);
    const router = Math.floor(uniform(who, 2 * move + 1) * ROUTERS);
    return {
      transaction_hash: hexOf(hashes, move, 64),
      block_number: moves.blockOf(move),
      timestamp: isoTime(time),
      sender: hexOf(routers, router, 40),
      recipient: hexOf(wallets, wallet, 40),
      // A lot is an even number of raw units, so there is an exact half.
      amount0: signed((BigInt(lots0) * lot0) / halves),
      amount1: signed((BigInt(lots1) * lot1) / halves),
      sqrt_price_x96: sqrtPriceX96.toString(),
      tick,
      liquidity: trades.depth(book.countAt(time)).activeAt(tick).toString(),
    };
  };

  return (limit, offset, at) => {
    const newest = moves.swapsUpTo(moves.latest(at)) - offset;
    const oldest = Math.max(newest - limit + 1, 1);
    const entries: SwapEntry[] = [];
    let move = -1;
    let entry: SwapEntry | undefined;
    for (let swap = newest; swap >= oldest; swap -= 1) {
      const next = moves.moveOfSwap(swap);
      if (entry === undefined || next !== move) entry = entryOf(next);
      move = next;
      entries.push(entry);
    }
    return entries;
  };
}

/** With a sign, `+` above zero. */
function signed(amount: bigint): string {
  return amount > 0n ? `+${amount}` : amount.toString();
}

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
