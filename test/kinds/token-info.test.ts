import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import { tokenInfo } from "../../src/kinds/token-info.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";
import { infoRecord, TOKEN, TOKEN_KEY } from "./token-records.ts";

const target = { chainId: 1, id: TOKEN, protocol: null };
const subject = tokenInfo.subject({ ...target, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}, of = subject): Reading {
  return tokenInfo.read(of, answersOf({ token_info: ok(infoRecord(changes)) }), NOW);
}

function value(name: string, changes: RawRecord = {}): string | null {
  return read(changes).rows[0]?.value(name)?.toString() ?? null;
}

describe("a token's info", () => {
  it("is known by chain and address in lower case, and asked as what facts are made of", () => {
    expect(subject.key).toBe(`token_info:1:${TOKEN_KEY}`);
    expect(tokenInfo.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "token_info", chainId: 1, id: TOKEN_KEY },
    ]);
    expect(tokenInfo.follow(subject, answersOf({}))).toEqual([]);
    expect(tokenInfo.ownTime).toBeUndefined();
  });

  it("has its fields, exact", () => {
    expect(value("total_supply")).toBe("9412508331274519");
    expect(value("total_supply_formatted")).toBe("9412508331.274519");
    expect(value("decimals")).toBe("6");
    expect(value("name")).toBe("Agora Dollar");
    expect(value("contract_creator")).toBe("0x1111111111111111111111111111111111111111");
    expect(value("creation_timestamp")).toBe("1714555800");
    expect(value("total_supply", { total_supply: "9007199254740993" })).toBe("9007199254740993");
    expect(value("constructor")).toBeNull();
    expect(read().trouble).toBeNull();
    expect(read().marks()).toEqual([]);
  });

  it("tells the decimals and the unit of its own amounts", () => {
    expect(read().decimals("total_supply")).toBe(6);
    expect(read({ decimals: "6" }).decimals("total_supply")).toBe(6);
    expect(read().decimals("holder_count")).toBeNull();
    for (const decimals of [256, -1, 1.5, null, "six", {}, undefined]) {
      expect(read({ decimals }).decimals("total_supply")).toBeNull();
    }
    const unit = (metric: string) => read().describe().unit(metric);
    expect(unit("total_supply")).toBe("AUSD");
    expect(unit("total_supply_formatted")).toBe("AUSD");
    expect(unit("holder_count")).toBe("");
  });

  it.each([
    ["total_supply", "-1", "negative"],
    ["total_supply", "1.5", "malformed"],
    ["holder_count", null, "null"],
    ["transfer_count", undefined, "missing"],
    ["name", "", "empty"],
    ["creation_timestamp", "yesterday", "malformed"],
    ["contract_creator", "0x12", "malformed"],
    ["decimals", [], "malformed"],
  ])("has no value for %s of %j and leaves the others alone", (name, raw, word) => {
    expect(value(name, { [name]: raw })).toBeNull();
    expect(value("symbol", { [name]: raw })).toBe("AUSD");
    expect(read({ [name]: raw }).trouble).toBe(`${name} is ${word}`);
  });

  it("has no holders while nobody holds a supply", () => {
    expect(value("holder_count", { holder_count: 0 })).toBeNull();
    expect(read({ holder_count: 0 }).trouble).toBe("holder_count is 0 with a supply");
    expect(value("holder_count", { holder_count: 0, total_supply: "0" })).toBe("0");
    expect(value("holder_count", { holder_count: 0, total_supply: null })).toBe("0");
  });

  it("is called by its symbol, clean and short, else by its address", () => {
    expect(read().describe()).toMatchObject({
      label: "AUSD",
      chain: "Ethereum",
      link: `https://etherscan.io/token/${TOKEN_KEY}`,
    });
    const hostile = read({
      symbol: "A\u202eU\n\u0000S\u200bD<script>alert(1)</script>",
    }).describe();
    expect(hostile.label).toBe("AU SD<script>alert(…");
    expect(hostile.unit("total_supply")).toBe(hostile.label);
    for (const symbol of ["", "\u200b\u202e", null, 7, {}]) {
      expect(read({ symbol }).describe().label).toBe("0x000000…012a");
    }
    const named = tokenInfo.subject({ ...target, name: "Our dollar" });
    expect(descriptionOf(read({}, named), named.name)?.label).toBe("Our dollar");
  });

  it("is no data without an answer, and says why", () => {
    const none = (answers: Parameters<typeof answersOf>[0]) =>
      tokenInfo.read(subject, answersOf(answers), NOW);
    expect(none({ token_info: { status: "absent" } })).toMatchObject({ rows: [], absent: true });
    expect(none({ token_info: failed("timed out") })).toMatchObject({
      rows: [],
      trouble: "timed out",
      unanswered: "token_info",
    });
  });
});
