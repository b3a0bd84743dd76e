import { describe, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Answer, RawRecord } from "../../src/model/index.ts";
import { backtest } from "../../src/replay/past/backtest.ts";
import { historyPlan } from "../../src/replay/past/histories.ts";
import { needsByKey, needsOf } from "../../src/replay/past/needs.ts";
import { supportOf } from "../../src/replay/past/support.ts";
import { type HistoryTrack, tracksOf } from "../../src/replay/past/tracks.ts";
import { POOL_ID, positionRecord } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 1);
const END = START + 12 * HOUR;

const iso = (hour: number): string =>
  new Date(START + hour * HOUR).toISOString().replace(".000Z", "Z");

/** A rule on what the service tells of twelve hours; `today`: records by the key of their ask. */
async function replayed(
  yaml: string,
  records: readonly RawRecord[],
  today: Record<string, RawRecord> = {},
) {
  const { rules, selfNotify } = setupOf(yaml);
  const needs = rules.map((rule) => needsOf(rule, KINDS));
  const byKey = needsByKey(needs, () => false);
  const answers = new Map(
    Object.entries(today).map(([key, record]): [string, Answer] => [
      key,
      { status: "ok", records: [record] },
    ]),
  );
  const histories = new Map<string, HistoryTrack>();
  for (const [key, need] of byKey) {
    const plan = historyPlan(need, END, (ask) => answers.get(ask.key));
    if (plan !== null)
      histories.set(key, { spacingMs: plan.spacingMs, points: plan.points(records, END) });
  }
  const tracks = tracksOf(byKey, null, histories, new Map());
  const supports = needs.map((one) =>
    supportOf(one, tracks, { from: START, to: END, isAsked: true }),
  );
  const { worlds } = await backtest({
    worlds: [supports.flatMap(({ rule }) => rule ?? [])],
    kinds: KINDS,
    from: START,
    to: END,
    tracks,
    recorded: null,
    lookBackMs: 0,
    selfNotify,
    log: createLogger({ level: "silent", stream: { write: () => true } }),
    stop: new AbortController().signal,
  });
  const told = (worlds[0]?.notices ?? []).map(
    ({ notice }) => `${(notice.at - START) / HOUR}h ${notice.kind}`,
  );
  const firings = (worlds[0]?.stories.all ?? []).flatMap(({ firings: all }) =>
    all.map(({ start, end, extreme }) => [
      (start - START) / HOUR,
      end === null ? null : (end - START) / HOUR,
      extreme,
    ]),
  );
  return { told, firings, refusals: supports.map(({ refusal }) => refusal) };
}

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
    const { told, firings } = await replayed(
      rule,
      gasHours([3, 3, 6, 8, 4.5, 3, 3, 9, 3, 3, 3, 3]),
    );
    // The hour that begins at 2h is over at 3h; 4.5 gwei is not below 4.
    expect(told).toEqual(["3h fired", "6h resolved", "8h fired", "9h resolved"]);
    expect(firings).toEqual([
      [3, 6, "8000000000"],
      [8, 9, "9000000000"],
    ]);
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
    const { told } = await replayed(rule, poolHours(ticks), { "v4_position:1:dexa:42": position });
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
      poolHours([1, 2, 3]),
    );
    expect(told).toEqual([]);
    expect(refusals).toEqual([
      "tvl_usd: no daemon recorded it, and the service keeps no history of it",
      "its window of 15 min is shorter than the 1 h between two points of its history",
    ]);
  });
});
