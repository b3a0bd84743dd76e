import { describe, expect, it } from "vitest";
import type { RawRecord } from "../../src/model/index.ts";
import { MINUTE, ok, POOL_ID, poolRecord, positionRecord, START, World } from "../support/world.ts";

const GATE_ID = `0x${"cd".repeat(32)}`;
const POOL = `{kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}`;
const POSITION = "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}";

/** What is told of a rule on a pool that says `bad` in the minutes 3 and 4, and `good` in all others. */
async function toldOf(
  { watch = POOL, keys }: { readonly watch?: string; readonly keys: string },
  good: (minute: number) => RawRecord,
  bad: (minute: number) => RawRecord,
  /** Up to this minute the gate holds everything back. */
  gateUntil = 0,
): Promise<readonly string[]> {
  const world = await World.create(`rules:
  - {name: gate, watch: {kind: v4_pool, chain: 1, pools: ["${GATE_ID}"]}, when: {metric: tvl_usd, below: 500}, notify: []}
  - name: level
    watch: ${watch}
    unless: gate
    ${keys}
`);
  world.answer = (ask, date) => {
    const minute = Math.round((date - START) / MINUTE);
    if (ask.id === GATE_ID) {
      return ok(poolRecord({ pool_id: GATE_ID, tvl_usd: minute < gateUntil ? 1 : 1000 }));
    }
    if (ask.record === "v4_position") return ok(positionRecord());
    return ok(poolRecord(minute === 3 || minute === 4 ? bad(minute) : good(minute)));
  };
  await world.minutes(10);
  await world.stop();
  return world.told
    .filter(({ kind }) => kind !== "started")
    .map(({ minute, notice }) => `${minute} ${notice.headline}`);
}

const tvl = (value: number) => (): RawRecord => ({ tvl_usd: value });

describe("an alert that fires on though its condition is over", () => {
  it("is reminded of with what its value is now, and not as if that were still beyond the limit", async () => {
    const keys =
      "when: {metric: tvl_usd, below: 900}\n    resolve_when: {above: 1100}\n    remind: 3m";
    expect(await toldOf({ keys }, tvl(1000), tvl(800))).toEqual([
      "3 🟠 ETH/USDC 0.05% TVL $800, below $900. Ethereum",
      "6 🟠 Still firing: ETH/USDC 0.05% TVL now $1,000, limit $900. For 3 min. Ethereum",
      "9 🟠 Still firing: ETH/USDC 0.05% TVL now $1,000, limit $900. For 6 min. Ethereum",
    ]);
    // The limit is passed once more.
    expect(await toldOf({ keys }, (minute) => tvl(minute > 4 ? 850 : 1000)(), tvl(800))).toEqual([
      "3 🟠 ETH/USDC 0.05% TVL $800, below $900. Ethereum",
      "6 🟠 Still: ETH/USDC 0.05% TVL $850, below $900. For 3 min. Ethereum",
      "9 🟠 Still: ETH/USDC 0.05% TVL $850, below $900. For 6 min. Ethereum",
    ]);
  });

  it("of what moves is reminded of with the change that holds now", async () => {
    const keys = "when: {metric: tvl_usd, moves: 100, within: 20m}\n    remind: 3m";
    const at = (minute: number): RawRecord => tvl(minute > 4 ? 950 : 1000)();
    expect(await toldOf({ keys }, at, tvl(1100))).toEqual([
      "3 🟠 TVL +$100 in 20 min: ETH/USDC 0.05%, limit $100, now $1,100. Ethereum",
      "6 🟠 Still: TVL -$150 in 20 min: ETH/USDC 0.05%, limit $100, now $950. For 3 min",
      "9 🟠 Still: TVL -$150 in 20 min: ETH/USDC 0.05%, limit $100, now $950. For 6 min",
    ]);
  });

  const late: readonly (readonly [when: string, good: number, bad: number, told: string])[] = [
    ["{metric: tvl_usd, above: 1500}", 1000, 2000, "TVL now $1,000, limit $1,500"],
    ["{metric: tvl_usd, at_most: 900}", 1000, 800, "TVL now $1,000, limit $900"],
    ["{metric: tvl_usd, outside: [900, 1200]}", 1000, 800, "TVL now $1,000, inside $900 to $1,200"],
    ["{metric: tvl_usd, inside: [700, 900]}", 1000, 800, "TVL now $1,000, outside $700 to $900"],
    ["{not: {metric: tvl_usd, above: 900}}", 1000, 800, "TVL now $1,000, limit $900"],
    [
      "{not: {metric: tvl_usd, inside: [900, 1200]}}",
      1000,
      800,
      "TVL now $1,000, inside $900 to $1,200",
    ],
    [
      "{not: {metric: tvl_usd, outside: [700, 900]}}",
      1000,
      800,
      "TVL now $1,000, outside $700 to $900",
    ],
  ];
  it.each(late)("is told late with what its value is now: %s", async (when, good, bad, told) => {
    const keys = `when: ${when}\n    resolve_after: 30m`;
    const [line, ...others] = await toldOf({ keys }, tvl(good), tvl(bad), 6);
    expect(others).toEqual([]);
    expect(line).toMatch(/^6 .*\. Fired 3 min ago/);
    expect(line).toContain(`ETH/USDC 0.05% ${told}. `);
  });

  it("is told late as such where it is true once more", async () => {
    const keys = "when: {metric: tvl_usd, below: 900}\n    resolve_after: 30m";
    const lines = await toldOf({ keys }, (minute) => tvl(minute > 5 ? 850 : 1000)(), tvl(800), 6);
    expect(lines).toEqual(["6 🟠 ETH/USDC 0.05% TVL $850, below $900. Since 3 min. Ethereum"]);
  });

  it("says that a position is in its range again", async () => {
    const rule = {
      watch: POSITION,
      keys: "when: {metric: in_range, equals: false}\n    resolve_after: 30m",
    };
    const out = (): RawRecord => ({ current_tick: -198_000 });
    expect(await toldOf(rule, () => ({}), out, 6)).toEqual([
      "6 🟠 In range again: ETH/USDC 0.05% #42 at 2,086.04 USDC/ETH. Fired 3 min ago",
    ]);
  });

  it("says that a value goes on changing", async () => {
    const moving = (minute: number): RawRecord => ({ tvl_usd: minute > 5 ? 1200 : 1000 });
    const keys = "when: {metric: tvl_usd, unchanged: 3m}\n    resolve_after: 30m";
    expect(await toldOf({ keys }, moving, moving, 7)).toEqual([
      "7 🟠 TVL changed again: ETH/USDC 0.05% at $1,200. Fired 3 min ago. Ethereum",
    ]);
  });
});
