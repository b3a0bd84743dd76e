import { describe, expect, it } from "vitest";
import { allowance } from "../../src/kinds/allowance.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { one } from "../config/rules-text.ts";
import { answersOf, ok } from "./records.ts";
import { TOKEN, TOKEN_KEY, WALLET, WALLET_KEY } from "./token-records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const SPENDER = `0x${"5".repeat(40)}`;
const target = { chainId: 137, id: TOKEN, protocol: null, owner: WALLET, spender: SPENDER };
const subject = allowance.subject({ ...target, name: null });
const record = {
  chain_id: 137,
  token_address: TOKEN_KEY,
  owner_address: WALLET_KEY,
  spender_address: SPENDER,
  allowance: "1000000",
};

const read = (changes: RawRecord = {}) =>
  allowance.read(
    subject,
    answersOf({
      allowance: ok({ ...record, ...changes }),
      token_info: ok({ symbol: "AUSD", decimals: 6 }),
    }),
    NOW,
  );

describe("an allowance", () => {
  it("is known by chain, token, owner and spender in lower case", () => {
    expect(subject.key).toBe(`allowance:137:${TOKEN_KEY}:${WALLET_KEY}:${SPENDER}`);
    const id = { chainId: 137, id: TOKEN_KEY, owner: WALLET_KEY, spender: SPENDER };
    expect(allowance.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "allowance", ...id },
    ]);
  });

  it("is exact in raw units and told with the token's symbol", () => {
    const most = (2n ** 256n - 1n).toString();
    expect(read({ allowance: most }).rows[0]?.value("allowance")?.toString()).toBe(most);
    expect(read().decimals("allowance")).toBe(6);
    expect(read().describe()).toMatchObject({ label: "0xabcdef…abcd for 0x555555…5555 (AUSD)" });
    expect(read().describe().unit("allowance")).toBe("AUSD");
    expect(read({ allowance: null }).rows[0]?.value("allowance")).toBeNull();
    expect(read({ allowance: "-1" }).trouble).toBe("allowance is negative");
  });

  it("is watched for each owner and each spender, and called by their names", () => {
    const accounts = `owner: [{id: "${WALLET}", name: Treasury}, "${TOKEN}"], spender: {id: "${SPENDER}", name: Bridge}`;
    const { subjects } = one(
      `rules: [{name: a, watch: {kind: allowance, chain: 137, token: "${TOKEN}", ${accounts}}, when: {metric: allowance, below: 5 raw}}]`,
    );
    expect(subjects.map(({ name }) => name)).toEqual([
      "Treasury for Bridge",
      "0x000000…012a for Bridge",
    ]);
  });
});
