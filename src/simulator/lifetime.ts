import type { PoolListing } from "./listed-pools.ts";
import type { Moves } from "./moves.ts";
import type { ScriptEvent } from "./script.ts";
import { type SumRow, Sums, sharedSums } from "./sums.ts";
import type { Traded, Trades } from "./trades.ts";

/** What was traded since a pool was initialized; raw units. */
export interface Lifetime {
  readonly in0: bigint;
  readonly in1: bigint;
  readonly volume0: bigint;
  readonly volume1: bigint;
  /** US dollars, by what token1 cost at the time. */
  readonly usd: number;
}

/** Sums are kept for every so many legs, which take a few microseconds to go through. */
const STRIDE = 8;

export interface LifetimeSurroundings {
  readonly moves: Moves;
  readonly trades: Trades;
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  /** US dollars for one token1 at a time (epoch ms). */
  readonly quote: (at: number) => number;
}

/**
 * The sums over all moves up to one, exact. What lies before the newest move asked for is summed up
 * once, at about half a millisecond for a day.
 */
export function lifetimesOf(
  listed: PoolListing,
  { moves, trades, seed, start, script, quote }: LifetimeSurroundings,
): (move: number) => Lifetime {
  const { perLeg } = moves;
  const perRow = STRIDE * perLeg;
  const whole1 = trades.lot1 / 10 ** listed.token1.decimals;
  const quietRows = (): number => {
    const quiet = moves.latest(start + Math.min(...script.map(({ at }) => at)) - 1);
    return Math.max(Math.floor((quiet - 1) / perRow), 0);
  };
  const shared = sharedSums(seed, listed.id);

  /** A row and what the moves after it up to one trade. */
  const upTo = (row: SumRow, from: number, to: number): SumRow => {
    const traded: Traded = { in0: 0, out0: 0, in1: 0, out1: 0 };
    let { usd } = row;
    for (let move = from; move < to; ) {
      const leg = Math.floor(move / perLeg) * perLeg;
      const next = Math.min(leg + perLeg, to);
      const before = traded.in1 + traded.out1;
      trades.add(traded, move, next);
      usd += (traded.in1 + traded.out1 - before) * whole1 * quote(moves.timeOf(leg));
      move = next;
    }
    return {
      in0: row.in0 + BigInt(traded.in0),
      out0: row.out0 + BigInt(traded.out0),
      in1: row.in1 + BigInt(traded.in1),
      out1: row.out1 + BigInt(traded.out1),
      usd,
    };
  };
  /** `sums` begins with row `first`. */
  const rowOf = (sums: Sums, first: number, index: number): SumRow => {
    while (first + sums.length <= index) {
      const from = (first + sums.length - 1) * perRow;
      sums.push(upTo(sums.row(sums.length - 1), from, from + perRow));
    }
    return sums.row(index - first);
  };
  // From the last row on that comes before the script.
  const ownFirst = script.length === 0 ? Number.POSITIVE_INFINITY : quietRows();
  let own: Sums | undefined;
  const rowAt = (index: number): SumRow => {
    if (index <= ownFirst) return rowOf(shared, 0, index);
    own ??= new Sums(rowOf(shared, 0, ownFirst));
    return rowOf(own, ownFirst, index);
  };

  const [lot0, lot1] = [BigInt(trades.lot0), BigInt(trades.lot1)];
  return (move) => {
    const index = Math.floor(move / perRow);
    const sum = upTo(rowAt(index), index * perRow, move);
    return {
      in0: sum.in0 * lot0,
      in1: sum.in1 * lot1,
      volume0: (sum.in0 + sum.out0) * lot0,
      volume1: (sum.in1 + sum.out1) * lot1,
      usd: sum.usd,
    };
  };
}
