import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import { v4Position } from "../../src/kinds/v4-position.ts";
import type { Answer, RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, MANAGER, ok, POOL_ID, poolRecord, positionRecord } from "./records.ts";

const target = { chainId: 1, id: "42", protocol: "dexa" };
const subject = v4Position.subject({ ...target, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(position: RawRecord = {}, pool: RawRecord | Answer = {}, of = subject): Reading {
  const poolAnswer = "status" in pool ? (pool as Answer) : ok(poolRecord(pool));
  return v4Position.read(
    of,
    answersOf({ v4_position: ok(positionRecord(position)), v4_pool: poolAnswer }),
    NOW,
  );
}

function value(name: string, position: RawRecord = {}, pool: RawRecord | Answer = {}) {
  const found = read(position, pool).rows[0]?.value(name) ?? null;
  return typeof found === "object" ? (found?.toString() ?? null) : found;
}

const RANGE_METRICS = ["in_range", "side", "ticks_to_edge", "pct_to_edge", "range_position"];

describe("a V4 position", () => {
  it("is known by chain, protocol and NFT id, whatever zeros stand before it", () => {
    expect(subject.key).toBe("v4_position:1:dexa:42");
    const padded = v4Position.subject({ ...target, id: "0042", name: null });
    expect(padded.key).toBe(subject.key);
    expect(v4Position.subject({ ...target, id: "0", name: null }).ids.nft).toBe("0");
    expect(v4Position.asks(subject, NOW)).toEqual([
      {
        key: "v4_position:1:dexa:42",
        record: "v4_position",
        chainId: 1,
        id: "42",
        protocol: "dexa",
      },
    ]);
  });

  it("keeps every digit of a 78-digit id", () => {
    const id = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    const big = v4Position.subject({ ...target, id, name: null });
    expect(v4Position.asks(big, NOW)[0]?.id).toBe(id);
    expect(v4Position.read(big, answersOf({}), NOW).describe().label).toBe("dexa #1157…9935");
  });

  it("asks for the pool that the position names, and for nothing while it names none", () => {
    const follow = (answer: Answer): unknown =>
      v4Position.follow(subject, answersOf({ v4_position: answer }));
    const pool = { key: `v4_pool:1:${POOL_ID}`, record: "v4_pool", chainId: 1, id: POOL_ID };
    expect(follow(ok(positionRecord()))).toEqual([pool]);
    const upper = POOL_ID.toUpperCase().replace("0X", "0x");
    expect(follow(ok(positionRecord({ pool_id: upper })))).toEqual([pool]);
    for (const pool_id of [null, "", "0x12", "../../admin", 7, `${POOL_ID}&x=1`]) {
      expect(follow(ok(positionRecord({ pool_id })))).toEqual([]);
    }
    expect(follow({ status: "absent" })).toEqual([]);
    expect(follow(failed("timed out after 10 s"))).toEqual([]);
    expect(v4Position.follow(subject, answersOf({}))).toEqual([]);
  });

  it("derives where the price is from the pool's own tick", () => {
    // The price says one tick less than current_tick does, as it may at an exact boundary.
    expect(value("in_range", { upper_tick: -199890 })).toBe(false);
    expect(value("in_range", { upper_tick: -199889 })).toBe(true);
    expect(value("in_range", { lower_tick: -199890 })).toBe(true);
    expect(value("in_range", { lower_tick: -199889 })).toBe(false);
    expect(value("side")).toBe("in");
    expect(value("ticks_to_edge")).toBe("421");
    expect(value("pct_to_edge")).toBe("4.299658");
    expect(value("range_position", { lower_tick: -199990, upper_tick: -199790 })).toBe("0.5");
    expect(value("current_tick")).toBe("-199890");
    expect(value("side", {}, { current_tick: -201_000 })).toBe("below");
    expect(value("side", {}, { current_tick: 0 })).toBe("above");
  });

  it("has the record's fields under their own and their short names", () => {
    expect(value("value_usd")).toBe("4.54");
    expect(value("core_total_usd")).toBe("4.54");
    expect(value("token0_share")).toBe("0.56");
    expect(value("amount0")).toBe("1219718758116679");
    expect(value("owner_address")).toBe("0x1111111111111111111111111111111111111111");
    expect(read().trouble).toBeNull();
  });

  it("is closed without liquidity, and not known to be while that is no number", () => {
    expect(value("closed")).toBe(false);
    expect(read().closed).toBe(false);
    for (const liquidity of ["0", 0, "000"]) {
      expect(value("closed", { liquidity })).toBe(true);
      expect(read({ liquidity }).closed).toBe(true);
    }
    for (const liquidity of [null, "", "none"]) {
      expect(value("closed", { liquidity })).toBeNull();
      expect(read({ liquidity }).closed).toBe(false);
    }
  });

  it("loses only the range while the pool does not answer", () => {
    for (const pool of [failed("timed out after 10 s"), { status: "absent" } as const]) {
      const known = [...RANGE_METRICS, "current_tick"].filter(
        (name) => value(name, {}, pool) !== null,
      );
      expect(known).toEqual([]);
      expect(value("value_usd", {}, pool)).toBe("4.54");
      expect(value("closed", {}, pool)).toBe(false);
    }
    expect(read({}, failed("timed out after 10 s")).trouble).toBe("its pool: timed out after 10 s");
    expect(read({}, { status: "absent" }).trouble).toBe("its pool: not in the answer");
    expect(read({ pool_id: "?" }).trouble).toBe("its pool id is malformed");
    expect(read({ pool_id: null }).trouble).toBe("its pool id is malformed, pool_id is null");
    expect(value("in_range", { pool_id: "?" })).toBeNull();
  });

  it.each([
    [{ lower_tick: 10, upper_tick: 10 }, {}],
    [{ lower_tick: 20, upper_tick: 10 }, {}],
    [{ lower_tick: -887_273 }, {}],
    [{ upper_tick: 887_273 }, {}],
    [{ lower_tick: null }, {}],
    [{ upper_tick: 1.5 }, {}],
    [{}, { current_tick: null }],
    [{}, { current_tick: 887_273 }],
  ])("has no range in %j of a pool with %j", (position, pool) => {
    expect(RANGE_METRICS.filter((name) => value(name, position, pool) !== null)).toEqual([]);
    expect(value("value_usd", position, pool)).toBe("4.54");
    expect(read(position, pool).trouble).toMatch(/^its range is malformed/);
    expect(read(position, pool).describe().range).toBeNull();
  });

  it("describes its range as prices that people read", () => {
    expect(read().describe()).toMatchObject({
      label: "ETH/USDC 0.05% #42",
      chain: "Ethereum",
      link: `https://etherscan.io/nft/${MANAGER.toLowerCase()}/42`,
      range: {
        lower: "2,000.24",
        upper: "2,259.77",
        price: "2,086.04",
        unit: "USDC per ETH",
        lowerTick: -200310,
        upperTick: -199090,
        tick: -199890,
      },
    });
    expect(read({}, { price0: 2090.5 }).describe().range?.price).toBe("2,090.5");
    expect(read({}, { price0: null }).describe().range?.price).toBe("2,086.04");
    expect(read({}, { token1: null }).describe().range).toBeNull();
    expect(read().describe().unit("amount1")).toBe("USDC");
  });

  it("is called as the rule says, or by protocol and number", () => {
    const named = v4Position.subject({ ...target, name: "Treasury ETH/USDC" });
    expect(descriptionOf(read({}, {}, named), named.name)?.label).toBe("Treasury ETH/USDC");
    expect(read({}, { status: "absent" }).describe()).toMatchObject({
      label: "dexa #42",
      range: null,
    });
    const nothing = v4Position.read(subject, answersOf({ v4_position: { status: "absent" } }), NOW);
    expect(nothing).toMatchObject({ rows: [], trouble: "not in the answer", closed: false });
    expect(nothing.describe()).toMatchObject({ label: "dexa #42", link: null });
  });

  it("knows the decimals of raw amounts from the pool", () => {
    expect(read().decimals("amount0")).toBe(18);
    expect(read().decimals("amount1")).toBe(6);
    expect(read().decimals("value_usd")).toBeNull();
    expect(read({}, failed("x")).decimals("amount0")).toBeNull();
  });
});
