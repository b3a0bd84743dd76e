import { cents, isoTime, seconds, signed, sixDecimals } from "../api/written.ts";
import { DAY, HOUR } from "../base/duration.ts";
import type { Period } from "../serve/world.ts";
import type { ListedPool } from "./listed-pools.ts";
import { smoothNoise, stream, uniform } from "./noise.ts";
import { isDouble, moveOfSwap, type Pool, type PoolState, swapsUpTo } from "./pools.ts";
import { managerOf } from "./positions.ts";
import type { Story } from "./script.ts";
import { priceRangeOf } from "./token-price.ts";
import { hexOf, tickOf } from "./units.ts";

/**
 * What is told of pools, in the specification's words of both families. Raw amounts, liquidity and
 * sqrt prices are whole numbers in text; what differs from family to family is as it has it. In
 * lists, `size` and `offset` are whole numbers from 0; past the end a list is empty.
 */

/** What is paid on a volume, of which half goes in; `fee` in hundredths of a basis point. */
function feesOn(volume: bigint, fee: number): bigint {
  return (volume * BigInt(fee)) / 2_000_000n;
}

function feesUsd(usd: number, fee: number): number {
  return cents((usd * fee) / 1e6);
}

/** The current family's record of a V4 pool; how many positions are active is the record's own. */
export function currentRecord(
  { chainId, id, fee, tickSpacing, token0, token1, hook, positions, meanFee }: ListedPool,
  pool: Pool,
  { seed, start }: Story,
) {
  const crowd = stream(seed, `positions:${id}`);
  return (state: PoolState) => {
    const { price0, usd0, usd1, amount0, amount1, updated } = state;
    const { volume0, volume1, usd } = pool.traded(state.move);
    return {
      pool_id: id,
      chain_id: chainId,
      fee,
      tick_spacing: tickSpacing,
      current_tick: state.tick,
      sqrt_price_x96: state.sqrtPriceX96.toString(),
      liquidity: state.active.toString(),
      price0,
      price1: 1 / price0,
      amount0: amount0.toString(),
      amount1: amount1.toString(),
      amount0_d: sixDecimals(amount0, token0.decimals),
      amount1_d: sixDecimals(amount1, token1.decimals),
      volume_token0: volume0.toString(),
      volume_token1: volume1.toString(),
      volume_token0_d: sixDecimals(volume0, token0.decimals),
      volume_token1_d: sixDecimals(volume1, token1.decimals),
      volume_usd: cents(usd),
      collected_fees_token0: feesOn(volume0, meanFee).toString(),
      collected_fees_token1: feesOn(volume1, meanFee).toString(),
      collected_fees_usd: feesUsd(usd, meanFee),
      tvl_usd: cents(state.tvlUsd),
      swap_count: String(swapsUpTo(state.move)),
      active_position_count: Math.round(
        positions * (1 + 0.08 * smoothNoise(crowd, (updated.time - start) / (2 * DAY))),
      ),
      block_number: String(updated.block),
      timestamp: seconds(updated.time),
      created_at_block_number: String(pool.created.block),
      created_at_timestamp: seconds(pool.created.time),
      token0: { ...token0, price: usd0 },
      token1: { ...token1, price: usd1 },
      hook: { address: hook },
    };
  };
}

/** What the earlier family tells of a pool of either version, at a time (epoch ms). */
export function earlierRecord(pool: Pool, state: PoolState, at: number) {
  const { listed, created } = pool;
  const initial = pool.sqrtPriceX96(0);
  const before = pool.traded(Math.max(pool.moves.latest(at - DAY), 0)).usd;
  const { usd } = pool.traded(state.move);
  const fees = feesUsd(usd, listed.meanFee) - feesUsd(before, listed.meanFee);
  return {
    token0: listed.token0.address,
    token1: listed.token1.address,
    fee_tier: listed.fee,
    initial_tick: tickOf(initial),
    // A floating number, which cannot hold all digits of it.
    initial_sqrt_price_x96: Number(initial),
    swap_count: swapsUpTo(state.move),
    liquidity: state.active.toString(),
    sqrt_price_x96: state.sqrtPriceX96.toString(),
    tick: state.tick,
    token0_price: plain(state.price0),
    token1_price: plain(1 / state.price0),
    total_value_locked_usd: cents(state.tvlUsd).toFixed(2),
    volume_24h: (cents(usd) - cents(before)).toFixed(2),
    fees_24h: fees.toFixed(2),
    created_at_timestamp: isoTime(created.time).replace("Z", "+00:00"),
    created_at_block_number: created.block,
  };
}

/** A number without an exponent, to 18 digits after the point. */
function plain(value: number): string {
  return value.toFixed(18).replace(/\.?0+$/, "");
}

/** Who trades in a pool: so many wallets, through so many routers. */
const WALLETS = 400;
const ROUTERS = 3;

/**
 * The swaps of a pool up to a time (epoch ms), newest first: `size` at most, after `offset` others.
 * A transaction of two swaps that look alike is told as two equal entries, each with half of what
 * the two trade and with what the transaction left behind.
 */
export function swapsOf(pool: Pool, { seed }: Story) {
  const { moves, book, listed } = pool;
  const hashes = stream(seed, `transactions:${listed.id}`);
  const who = stream(seed, `traders:${listed.id}`);
  const wallets = stream(seed, "wallets");
  const routers = stream(seed, `routers:${listed.chainId}`);

  const entryOf = (move: number) => {
    const [before, sqrtPriceX96] = [pool.sqrtPriceX96(move - 1), pool.sqrtPriceX96(move)];
    const traded = pool.traded(move).volume1 - pool.traded(move - 1).volume1;
    const in1 = isDouble(move) ? traded / 2n : traded;
    const price = (Number(before) / 2 ** 96) * (Number(sqrtPriceX96) / 2 ** 96);
    const out0 = BigInt(Math.round(Number(in1) / price));
    // From the pool's side: token1 comes in where the price has risen.
    const way = sqrtPriceX96 > before ? 1n : -1n;
    const tick = tickOf(sqrtPriceX96);
    const time = moves.timeOf(move);
    const active = book
      .ranges(book.countAt(time))
      .filter(({ lower, upper }) => lower <= tick && tick < upper)
      .reduce((sum, { liquidity }) => sum + liquidity, 0n);
    return {
      transaction_hash: hexOf(hashes, move, 64),
      block_number: moves.blockOf(move),
      timestamp: isoTime(time),
      sender: hexOf(routers, Math.floor(uniform(who, 2 * move + 1) * ROUTERS), 40),
      recipient: hexOf(wallets, Math.floor(uniform(who, 2 * move) ** 2 * WALLETS), 40),
      amount0: signed(-way * out0),
      amount1: signed(way * in1),
      sqrt_price_x96: sqrtPriceX96.toString(),
      tick,
      liquidity: active.toString(),
    };
  };

  return (size: number, offset: number, at: number) => {
    const newest = swapsUpTo(moves.latest(at)) - offset;
    const count = Math.max(0, Math.min(size, newest));
    let last: { readonly move: number; readonly entry: ReturnType<typeof entryOf> } | undefined;
    return Array.from({ length: count }, (_, i) => {
      const move = moveOfSwap(newest - i);
      if (last?.move !== move) last = { move, entry: entryOf(move) };
      return last.entry;
    });
  };
}

/**
 * The mints and burns of a V4 pool up to a time (epoch ms), newest first: `size` at most, after
 * `offset` others. All go through the manager that mints position NFTs, which salts each position
 * with its NFT's id.
 */
export function liquidityEntriesOf(listed: ListedPool, pool: Pool, { seed }: Story) {
  const { id, chainId } = listed;
  const manager = managerOf(listed);
  const entryOf = (index: number) => {
    const { block, time, lower, upper, delta, nft, transaction } = pool.book.change(index);
    const salt =
      nft === null
        ? hexOf(stream(seed, `salt:${id}:${lower}:${upper}`), 0, 64)
        : `0x${BigInt(nft).toString(16).padStart(64, "0")}`;
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
  return (size: number, offset: number, at: number) => {
    const newest = pool.changesAt(at) - 1 - offset;
    const count = Math.max(0, Math.min(size, newest + 1));
    return Array.from({ length: count }, (_, i) => entryOf(newest - i));
  };
}

const LENGTHS: Readonly<Record<Period, number>> = { d: DAY, h: HOUR };

/**
 * The hours or days (UTC) of a pool up to a time (epoch ms), newest first, from the running one to
 * the one in which it was initialized. A bucket opens at the price that the one before closed with.
 * Volumes and fees are differences of the lifetime figures, so that hours add up to their day.
 */
export function historyOf(pool: Pool) {
  const { listed, created } = pool;
  const { id, chainId, token0, token1, meanFee } = listed;
  const rangeOf = priceRangeOf((at) => pool.prices(at).price0);

  const markAt = (at: number) => {
    const state = pool.state(Math.max(at, created.time));
    if (state === undefined) throw new Error(`pool ${id} has no state after its initialization`);
    const { volume0, volume1, usd } = pool.traded(state.move);
    return {
      state,
      volume0,
      volume1,
      usd: cents(usd),
      fees0: feesOn(volume0, meanFee),
      fees1: feesOn(volume1, meanFee),
      feesUsd: feesUsd(usd, meanFee),
      swaps: swapsUpTo(state.move),
    };
  };
  type Mark = ReturnType<typeof markAt>;

  const pointOf = (begin: number, end: number, earlier: Mark, before: Mark, after: Mark) => {
    const volume0 = after.volume0 - before.volume0;
    const volume1 = after.volume1 - before.volume1;
    const usd = cents(after.usd - before.usd);
    const usdBefore = cents(before.usd - earlier.usd);
    const open = before.state.price0;
    const { low, high } = rangeOf(begin, end);
    const date = isoTime(begin);
    return {
      id: `${id}-${date}`,
      date,
      pool: id,
      liquidity: after.state.active.toString(),
      sqrtPrice: after.state.sqrtPriceX96.toString(),
      tick: after.state.tick,
      volumeToken0: volume0.toString(),
      volumeToken0D: sixDecimals(volume0, token0.decimals),
      volumeToken1: volume1.toString(),
      volumeToken1D: sixDecimals(volume1, token1.decimals),
      volumeUSD: usd,
      volumePercentageChange: usdBefore === 0 ? 0 : cents((usd / usdBefore - 1) * 100),
      collectedFeesToken0: String(after.fees0 - before.fees0),
      collectedFeesToken1: String(after.fees1 - before.fees1),
      collectedFeesUSD: cents(after.feesUsd - before.feesUsd),
      swapCount: String(after.swaps - before.swaps),
      open,
      high: Math.max(high, open),
      low: Math.min(low, open),
      close: after.state.price0,
      chainId,
    };
  };

  return (period: Period, size: number, offset: number, at: number) => {
    const length = LENGTHS[period];
    const newest = Math.floor(at / length) - offset;
    const oldest = Math.floor(created.time / length);
    const count = Math.max(0, Math.min(size, newest - oldest + 1));
    // Two buckets need the mark between them; no mark is made twice.
    const marks = new Map<number, Mark>();
    const mark = (bucket: number): Mark => {
      const found = marks.get(bucket) ?? markAt(Math.min(at, (bucket + 1) * length - 1));
      marks.set(bucket, found);
      return found;
    };
    return Array.from({ length: count }, (_, i) => {
      const bucket = newest - i;
      const end = Math.min(at, (bucket + 1) * length - 1);
      return pointOf(bucket * length, end, mark(bucket - 2), mark(bucket - 1), mark(bucket));
    });
  };
}
