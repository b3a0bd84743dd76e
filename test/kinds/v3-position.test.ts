import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, Decimal, parseDecimal } from "../../src/base/decimal.ts";
import { sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import type { Reading, WatchKind } from "../../src/kinds/kind.ts";
import { v3Position } from "../../src/kinds/v3-position.ts";
import { v4Position } from "../../src/kinds/v4-position.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { propertyRuns } from "../support/tier.ts";
import {
  answersOf,
  ETH,
  failed,
  MANAGER,
  ok,
  poolRecord,
  positionRecord,
  USDC,
} from "./records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const target = { chainId: 1, id: "42", protocol: null, name: null };
const subject = v3Position.subject(target);
const { pool_id: _, protocol: __, ...plain } = positionRecord();
const WETH = { ...ETH, address: `0x${"c0".repeat(20)}`, symbol: "WETH" };
const record: RawRecord = {
  ...plain,
  pool_address: `0x${"88".repeat(20)}`,
  fees0: "1000000000000000",
  fees1: "2500000",
  fees_usd: 4.59,
  fee: 500,
  current_tick: -199890,
  sqrt_price_x96: sqrtPriceX96AtTick(-199890).toString(),
  price0: 2086.0412345,
  price1: 0.000479377,
  token0: WETH,
  token1: USDC,
};

function read(changes: RawRecord = {}, of = subject): Reading {
  return v3Position.read(of, answersOf({ v3_position: ok({ ...record, ...changes }) }), NOW);
}

function value(reading: Reading, name: string): string | null {
  const found = reading.rows[0]?.value(name) ?? null;
  return found === null ? null : String(found);
}

describe("a V3 position", () => {
  it("is known by chain and NFT id, whatever zeros stand before it, and asked in one request", () => {
    expect(subject.key).toBe("v3_position:1:42");
    expect(v3Position.subject({ ...target, id: "0042" }).key).toBe(subject.key);
    expect(v3Position.asks(subject, NOW)).toEqual([
      { key: "v3_position:1:42", record: "v3_position", chainId: 1, id: "42" },
    ]);
    const inverted = v3Position.subject({ ...target, options: { invert: "true" } });
    expect(inverted.key).toBe("v3_position:1:42:inverted");
    expect(v3Position.asks(inverted, NOW)).toEqual(v3Position.asks(subject, NOW));
  });

  it("has its range by its pool's own tick, and all fees to the unit", () => {
    const reading = read();
    expect(["in_range", "side", "ticks_to_edge"].map((name) => value(reading, name))).toEqual([
      "true",
      "in",
      "421",
    ]);
    expect(["fees0", "fees1", "fees_usd"].map((name) => value(reading, name))).toEqual([
      "1000000000000000",
      "2500000",
      "4.59",
    ]);
    expect([reading.decimals("fees0"), reading.decimals("fees1")]).toEqual([18, 6]);
    expect(value(read({ current_tick: -200311 }), "side")).toBe("below");
    expect(read({ liquidity: "0" }).closed).toBe(true);
    expect(reading.trouble).toBeNull();
  });

  it("is told with its pair, its page, its range and its units", () => {
    const said = read().describe();
    expect(said).toMatchObject({
      label: "WETH/USDC 0.05% #42",
      link: `https://etherscan.io/nft/${MANAGER.toLowerCase()}/42`,
      range: { lowerTick: -200310, upperTick: -199090, tick: -199890, unit: "USDC per WETH" },
    });
    expect([said.unit("fees0"), said.unit("fees1"), said.unit("price0")]).toEqual([
      "WETH",
      "USDC",
      "USDC per WETH",
    ]);
  });

  it("is no data without an answer, and says which values a good one lacks", () => {
    const down = v3Position.read(subject, answersOf({ v3_position: failed("answered 503") }), NOW);
    expect(down).toMatchObject({ rows: [], trouble: "answered 503", unanswered: "v3_position" });
    expect(read({ fees_usd: null }).trouble).toBe("fees_usd is null");
    expect(value(read({ fees0: "-5" }), "fees0")).toBeNull();
    expect(read({ lower_tick: 5, upper_tick: 5 }).trouble).toContain("its range is malformed");
  });
});

describe.each([
  ["V3", v3Position, "v3_hold"],
  ["V4", v4Position, "v4_hold"],
] as const)("the value against holding of a %s position", (_name, kind: WatchKind, hold) => {
  const of = (deposited: readonly [string, string] | null = null) =>
    kind.subject({ ...target, protocol: "dexa", deposited });
  const NONE = { fees0: "0", fees1: "0", collected0: "0", collected1: "0" };

  function vsHold(fields: RawRecord, deposited: readonly [string, string] | null = null) {
    const given = of(deposited);
    const answers = answersOf({
      v3_position: ok(record),
      v4_position: ok(positionRecord()),
      v4_pool: ok(poolRecord()),
      [hold]: ok({ chain_id: 1, nft_id: "42", sqrt_price_x96: String(1n << 96n), ...fields }),
    });
    const reading = kind.read(given, answers, NOW);
    return { value: value(reading, "vs_hold"), trouble: reading.trouble };
  }

  it("asks for what was put in where a rule looks at it, and else for nothing", () => {
    expect(kind.extras?.(of(), new Set(["in_range"]))).toEqual([]);
    expect(kind.extras?.(of(), new Set(["vs_hold"]))?.map((ask) => ask.record)).toEqual([hold]);
  });

  it("is what it has and has earned, against what was put in, at the pool's price", () => {
    const put = { deposited0: "1000", deposited1: "1000" };
    expect(vsHold({ amount0: "900", amount1: "1000", ...NONE, ...put }).value).toBe("-0.05");
    const earned = { fees0: "40", fees1: "0", collected0: "60", collected1: "50" };
    expect(vsHold({ amount0: "900", amount1: "1000", ...earned, ...put }).value).toBe("0.025");
    // Taken out and not collected: it waits among the fees, and is less among what was collected.
    const waiting = { fees0: "300", fees1: "0", collected0: "-300", collected1: "0" };
    expect(vsHold({ amount0: "500", amount1: "500", ...waiting, ...put }).value).toBe("-0.5");
    // At a price of 4 token1 for one token0.
    const dear = { sqrt_price_x96: String(2n << 96n), ...put };
    expect(vsHold({ amount0: "1500", amount1: "0", ...NONE, ...dear }).value).toBe("0.2");
  });

  it("goes by what the rule says was put in, in whole tokens", () => {
    const has = { amount0: "0", amount1: "4000000", ...NONE, deposited0: null, deposited1: null };
    expect(vsHold(has).value).toBeNull();
    expect(vsHold(has).trouble).toContain("its entries begin before the window");
    expect(vsHold(has, ["0", "5"]).value).toBe("-0.2");
    expect(vsHold(has, ["0", "3.2"]).value).toBe("0.25");
    expect(of(["0", "5"]).key).not.toBe(of().key);
  });

  it("is not known where nothing was put in, or nobody keeps the state that tells", () => {
    const none = { deposited0: "0", deposited1: "0" };
    expect(vsHold({ amount0: "0", amount1: "0", ...NONE, ...none }).trouble).toContain(
      "nothing was put in",
    );
    const lost = { fees0: "0", fees1: "0", collected0: null, collected1: null };
    const unknown = { amount0: "1", amount1: "1", ...lost, deposited0: null, deposited1: null };
    expect(vsHold(unknown)).toMatchObject({ value: null });
    expect(vsHold(unknown).trouble).toContain("no node keeps the state");
  });

  it("is zero for what is as it was put in, and falls with whatever is missing", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: -300_000, max: 300_000 }), (a, b, tick) => {
        const price = { sqrt_price_x96: sqrtPriceX96AtTick(tick).toString() };
        const put = { deposited0: String(a), deposited1: String(b), ...price };
        const same = { amount0: String(a), amount1: String(b), ...NONE, ...put };
        expect(vsHold(same).value).toBe("0");
        const less = vsHold({ ...same, amount0: String(a / 2n), amount1: String(b / 2n) }).value;
        const half = parseDecimal(less ?? "") ?? new Decimal(0n, 0);
        expect(compare(half, new Decimal(0n, 0))).toBeLessThan(0);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe("a V4 position's fees", () => {
  const position = v4Position.subject({ ...target, protocol: "dexa" });
  const answers = (fees: Parameters<typeof answersOf>[0]) =>
    answersOf({ v4_position: ok(positionRecord()), v4_pool: ok(poolRecord()), ...fees });
  const fees = { chain_id: 1, nft_id: "42", fees0: "7", fees1: "9", fees_usd: 12.5 };

  it("are asked for where a rule looks at them, and told with their tokens' decimals", () => {
    expect(v4Position.extras?.(position, new Set(["value_usd", "closed"]))).toEqual([]);
    expect(v4Position.extras?.(position, new Set(["fees_usd"]))).toEqual([
      { key: "v4_fees:1:dexa:42", record: "v4_fees", chainId: 1, id: "42", protocol: "dexa" },
    ]);
    const reading = v4Position.read(position, answers({ v4_fees: ok(fees) }), NOW);
    expect(["fees0", "fees1", "fees_usd"].map((name) => value(reading, name))).toEqual([
      "7",
      "9",
      "12.5",
    ]);
    expect([reading.decimals("fees0"), reading.decimals("fees1")]).toEqual([18, 6]);
    expect(reading.trouble).toBeNull();
  });

  it("are no data where they were not answered, and touch nothing else of it", () => {
    const failing = answers({ v4_fees: failed("answered 503") });
    const reading = v4Position.read(position, failing, NOW);
    expect([value(reading, "fees_usd"), value(reading, "in_range")]).toEqual([null, "true"]);
    expect(reading).toMatchObject({ trouble: "its fees: answered 503", unanswered: null });
    const plainly = v4Position.read(position, answers({}), NOW);
    expect([value(plainly, "fees_usd"), plainly.trouble]).toEqual([null, null]);
  });
});
