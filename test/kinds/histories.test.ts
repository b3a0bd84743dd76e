import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answers, Reading } from "../../src/kinds/kind.ts";
import { poolHistory, poolHistoryDaily } from "../../src/kinds/pool-history.ts";
import { priceHistory, priceHistoryDaily } from "../../src/kinds/price-history.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import {
  ETHER,
  ETHER_INFO,
  earlierPoolRecord,
  pool24hRecord,
  poolPoint,
  pricePoint,
  USDC_INFO,
  USDC_KEY,
  V3_KEY,
  V3_POOL,
} from "./pool-records.ts";
import { answersOf, failed, ok, POOL_ID } from "./records.ts";
import { infoRecord, TOKEN, TOKEN_KEY } from "./token-records.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 27, 14, 20);
const TWO = Date.UTC(2026, 10, 27, 14);

const pools = (id: string, period: string) =>
  poolHistory.subject({ chainId: 1, id, protocol: null, name: null, options: { period } });
const hourly = pools(V3_POOL, "h");
const daily = pools(V3_POOL, "d");

const FACTS: Answers = ({ record, id }: Ask): Answer | undefined => {
  if (record === "v3_pool") return ok(earlierPoolRecord());
  if (record === "v4_pool_24h") return ok(pool24hRecord());
  if (record !== "token_info") return undefined;
  return ok(id === USDC_KEY ? USDC_INFO : id === ETHER.toLowerCase() ? ETHER_INFO : infoRecord());
};

/** Points are what is asked for; facts are known. */
function hours(...points: RawRecord[]): Reading {
  return poolHistory.read(hourly, (ask) => FACTS(ask) ?? ok(...points), NOW);
}

function days(...points: RawRecord[]): Reading {
  return poolHistoryDaily.read(daily, (ask) => FACTS(ask) ?? ok(...points), NOW);
}

const closes = ({ rows }: Reading) =>
  rows.map((row) => [
    new Date(row.date ?? 0).toISOString(),
    row.value("close")?.toString() ?? null,
  ]);

describe("the history of a pool", () => {
  it("is of hours, or of days by an option, each a kind with its own buckets", () => {
    expect(hourly).toMatchObject({ kind: "pool_history", key: `pool_history:1:${V3_KEY}` });
    expect(daily).toMatchObject({
      kind: "pool_history_daily",
      key: `pool_history_daily:1:${V3_KEY}`,
    });
    expect([poolHistory.bucketMs, poolHistoryDaily.bucketMs]).toEqual([HOUR, 24 * HOUR]);
    expect([poolHistory.variantOf, poolHistoryDaily.variantOf]).toEqual([
      undefined,
      "pool_history",
    ]);
    expect([poolHistory.ownTime, poolHistoryDaily.ownTime]).toEqual(["date", "date"]);
  });

  it("is asked for with as many points as the newest and a new rule's windows need", () => {
    expect(poolHistory.asks(hourly, NOW)).toEqual([
      { key: hourly.key, record: "v3_pool_point", chainId: 1, id: V3_KEY, period: "h", limit: 48 },
    ]);
    expect(poolHistoryDaily.asks(daily, NOW)).toMatchObject([{ period: "d", limit: 10 }]);
    const v4 = pools(POOL_ID, "h");
    expect(poolHistory.asks(v4, NOW)).toMatchObject([{ record: "v4_pool_point", id: POOL_ID }]);
  });

  it("has the newest point last, whatever the order", () => {
    const [a, b, c] = ["12", "13", "14"].map((hour, i) =>
      poolPoint(`2026-11-27T${hour}:00:00.000Z`, { close: i + 2080 }),
    );
    const wanted = [
      ["2026-11-27T12:00:00.000Z", "2080"],
      ["2026-11-27T13:00:00.000Z", "2081"],
      ["2026-11-27T14:00:00.000Z", "2082"],
    ];
    if (a === undefined || b === undefined || c === undefined) throw new Error("three hours");
    expect(closes(hours(a, b, c))).toEqual(wanted);
    fc.assert(
      fc.property(fc.shuffledSubarray([a, b, c], { minLength: 3 }), (points) => {
        expect(closes(hours(...points))).toEqual(wanted);
      }),
    );
  });

  it("takes of several points of one bucket that with the latest date, of equal ones the first", () => {
    const early = poolPoint("2026-11-27T14:00:00Z", { close: 2080 });
    const late = poolPoint("2026-11-27T14:10:00Z", { close: 2085 });
    expect(closes(hours(early, late))).toEqual([["2026-11-27T14:00:00.000Z", "2085"]]);
    expect(closes(hours(late, early))).toEqual([["2026-11-27T14:00:00.000Z", "2085"]]);
    const again = poolPoint("2026-11-27T15:00:00+01:00", { close: 2079.5 });
    expect(closes(hours(early, again))).toEqual([["2026-11-27T14:00:00.000Z", "2080"]]);
    expect(closes(hours(again, early))).toEqual([["2026-11-27T14:00:00.000Z", "2079.5"]]);
  });

  it("reads days from dates of any form, and hours only from those that name one", () => {
    for (const date of [
      "2026-11-27",
      "2026-11-27T00:00:00Z",
      "2026-11-27T14:05:00.123Z",
      "2026-11-27T01:00:00+01:00",
    ]) {
      expect(closes(days(poolPoint(date)))).toEqual([["2026-11-27T00:00:00.000Z", "2086.0412345"]]);
    }
    expect(hours(poolPoint("2026-11-27"))).toMatchObject({
      rows: [],
      trouble: "no point has a good date",
    });
  });

  it.each([null, "", "soon", "2026-02-30", 1_795_788_000, {}, "2026-11-27T25:00:00Z"])(
    "leaves a point with the date %j out and keeps the others",
    (date) => {
      const reading = hours(poolPoint(date), poolPoint("2026-11-27T14:00:00Z"));
      expect(reading.rows.map((row) => row.date)).toEqual([TWO]);
      expect(reading.trouble).toBeNull();
    },
  );

  it("leaves buckets that are to come out", () => {
    const reading = hours(
      poolPoint("2026-11-27T15:00:00Z"),
      poolPoint("2036-01-01T00:00:00Z"),
      poolPoint("2026-11-27T14:00:00Z"),
    );
    expect(reading.rows.map((row) => row.date)).toEqual([TWO]);
  });

  it("has its fields in the spelling of rules, exact", () => {
    const [row] = hours(poolPoint("2026-11-27T14:00:00Z")).rows;
    const value = (name: string) => row?.value(name)?.toString() ?? null;
    expect(value("volume_usd")).toBe("257534.06");
    expect(value("sqrt_price")).toBe("3618602270101715334278112");
    expect(value("volume_token0")).toBe("123456789012345678901");
    expect(value("volume_token1_d")).toBe("257534.061234");
    expect(value("volume_percentage_change")).toBe("-12.5");
    expect(value("collected_fees_usd")).toBe("128.77");
    expect(value("swap_count")).toBe("431");
    expect(value("chain_id")).toBe("1");
    expect(value("date")).toBe("1795788000");
    for (const name of ["volumeUSD", "sqrtPrice", "constructor", ""])
      expect(value(name)).toBeNull();
    expect(poolHistory.metrics.get("volume_percentage_change")).toMatchObject({ signed: true });
    expect([...poolHistory.metrics.keys()].every((name) => /^[a-z0-9_]+$/.test(name))).toBe(true);
  });

  it.each([
    ["volume_usd", { volumeUSD: -1 }, "volumeUSD is negative"],
    ["volume_usd", { volumeUSD: null }, "volumeUSD is null"],
    ["swap_count", { swapCount: undefined }, "swapCount is missing"],
    ["tick", { tick: 1e9 }, "tick is malformed"],
    ["liquidity", { liquidity: { toString: "x" } }, "liquidity is malformed"],
    ["close", { high: 1, low: 2 }, "its high is below its low"],
  ])("has no %s in a point with %j", (name, changes, trouble) => {
    const reading = hours(poolPoint("2026-11-27T14:00:00Z", changes));
    expect(reading.rows[0]?.value(name)).toBeNull();
    expect(reading.rows[0]?.value("collected_fees_usd")?.toString()).toBe("128.77");
    expect(reading.trouble).toBe(trouble);
  });

  it("is called by the pool's tokens and knows their decimals", () => {
    const reading = hours(poolPoint("2026-11-27T14:00:00Z"));
    expect(reading.describe()).toMatchObject({
      label: "WETH/USDC 0.05%",
      link: `https://etherscan.io/address/${V3_KEY}`,
    });
    expect(reading.decimals("volume_token0")).toBe(18);
    expect(reading.decimals("collected_fees_token1")).toBe(6);
    expect(reading.decimals("volume_usd")).toBeNull();
    const unit = (metric: string) => reading.describe().unit(metric);
    expect(unit("close")).toBe("USDC per WETH");
    expect(unit("volume_token0_d")).toBe("WETH");
    const turned = hours(poolPoint("2026-11-27T14:00:00Z", { close: 0.000479377 }));
    expect(turned.describe().unit("close")).toBe("WETH per USDC");
    const unsure = hours(poolPoint("2026-11-27T14:00:00Z", { sqrtPrice: null, tick: null }));
    expect(unsure.describe().unit("close")).toBe("");
    const bare = poolHistory.read(hourly, answersOf({}), NOW);
    expect(bare.describe().label).toBe("0x88e6a0…5640");
    expect(bare.decimals("volume_token0")).toBeNull();
  });

  it("asks for its pool and that pool's tokens once", () => {
    const keys = (asks: readonly Ask[] | undefined) => asks?.map(({ key }) => key);
    const v4 = pools(POOL_ID, "d");
    expect(keys(poolHistory.facts?.(hourly, answersOf({})))).toEqual([`v3_pool:1:${V3_KEY}`]);
    expect(keys(poolHistoryDaily.facts?.(v4, answersOf({})))).toEqual([`v4_pool_24h:1:${POOL_ID}`]);
    const known = answersOf({ v3_pool: ok(earlierPoolRecord()) });
    expect(keys(poolHistory.follow(hourly, known))).toEqual([
      `token_info:1:${ETHER.toLowerCase()}`,
      `token_info:1:${USDC_KEY}`,
    ]);
    expect(poolHistory.follow(hourly, FACTS)).toEqual([]);
  });

  it("is no data without points, and says why", () => {
    expect(hours()).toMatchObject({ rows: [], trouble: "no points in the answer" });
    const none = poolHistory.read(hourly, answersOf({ v3_pool_point: failed("timed out") }), NOW);
    expect(none).toMatchObject({ rows: [], trouble: "timed out", unanswered: "v3_pool_point" });
    const absent = answersOf({ v3_pool_point: { status: "absent" } });
    expect(poolHistory.read(hourly, absent, NOW)).toMatchObject({ rows: [], absent: true });
  });
});

describe("the history of a token's price", () => {
  const target = { chainId: 1, id: TOKEN, protocol: null, name: null };
  const subject = priceHistory.subject({ ...target, options: { period: "h" } });
  const read = (changes: RawRecord = {}): Reading =>
    priceHistory.read(
      subject,
      answersOf({
        price_point: ok(pricePoint("2026-11-27T14:00:00Z", changes)),
        token_info: ok(infoRecord()),
      }),
      NOW,
    );
  const value = (name: string, changes: RawRecord = {}) =>
    read(changes).rows[0]?.value(name)?.toString() ?? null;

  it("is asked for by token and period", () => {
    expect(priceHistory.asks(subject, NOW)).toEqual([
      {
        key: `price_history:1:${TOKEN_KEY}`,
        record: "price_point",
        chainId: 1,
        id: TOKEN_KEY,
        period: "h",
        limit: 48,
      },
    ]);
    const byDay = priceHistory.subject({ ...target, options: { period: "d" } });
    expect(byDay.kind).toBe("price_history_daily");
    expect(priceHistoryDaily.asks(byDay, NOW)).toMatchObject([{ period: "d", limit: 10 }]);
    expect(priceHistoryDaily.variantOf).toBe("price_history");
    expect(priceHistory.follow(subject, answersOf({}))).toEqual([]);
  });

  it("has its fields, exact, by the start of their hour", () => {
    expect(read().rows.map((row) => row.date)).toEqual([TWO]);
    expect(value("price_usd")).toBe("0.9987");
    expect(value("price_change_percentage_24h")).toBe("-0.11");
    expect(value("market_cap")).toBe("9400284000.12");
    expect(read().trouble).toBeNull();
    expect(read().marks()).toEqual([]);
    expect(read().decimals("price_usd")).toBeNull();
  });

  it.each([
    ["price_usd", { price_usd: 0 }, "price_usd is 0 with a market"],
    ["price_usd", { price_usd: -1 }, "price_usd is negative"],
    ["close", { high: 0.9, low: 1 }, "its high is below its low"],
    ["market_cap", { market_cap: "n/a" }, "market_cap is malformed"],
  ])("has no %s in a point with %j", (name, changes, trouble) => {
    expect(value(name, changes)).toBeNull();
    expect(value("volume_24h", changes)).toBe("51000000");
    expect(read(changes).trouble).toBe(trouble);
  });

  it("is called by the token's symbol", () => {
    expect(read().describe()).toMatchObject({
      label: "AUSD",
      link: `https://etherscan.io/token/${TOKEN_KEY}`,
    });
    expect(read().describe().unit("price_eth")).toBe("ETH per AUSD");
    expect(read().describe().unit("close")).toBe("");
  });
});
