import type { SwapEntry } from "./earlier-pools.ts";
import { hexOf } from "./hex.ts";
import { isoTime } from "./iso.ts";
import { stream, uniform } from "./noise.ts";
import type { Pool } from "./pools.ts";
import { tickOf } from "./tick.ts";

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
export function signed(amount: bigint): string {
  return amount > 0n ? `+${amount}` : amount.toString();
}
