import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import { tokenBalance } from "../../src/kinds/token-balance.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";
import { balanceRecord, TOKEN, TOKEN_KEY, WALLET, WALLET_KEY } from "./token-records.ts";

const target = { chainId: 137, id: TOKEN, protocol: null, wallet: WALLET };
const subject = tokenBalance.subject({ ...target, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}, of = subject): Reading {
  return tokenBalance.read(of, answersOf({ balance: ok(balanceRecord(changes)) }), NOW);
}

function balance(raw: unknown): string | null {
  return read({ balance: raw }).rows[0]?.value("balance")?.toString() ?? null;
}

describe("a wallet's balance of a token", () => {
  it("is known by chain, token and wallet in lower case", () => {
    expect(subject).toEqual({
      key: `token_balance:137:${TOKEN_KEY}:${WALLET_KEY}`,
      kind: "token_balance",
      chainId: 137,
      ids: { token: TOKEN_KEY, wallet: WALLET_KEY },
      name: null,
    });
    expect(tokenBalance.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "balance", chainId: 137, id: TOKEN_KEY, wallet: WALLET_KEY },
    ]);
    expect(tokenBalance.follow(subject, answersOf({}))).toEqual([]);
    const other = tokenBalance.subject({ ...target, wallet: TOKEN, name: null });
    expect(other.key).not.toBe(subject.key);
  });

  it("is watched for each wallet and each token", () => {
    expect(tokenBalance.targets).toMatchObject({
      key: "token",
      accounts: ["wallet"],
      protocols: null,
    });
    const pattern = tokenBalance.targets.id?.pattern;
    for (const good of [TOKEN, WALLET, WALLET_KEY]) expect(good).toMatch(pattern!);
    for (const bad of [`${TOKEN}0`, TOKEN.slice(0, -1), TOKEN.slice(2), ` ${TOKEN}`, "0xg"]) {
      expect(bad).not.toMatch(pattern!);
    }
  });

  it("is exact in raw units; nothing held is zero and no missing value", () => {
    expect(balance("184902117640033")).toBe("184902117640033");
    const most = (2n ** 256n - 1n).toString();
    expect(balance(most)).toBe(most);
    expect(balance("0")).toBe("0");
    expect(read().rows[0]?.value("wallet_address")).toBe(WALLET_KEY);
    expect(tokenBalance.metrics.get("balance")).toMatchObject({ quantity: "raw" });
    expect(read().trouble).toBeNull();
  });

  it.each([
    ["-1", "negative"],
    [null, "null"],
    [undefined, "missing"],
    ["", "empty"],
    ["1.5", "malformed"],
    ["1e", "malformed"],
    [[], "malformed"],
  ])("is no data when the answer says %j", (raw, word) => {
    expect(balance(raw)).toBeNull();
    expect(read({ balance: raw }).trouble).toBe(`balance is ${word}`);
  });

  it("is no data without an answer, and says why", () => {
    const reading = (answers: Parameters<typeof answersOf>[0]) =>
      tokenBalance.read(subject, answersOf(answers), NOW);
    expect(reading({}).trouble).toBe("not asked yet");
    expect(reading({ balance: { status: "absent" } })).toMatchObject({
      rows: [],
      absent: true,
      trouble: "not in the answer",
    });
    expect(reading({ balance: failed("answered 503") })).toMatchObject({
      rows: [],
      trouble: "answered 503",
    });
  });

  it("is called as the rule says, else by wallet and token, and links to both", () => {
    const named = tokenBalance.subject({ ...target, name: "Payroll" });
    expect(descriptionOf(read({}, named), named.name)?.label).toBe("Payroll");
    const described = read().describe();
    expect(described).toMatchObject({
      label: "0xabcdef…abcd (token 0x000000…012a)",
      chain: "Polygon",
      link: `https://polygonscan.com/token/${TOKEN_KEY}?a=${WALLET_KEY}`,
      range: null,
    });
    expect(described.unit("balance")).toBe("");
    expect(read().decimals("balance")).toBeNull();
  });
});
