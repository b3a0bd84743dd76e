import { describe, expect, it } from "vitest";
import type { EndpointName } from "../../src/api/endpoints.ts";
import { newestTime } from "../../src/fetch/resilience/health.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";

const ask = (period?: "h" | "d"): Ask => ({
  key: "k",
  record: "v4_pool",
  chainId: 1,
  id: "",
  ...(period === undefined ? {} : { period }),
});
const of = (endpoint: EndpointName, records: readonly RawRecord[], period?: "h" | "d") =>
  newestTime(endpoint, [ask(period)], [{ status: "ok", records }]);
const TWO = Date.UTC(2026, 10, 27, 14) / 1_000;

describe("the newest time in an answer", () => {
  it.each<[EndpointName, RawRecord, number]>([
    ["v4_pool", { timestamp: "1764201600" }, 1_764_201_600],
    ["v4_position", { timestamp: 1_764_201_600 }, 1_764_201_600],
    ["v4_swaps", { timestamp: "2026-11-27T14:00:00Z" }, TWO],
    ["v3_swaps", { timestamp: "2026-11-27T14:00:00.000Z" }, TWO],
    ["v4_modify_liquidity", { tx_at_timestamp: "1764201600" }, 1_764_201_600],
    ["legacy_token_price", { last_updated: "2026-11-27T15:00:00+01:00" }, TWO],
    ["gas_hourly", { hour: "2026-11-27T13:00:00Z" }, TWO],
    ["supply_history", { date: "2026-11-26" }, TWO - 14 * 3_600],
  ])("of %s is what its records tell, of buckets their end", (endpoint, record, wanted) => {
    expect(of(endpoint, [record])).toBe(wanted);
  });

  it("of a history depends on its period", () => {
    const points = [{ date: "2026-11-27T13:00:00Z" }, { date: "2026-11-27T12:00:00Z" }];
    expect(of("v4_pool_history", points, "h")).toBe(TWO);
    expect(of("legacy_price_history", points, "d")).toBe(TWO - 3_600 + 86_400);
  });

  it("is the newest of all asks, and malformed ones do not count", () => {
    const answers: Answer[] = [
      { status: "ok", records: [{ timestamp: "5" }] },
      { status: "absent" },
      { status: "ok", records: [{ timestamp: "7" }, { timestamp: null }, { timestamp: "-9" }] },
    ];
    expect(newestTime("v4_pool", [], answers)).toBe(7);
    for (const timestamp of [null, undefined, "", "now", {}, true, "-1"]) {
      expect(of("v4_pool", [{ timestamp }])).toBeNull();
    }
  });

  it("is not known of records that do not tell", () => {
    expect(of("supply", [{ total_supply: "1", timestamp: "5" }])).toBeNull();
    expect(of("v3_pool", [{ created_at_timestamp: "2026-11-27T14:00:00Z" }])).toBeNull();
    expect(of("gas_hourly", [])).toBeNull();
  });
});
