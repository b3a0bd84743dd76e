import { describe, expect, it } from "vitest";
import { calledBy } from "../../src/decide/event.ts";
import { gas } from "../../src/kinds/gas.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import type { Answer, RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, gasHour, ok } from "./records.ts";

const subject = gas.subject({ chainId: 1, id: null, protocol: null, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);
const HOUR = 3_600_000;

function read(answer: Answer | undefined, date = NOW): Reading {
  return gas.read(subject, () => answer, date);
}

function starts(...records: RawRecord[]): string[] {
  return read(ok(...records)).rows.map((row) =>
    new Date(row.date ?? 0).toISOString().slice(11, 16),
  );
}

describe("gas", () => {
  it("is one subject a chain, named like the chain", () => {
    expect(subject).toEqual({ key: "gas:1", kind: "gas", chainId: 1, ids: {}, name: null });
    expect(read(ok()).describe()).toMatchObject({ label: "Ethereum", chain: "Ethereum" });
    const odd = gas.subject({ chainId: 4663, id: null, protocol: null, name: null });
    expect(gas.read(odd, () => ok(), NOW).describe()).toMatchObject({
      label: "chain 4663",
      link: null,
    });
    const named = gas.subject({ chainId: 1, id: null, protocol: null, name: "Main\u202enet" });
    expect(calledBy(named.name, gas.read(named, () => ok(), NOW).describe()).label).toBe("Mainnet");
  });

  it.each([
    ["2026-11-27T14:20:00Z", "2026-11-26", "2026-11-28"],
    ["2026-11-27T00:00:00Z", "2026-11-26", "2026-11-28"],
    ["2026-11-26T23:59:59.999Z", "2026-11-25", "2026-11-27"],
    ["2026-03-01T00:00:01Z", "2026-02-28", "2026-03-02"],
    ["2027-01-01T00:00:01Z", "2026-12-31", "2027-01-02"],
  ])("asks at %s for the days %s to %s in UTC", (date, from, to) => {
    const asks = gas.asks(subject, Date.parse(date));
    const key = `gas_hour:1:${from}:${to}`;
    expect(asks).toEqual([{ key, record: "gas_hour", chainId: 1, id: "", from, to }]);
    expect(gas.follow(subject, answersOf({}))).toEqual([]);
  });

  it("makes a sample of each hour, dated by its start, oldest first", () => {
    const first = gasHour("2026-11-27T12:00:00Z");
    const second = gasHour("2026-11-27T13:00:00Z");
    expect(starts(second, first)).toEqual(["12:00", "13:00"]);
  });

  it("drops hours with malformed dates and hours that have not come yet", () => {
    const good = gasHour("2026-11-27T14:00:00Z");
    expect(starts(gasHour("tomorrow"), good, gasHour("2026-11-27T15:00:00Z"))).toEqual(["14:00"]);
  });

  it("allows the service's clock to be five minutes ahead", () => {
    const next = ok(gasHour("2026-11-27T15:00:00Z"));
    const three = Date.UTC(2026, 10, 27, 15);
    expect(read(next, three - 5 * 60_000).rows).toHaveLength(1);
    expect(read(next, three - 5 * 60_000 - 1).rows).toHaveLength(0);
  });

  it("takes the first of two records for one hour", () => {
    const early = gasHour("2026-11-27T13:00:00Z", { avg_base_fee: "1" });
    const late = gasHour("2026-11-27T13:00:00+00:00", { avg_base_fee: "2" });
    const { rows } = read(ok(early, late));
    expect(rows).toHaveLength(1);
    expect(rows[0]?.value("avg_base_fee")?.toString()).toBe("1");
  });

  it("has short names for the tips and the price that is base fee and tip", () => {
    const [row] = read(ok(gasHour("2026-11-27T13:00:00Z"))).rows;
    const value = (name: string): string | undefined => row?.value(name)?.toString();
    expect(value("tip_top5")).toBe("3500000000");
    expect(value("tip_top10")).toBe("2100000000");
    expect(value("tip_min")).toBe("1000000");
    expect(value("tip_max")).toBe("90000000000");
    expect(value("price_top10")).toBe("3600000000");
    expect(value("utilization")).toBe("0.42");
    expect(value("no_such_metric")).toBeUndefined();
  });

  it("has no price without its two parts, and says what is missing", () => {
    const reading = read(ok(gasHour("2026-11-27T13:00:00Z", { avg_base_fee: null })));
    expect(reading.rows[0]?.value("price_top10")).toBeNull();
    expect(reading.rows[0]?.value("tip_top10")).not.toBeNull();
    expect(reading.trouble).toBe("avg_base_fee is null");
  });

  it("says why there are no rows", () => {
    expect(read(undefined)).toMatchObject({ rows: [], trouble: "not asked yet" });
    expect(read(failed("timed out after 10 s"))).toMatchObject({
      rows: [],
      trouble: "timed out after 10 s",
    });
    expect(read({ status: "absent" }).trouble).toBe("not in the answer");
    expect(read(ok(gasHour("soon"))).trouble).toBe("no hour has a good date");
    expect(read(ok(gasHour("2026-11-27T13:00:00Z"))).trouble).toBeNull();
  });

  it("buckets by the hour", () => {
    expect(gas.bucketMs).toBe(HOUR);
  });
});
