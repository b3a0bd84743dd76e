import { describe, expect, it } from "vitest";
import type { RawRecord } from "../../src/model/index.ts";
import { POOL_ID, positionRecord } from "../support/world.ts";
import { iso, replayed } from "./told-past.ts";

const gasHours = (tips: readonly number[]): RawRecord[] =>
  tips.map((gwei, hour) => ({
    hour: iso(hour),
    block_count: 300,
    tx_count: "1000",
    avg_gas_used: "15000000",
    avg_priority_fee_top10_threshold: String(gwei * 1e9),
  }));

const poolHours = (ticks: readonly number[]): RawRecord[] =>
  ticks.map((tick, hour) => ({ date: iso(hour), tick }));

describe("a backtest of the service's histories", () => {
  it("decides an hour once it has ended, as a daemon that looks once an hour", async () => {
    const rule = `
rules:
  - name: tips
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 5 gwei}
    resolve_when: {below: 4 gwei}
`;
    const { told, firings } = await replayed(rule, {
      gas_hour: gasHours([3, 3, 6, 8, 4.5, 3, 3, 9, 3, 3, 3, 3]),
    });
    // The hour that begins at 2h is over at 3h; 4.5 gwei is not below 4.
    expect(told).toEqual(["3h fired", "6h resolved", "8h fired", "9h resolved"]);
    expect(firings).toEqual([
      [3, 6, "8000000000"],
      [8, 9, "9000000000"],
    ]);
  });

  it("of several metrics says how far the one went that fired", async () => {
    const rule = `
rules:
  - name: busy
    watch: {kind: gas, chain: ethereum}
    when: {any: [{metric: tip_top10, above: 5 gwei}, {metric: tx_count, above: 5000}]}
`;
    const tips = [3, 3, 3, 8, 3, 3, 3, 3, 3, 3, 3, 3];
    const hours = gasHours(tips).map((hour, i) => (i === 2 ? { ...hour, tx_count: "9000" } : hour));
    const { firings } = await replayed(rule, { gas_hour: hours });
    expect(firings).toEqual([[3, 5, "9000"]]);
  });

  it("holds a position's range against the ticks of its pool", async () => {
    const rule = `
rules:
  - name: range
    watch: {kind: v4_position, positions: [{id: 42, chain: ethereum, protocol: dexa}]}
    when: {metric: in_range, equals: false}
    for: 1h
`;
    const position = positionRecord({ lower_tick: 100, upper_tick: 200 });
    const ticks = [150, 150, 99, 99, 100, 200, 150, 150, 250, 250, 250, 199];
    const { told } = await replayed(
      rule,
      { v4_pool_point: poolHours(ticks) },
      { "v4_position:1:dexa:42": position },
    );
    // Out from 3h, held for an hour at 4h; back at 5h; out for one look at 6h; out from 9h.
    expect(told).toEqual(["4h fired", "5h resolved", "10h fired", "12h resolved"]);
  });

  it("refuses what no history tells, and a window shorter than its points", async () => {
    const { refusals, told } = await replayed(
      `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: $5}
  - name: quick
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: current_tick, moves: 10 ticks, within: 15m}
`,
      { v4_pool_point: poolHours([1, 2, 3]) },
    );
    expect(told).toEqual([]);
    expect(refusals).toEqual([
      "tvl_usd: no daemon recorded it, and the service keeps no history of it",
      "its window of 15 min is shorter than the 1 h between two points of its history",
    ]);
  });
});
