import { DAY, HOUR } from "../base/duration.ts";
import type { Period } from "../serve/world.ts";
import type { PoolPoint } from "./earlier-pools.ts";
import type { Lifetime } from "./lifetime.ts";
import { feesOn, type Pool, type PoolState } from "./pools.ts";
import { cents, isoTime, sixDecimals } from "./units.ts";

const LENGTHS: Readonly<Record<Period, number>> = { d: DAY, h: HOUR };

/** A pool at an end of a bucket, and what was traded until then. */
interface Mark {
  readonly state: PoolState;
  readonly life: Lifetime;
}

/**
 * The hours or days (UTC) of a pool up to a time (epoch ms), newest first, from the running one to
 * the one in which it was initialized. A bucket opens at the price that the one before closed with.
 * Volumes and fees are differences of the lifetime figures, so that hours add up to their day.
 */
export function historyOf(
  pool: Pool,
): (period: Period, limit: number, offset: number, at: number) => readonly PoolPoint[] {
  const { listed, created, moves, trades } = pool;
  const { id, chainId, token0, token1, meanFee } = listed;

  const markAt = (at: number): Mark => {
    const state = pool.state(Math.max(at, created.time));
    if (state === undefined) throw new Error(`pool ${id} has no state after its initialization`);
    // What came before the pool's first block is its initialization.
    return { state, life: pool.lifetime(state.move) };
  };
  const volumeUsd = (before: Mark, after: Mark): number =>
    cents(cents(after.life.usd) - cents(before.life.usd));
  const priceAt = (root: number): number => root * root * 10 ** (token0.decimals - token1.decimals);

  const pointOf = (begin: number, earlier: Mark, before: Mark, after: Mark): PoolPoint => {
    const volume0 = after.life.volume0 - before.life.volume0;
    const volume1 = after.life.volume1 - before.life.volume1;
    const usd = volumeUsd(before, after);
    const usdBefore = volumeUsd(earlier, before);
    const open = trades.root(before.state.move);
    const extremes = { low: open, high: open };
    trades.widen(extremes, before.state.move, after.state.move);
    const date = isoTime(begin);
    return {
      id: `${id}-${date}`,
      date,
      pool: id,
      liquidity: after.state.reserves.active.toString(),
      sqrtPrice: after.state.sqrtPriceX96.toString(),
      tick: after.state.tick,
      volumeToken0: volume0.toString(),
      volumeToken0D: sixDecimals(volume0, token0.decimals),
      volumeToken1: volume1.toString(),
      volumeToken1D: sixDecimals(volume1, token1.decimals),
      volumeUSD: usd,
      volumePercentageChange: usdBefore === 0 ? 0 : cents((usd / usdBefore - 1) * 100),
      collectedFeesToken0: paid(before.life.in0, after.life.in0, meanFee),
      collectedFeesToken1: paid(before.life.in1, after.life.in1, meanFee),
      collectedFeesUSD: cents(
        cents((after.life.usd * meanFee) / 1e6) - cents((before.life.usd * meanFee) / 1e6),
      ),
      swapCount: String(moves.swapsUpTo(after.state.move) - moves.swapsUpTo(before.state.move)),
      open: before.state.price0,
      high: Math.max(priceAt(extremes.high), before.state.price0, after.state.price0),
      low: Math.min(priceAt(extremes.low), before.state.price0, after.state.price0),
      close: after.state.price0,
      chainId,
    };
  };

  return (period, limit, offset, at) => {
    const length = LENGTHS[period];
    const oldest = Math.floor(created.time / length) * length;
    const points: PoolPoint[] = [];
    let begin = Math.floor(at / length) * length - offset * length;
    if (begin < oldest || limit === 0) return points;
    let after = markAt(Math.min(at, begin + length - 1));
    let before = markAt(begin - 1);
    for (; begin >= oldest && points.length < limit; begin -= length) {
      const earlier = markAt(begin - length - 1);
      points.push(pointOf(begin, earlier, before, after));
      [after, before] = [before, earlier];
    }
    return points;
  };
}

/** The difference of two lifetime figures. */
function paid(before: bigint, after: bigint, fee: number): string {
  return (feesOn(after, fee) - feesOn(before, fee)).toString();
}
