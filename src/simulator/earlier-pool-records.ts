import { DAY } from "../base/duration.ts";
import type { EarlierPoolState } from "./earlier-pools.ts";
import { isoTime } from "./iso.ts";
import type { Pool, PoolState } from "./pools.ts";
import { tickOf } from "./tick.ts";
import { cents } from "./units.ts";

/** What the earlier family tells of a pool of either version, at a time (epoch ms). */
export function earlierState(pool: Pool, state: PoolState, at: number): EarlierPoolState {
  const { listed, created, moves, trades } = pool;
  const initial = trades.sqrtPriceX96(0);
  const dayAgo = pool.lifetime(Math.max(moves.latest(at - DAY), 0)).usd;
  const { usd } = pool.lifetime(state.move);
  const fees = (dollars: number): number => cents((dollars * listed.meanFee) / 1e6);
  return {
    token0: listed.token0.address,
    token1: listed.token1.address,
    fee_tier: listed.fee,
    initial_tick: tickOf(initial),
    initial_sqrt_price_x96: Number(initial),
    swap_count: state.swapCount,
    liquidity: state.reserves.active.toString(),
    sqrt_price_x96: state.sqrtPriceX96.toString(),
    tick: state.tick,
    token0_price: plain(state.price0),
    token1_price: plain(1 / state.price0),
    total_value_locked_usd: cents(state.reserves.usd).toFixed(2),
    volume_24h: (cents(usd) - cents(dayAgo)).toFixed(2),
    fees_24h: (fees(usd) - fees(dayAgo)).toFixed(2),
    created_at_timestamp: isoTime(created.time).replace("Z", "+00:00"),
    created_at_block_number: created.block,
  };
}

/** A number without an exponent, to 18 digits after the point. */
function plain(value: number): string {
  return value.toFixed(18).replace(/\.?0+$/, "");
}
