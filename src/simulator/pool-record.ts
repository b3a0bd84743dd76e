import { DAY } from "../base/duration.ts";
import type { ListedPool, Token } from "./listed-pools.ts";
import { smoothNoise, stream } from "./noise.ts";
import { feesOn, type Pool, type PoolState } from "./pools.ts";
import { cents, seconds, sixDecimals } from "./units.ts";

type TokenRecord = Readonly<Token & { price: number }>;

/** The V4 pool record of the specification. */
export type PoolRecord = Readonly<{
  pool_id: string;
  chain_id: number;
  fee: number;
  tick_spacing: number;
  current_tick: number;
  sqrt_price_x96: string;
  liquidity: string;
  price0: number;
  price1: number;
  amount0: string;
  amount1: string;
  amount0_d: string;
  amount1_d: string;
  volume_token0: string;
  volume_token1: string;
  volume_token0_d: string;
  volume_token1_d: string;
  volume_usd: number;
  collected_fees_token0: string;
  collected_fees_token1: string;
  collected_fees_usd: number;
  tvl_usd: number;
  swap_count: string;
  active_position_count: number;
  block_number: string;
  timestamp: string;
  created_at_block_number: string;
  created_at_timestamp: string;
  token0: TokenRecord;
  token1: TokenRecord;
  hook: Readonly<{ address: string }>;
}>;

/** Tells a pool's record from its state; how many positions are active is the record's own. */
export function recordsOf(
  { chainId, id, fee, tickSpacing, token0, token1, hook, positions, meanFee }: ListedPool,
  pool: Pool,
  seed: number,
  start: number,
): (state: PoolState) => PoolRecord {
  const crowd = stream(seed, `positions:${id}`);
  return (state) => {
    const { price0, usd0, usd1, reserves, updated } = state;
    const { in0, in1, volume0, volume1, usd } = pool.lifetime(state.move);
    return {
      pool_id: id,
      chain_id: chainId,
      fee,
      tick_spacing: tickSpacing,
      current_tick: state.tick,
      sqrt_price_x96: state.sqrtPriceX96.toString(),
      liquidity: reserves.active.toString(),
      price0,
      price1: 1 / price0,
      amount0: reserves.amount0.toString(),
      amount1: reserves.amount1.toString(),
      amount0_d: sixDecimals(reserves.amount0, token0.decimals),
      amount1_d: sixDecimals(reserves.amount1, token1.decimals),
      volume_token0: volume0.toString(),
      volume_token1: volume1.toString(),
      volume_token0_d: sixDecimals(volume0, token0.decimals),
      volume_token1_d: sixDecimals(volume1, token1.decimals),
      volume_usd: cents(usd),
      collected_fees_token0: feesOn(in0, meanFee).toString(),
      collected_fees_token1: feesOn(in1, meanFee).toString(),
      collected_fees_usd: cents((usd * meanFee) / 1e6),
      tvl_usd: cents(reserves.usd),
      swap_count: String(state.swapCount),
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
