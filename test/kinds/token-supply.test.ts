import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import { tokenSupply } from "../../src/kinds/token-supply.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";
import { supplyRecord, TOKEN, TOKEN_KEY } from "./token-records.ts";

const target = { chainId: 1, id: TOKEN, protocol: null };
const subject = tokenSupply.subject({ ...target, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}, of = subject): Reading {
  return tokenSupply.read(of, answersOf({ supply: ok(supplyRecord(changes)) }), NOW);
}

function supply(changes: RawRecord = {}): string | null {
  return read(changes).rows[0]?.value("total_supply")?.toString() ?? null;
}

describe("a token's supply", () => {
  it("is known by chain and address in lower case, and asked once for both kinds", () => {
    expect(subject).toEqual({
      key: `token_supply:1:${TOKEN_KEY}`,
      kind: "token_supply",
      chainId: 1,
      ids: { token: TOKEN_KEY },
      name: null,
    });
    expect(tokenSupply.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "supply", chainId: 1, id: TOKEN_KEY },
    ]);
    expect(tokenSupply.follow(subject, answersOf({}))).toEqual([]);
  });

  it("is exact in raw units, whatever the JSON type", () => {
    expect(supply()).toBe("9412508331274519");
    expect(supply({ total_supply: "9007199254740993" })).toBe("9007199254740993");
    expect(supply({ total_supply: 123 })).toBe("123");
    expect(supply({ total_supply: "0" })).toBe("0");
    expect(read().rows.map((row) => row.date)).toEqual([null]);
    expect(tokenSupply.metrics.get("total_supply")).toMatchObject({
      name: "total_supply",
      quantity: "raw",
      label: "supply",
    });
  });

  it("has its other fields and no others", () => {
    const value = (name: string) => read().rows[0]?.value(name)?.toString() ?? null;
    expect(value("token_address")).toBe(TOKEN_KEY);
    expect(value("chain_id")).toBe("1");
    expect(value("balance")).toBeNull();
    expect(value("constructor")).toBeNull();
    expect(read()).toMatchObject({ trouble: null, absent: false, closed: false });
  });

  it.each([
    ["-1", "negative"],
    [-5, "negative"],
    [null, "null"],
    [undefined, "missing"],
    ["", "empty"],
    ["12.5", "malformed"],
    ["9,412", "malformed"],
    ["0x10", "malformed"],
    [{}, "malformed"],
    [true, "malformed"],
  ])("is no data when the answer says %j", (raw, word) => {
    expect(supply({ total_supply: raw })).toBeNull();
    expect(read({ total_supply: raw }).trouble).toBe(`total_supply is ${word}`);
  });

  it("is no data without an answer, and says why", () => {
    const reading = (answers: Parameters<typeof answersOf>[0]) =>
      tokenSupply.read(subject, answersOf(answers), NOW);
    expect(reading({})).toMatchObject({ rows: [], absent: false, trouble: "not asked yet" });
    expect(reading({ supply: { status: "absent" } })).toMatchObject({
      rows: [],
      absent: true,
      trouble: "not in the answer",
    });
    expect(reading({ supply: failed("timed out after 10 s") })).toMatchObject({
      rows: [],
      absent: false,
      trouble: "timed out after 10 s",
    });
  });

  it("tells no decimals: the rule does", () => {
    expect(read().decimals("total_supply")).toBeNull();
  });

  it("is called as the rule says, else by the token's address, and links to its page", () => {
    const named = tokenSupply.subject({ ...target, name: "AU\u202eSD" });
    expect(descriptionOf(read({}, named), named.name)).toMatchObject({
      label: "AUSD",
      chain: "Ethereum",
    });
    const described = read().describe();
    expect(described).toMatchObject({
      label: "0x000000…012a",
      chain: "Ethereum",
      link: `https://etherscan.io/token/${TOKEN_KEY}`,
      range: null,
    });
    expect(described.unit("total_supply")).toBe("");
    const odd = tokenSupply.subject({ ...target, chainId: 4663, name: null });
    expect(read({}, odd).describe()).toMatchObject({ chain: "chain 4663", link: null });
  });
});
