import { describe, expect, it } from "vitest";
import { calledBy } from "../../src/decide/event.ts";
import { holderCount } from "../../src/kinds/holder-count.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import { tokenSupply } from "../../src/kinds/token-supply.ts";
import type { Answer, RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";
import { countRecord, supplyRecord, TOKEN, TOKEN_KEY } from "./token-records.ts";

const target = { chainId: 1, id: TOKEN, protocol: null, name: null };
const subject = holderCount.subject(target);
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}, supply?: Answer): Reading {
  const answers = { holder_count: ok(countRecord(changes)), ...(supply ? { supply } : {}) };
  return holderCount.read(subject, answersOf(answers), NOW);
}

function count(reading: Reading): string | null {
  return reading.rows[0]?.value("holder_count")?.toString() ?? null;
}

const follow = (raw: unknown) =>
  holderCount.follow(
    subject,
    answersOf({ holder_count: ok(countRecord({ holder_count: raw })), supply: ok(supplyRecord()) }),
  );

describe("a token's number of holders", () => {
  it("is known by chain and address in lower case", () => {
    expect(subject.key).toBe(`holder_count:1:${TOKEN_KEY}`);
    expect(subject.ids).toEqual({ token: TOKEN_KEY });
    expect(holderCount.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "holder_count", chainId: 1, id: TOKEN_KEY },
    ]);
  });

  it("is a count, from a number or its text", () => {
    expect(count(read())).toBe("48412");
    expect(count(read({ holder_count: "48413" }))).toBe("48413");
    expect(read()).toMatchObject({ trouble: null, absent: false });
    expect(holderCount.metrics.get("holder_count")).toMatchObject({
      quantity: "count",
      label: "holders",
    });
  });

  it("of 0 asks for the supply, by the same ask as a supply watch, and nothing else does", () => {
    const [ask] = tokenSupply.asks(tokenSupply.subject(target), NOW);
    expect(follow(0)).toEqual([ask]);
    expect(follow("0")).toEqual([ask]);
    for (const raw of [1, 48_412, -1, null, "", "many"]) expect(follow(raw)).toEqual([]);
    expect(holderCount.follow(subject, answersOf({}))).toEqual([]);
    expect(holderCount.follow(subject, answersOf({ holder_count: failed("no") }))).toEqual([]);
  });

  it("of 0 is no data while there is a supply", () => {
    const reading = read({ holder_count: 0 }, ok(supplyRecord({ total_supply: "1" })));
    expect(count(reading)).toBeNull();
    expect(reading.rows[0]?.value("token_address")).toBe(TOKEN_KEY);
    expect(reading.trouble).toBe("holder_count is 0 with a supply");
  });

  it("of 0 is true of a token without supply", () => {
    const reading = read({ holder_count: 0 }, ok(supplyRecord({ total_supply: "0" })));
    expect(count(reading)).toBe("0");
    expect(reading.trouble).toBeNull();
  });

  it.each<[string, Answer | undefined]>([
    ["timed out after 10 s", failed("timed out after 10 s")],
    ["not in the answer", { status: "absent" }],
    ["not asked yet", undefined],
    ["total_supply is null", ok(supplyRecord({ total_supply: null }))],
    ["total_supply is negative", ok(supplyRecord({ total_supply: "-1" }))],
  ])("of 0 is no data while the supply is unknown: %s", (why, supply) => {
    const reading = read({ holder_count: 0 }, supply);
    expect(count(reading)).toBeNull();
    expect(reading.trouble).toBe(`holder_count is 0, and its supply: ${why}`);
  });

  it("above 0 is believed whatever became of the supply", () => {
    expect(count(read({}, failed("timed out")))).toBe("48412");
    expect(count(read({}, ok(supplyRecord({ total_supply: "0" }))))).toBe("48412");
  });

  it.each([
    [-1, "negative"],
    [null, "null"],
    [undefined, "missing"],
    ["", "empty"],
    ["many", "malformed"],
  ])("is no data when the answer says %j", (raw, word) => {
    expect(count(read({ holder_count: raw }))).toBeNull();
    expect(read({ holder_count: raw }).trouble).toBe(`holder_count is ${word}`);
  });

  it("is no data without an answer, and says why", () => {
    const reading = holderCount.read(
      subject,
      answersOf({ holder_count: { status: "absent" } }),
      NOW,
    );
    expect(reading).toMatchObject({ rows: [], absent: true, trouble: "not in the answer" });
  });

  it("is called like its token and links to it", () => {
    expect(read().describe()).toMatchObject({
      label: "0x000000…012a",
      link: `https://etherscan.io/token/${TOKEN_KEY}`,
    });
    const named = holderCount.subject({ ...target, name: "AUSD" });
    const reading = holderCount.read(named, answersOf({}), NOW);
    expect(calledBy(named.name, reading.describe()).label).toBe("AUSD");
    expect(reading.decimals("holder_count")).toBeNull();
  });
});
