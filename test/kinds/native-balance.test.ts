import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/kinds/kind.ts";
import { nativeBalance } from "../../src/kinds/native-balance.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";
import { WALLET, WALLET_KEY } from "./token-records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const target = { chainId: 137, id: WALLET, protocol: null, name: null };
const subject = nativeBalance.subject(target);
const record = { chain_id: 137, wallet_address: WALLET_KEY, balance: "499999999999999999" };

function read(changes: RawRecord = {}, of = subject): Reading {
  return nativeBalance.read(of, answersOf({ native_balance: ok({ ...record, ...changes }) }), NOW);
}

describe("what an account has of its chain's currency", () => {
  it("is known by chain and account in lower case, and asked with others in one request", () => {
    expect(subject).toMatchObject({ key: `native_balance:137:${WALLET_KEY}`, chainId: 137 });
    expect(nativeBalance.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "native_balance", chainId: 137, id: "", wallet: WALLET_KEY },
    ]);
    expect(nativeBalance.follow(subject, answersOf({}))).toEqual([]);
  });

  it("is exact to the wei and counted with 18 decimals", () => {
    expect(read().rows[0]?.value("balance")?.toString()).toBe("499999999999999999");
    expect(read().decimals("balance")).toBe(18);
    expect(read().decimals("chain_id")).toBeNull();
    expect(read({ balance: "0" }).rows[0]?.value("balance")?.toString()).toBe("0");
    expect(read().trouble).toBeNull();
  });

  it.each([
    ["-1", "negative"],
    [null, "null"],
    [undefined, "missing"],
    ["1.5", "malformed"],
    ["0x10", "malformed"],
  ])("is no data when the answer says %j", (raw, word) => {
    expect(read({ balance: raw }).rows[0]?.value("balance")).toBeNull();
    expect(read({ balance: raw }).trouble).toBe(`balance is ${word}`);
  });

  it("is no data without an answer, and says why", () => {
    const of = (answers: Parameters<typeof answersOf>[0]) =>
      nativeBalance.read(subject, answersOf(answers), NOW);
    expect(of({})).toMatchObject({ rows: [], trouble: "not asked yet" });
    const down = of({ native_balance: failed("answered 503") });
    expect(down).toMatchObject({ rows: [], trouble: "answered 503", unanswered: "native_balance" });
  });

  it("is told in the chain's own currency, with the account's page", () => {
    expect(read().describe()).toMatchObject({
      label: "0xabcdef…abcd",
      chain: "Polygon",
      link: `https://polygonscan.com/address/${WALLET_KEY}`,
    });
    expect(read().describe().unit("balance")).toBe("POL");
    const unknown = nativeBalance.subject({ ...target, chainId: 31_337 });
    expect(read({}, unknown).describe()).toMatchObject({ chain: "chain 31337", link: null });
    expect(read({}, unknown).describe().unit("balance")).toBe("native");
  });
});
