import { describe, expect, it } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import type { History, Target } from "../../src/kinds/kind.ts";
import type { RawRecord, Subject } from "../../src/model/index.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 28, 12, 30);
const TOKEN = `0x${"a0".repeat(20)}`;
const POOL = `0x${"ab".repeat(32)}`;

function subjectOf(kind: string, more: Partial<Target> = {}): Subject {
  const target = { chainId: 1, id: TOKEN, protocol: null, name: null, ...more };
  const found = KINDS.get(kind);
  if (found === undefined) throw new Error(kind);
  return found.subject(target);
}

function historyOf(subject: Subject, metric: string, ms: number): History {
  const kind = KINDS.get(subject.kind);
  const history = kind?.history?.(subject, metric, NOW - ms, NOW, []) ?? null;
  if (history === null || history === "later") throw new Error(String(history));
  return history;
}

function read(history: History, metric: string, records: readonly RawRecord[]): unknown[] {
  const points = history.points({ status: "ok", records }, metric);
  return points.map(([date, value]) => [new Date(date).toISOString(), value?.toString() ?? null]);
}

describe("the past of a state record", () => {
  it("dates days at their end, leaves out the one that runs, and keeps what is malformed as no data", () => {
    const history = historyOf(subjectOf("token_supply"), "total_supply", 2 * DAY);
    expect(history.spacingMs).toBe(DAY);
    expect(history.ask).toMatchObject({
      record: "supply_point",
      from: "2026-11-23",
      to: "2026-11-28",
    });
    const huge = (2n ** 256n - 1n).toString();
    expect(
      read(history, "total_supply", [
        { date: "2026-11-28", total_supply: "5" },
        { date: "2026-11-27", total_supply: huge },
        { date: "2026-11-26", total_supply: "-1" },
        { date: "soon", total_supply: "1" },
      ]),
    ).toEqual([
      ["2026-11-27T00:00:00.000Z", null],
      ["2026-11-28T00:00:00.000Z", huge],
    ]);
  });

  it("asks for 365 days of a wallet's balance at most", () => {
    const wallet = `0x${"11".repeat(20)}`;
    const history = historyOf(subjectOf("token_balance", { wallet }), "balance", 900 * DAY);
    expect(history.ask).toMatchObject({ record: "balance_point", wallet, to: "2026-11-28" });
    const { from = "", to = "" } = history.ask;
    expect((Date.parse(to) - Date.parse(from)) / DAY + 1).toBe(365);
    expect(read(history, "balance", [{ date: "2026-11-27T23:10:00Z", balance: "7" }])).toEqual([
      ["2026-11-28T00:00:00.000Z", "7"],
    ]);
  });

  it("takes hours of a pool's tick, and days where the hours are more than a page", () => {
    const pool = subjectOf("v4_pool", { id: POOL });
    const hours = historyOf(pool, "current_tick", 6 * HOUR);
    expect(hours.ask).toMatchObject({ record: "v4_pool_point", id: POOL, period: "h", limit: 10 });
    expect(
      read(hours, "current_tick", [
        { date: "2026-11-28T11:00:00Z", tick: -199_890 },
        { date: "2026-11-28T12:00:00Z", tick: 1 },
      ]),
    ).toEqual([["2026-11-28T12:00:00.000Z", "-199890"]]);
    expect(historyOf(pool, "current_tick", 996 * HOUR).ask).toMatchObject({
      period: "h",
      limit: 1_000,
    });
    expect(historyOf(pool, "current_tick", 997 * HOUR).ask).toMatchObject({
      period: "d",
      limit: 46,
    });
    expect(historyOf(subjectOf("v3_pool"), "tick", HOUR).ask.record).toBe("v3_pool_point");
    expect(historyOf(subjectOf("v4_pool_24h", { id: POOL }), "tick", HOUR).ask.record).toBe(
      "v4_pool_point",
    );
  });

  it("takes hours of a token's prices, and not the 0 of a token with a market", () => {
    const history = historyOf(subjectOf("token_price"), "price_usd", 2 * HOUR);
    const records = [
      { date: "2026-11-28T10:00:00Z", price_usd: 0, price_eth: 0.1 },
      { date: "2026-11-28T11:00:00Z", price_usd: 0.999, price_eth: 0.1 },
    ];
    expect(read(history, "price_usd", records)).toEqual([
      ["2026-11-28T11:00:00.000Z", null],
      ["2026-11-28T12:00:00.000Z", "0.999"],
    ]);
  });

  it("asks for 90 days of gas at most, and for none that every round asks for", () => {
    const chain = subjectOf("gas", { id: null });
    const history = historyOf(chain, "tip_top10", 90 * DAY);
    const { from = "", to = "" } = history.ask;
    expect((Date.parse(to) - Date.parse(from)) / DAY + 1).toBe(90);
    expect(() => historyOf(chain, "tip_top10", DAY)).toThrow("null");
    const hour = (text: string): RawRecord => ({
      hour: text,
      avg_priority_fee_top10_threshold: "5",
      avg_base_fee: "7",
    });
    const records = [hour("2026-11-28T11:00:00Z"), hour("2026-11-28T12:00:00Z")];
    expect(read(history, "price_top10", records)).toEqual([["2026-11-28T11:00:00.000Z", "12"]]);
  });

  it("has none for what the service keeps no history of", () => {
    expect(() => historyOf(subjectOf("v4_pool", { id: POOL }), "tvl_usd", DAY)).toThrow("null");
    expect(() => historyOf(subjectOf("token_price"), "market_cap_usd", DAY)).toThrow("null");
  });
});
