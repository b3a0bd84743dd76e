import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import { tokenBalance } from "../../src/kinds/token-balance.ts";
import { tokenSupply } from "../../src/kinds/token-supply.ts";
import { infoAsk, tokenFacts } from "../../src/kinds/tokens.ts";
import type { Answer } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";
import {
  balanceRecord,
  infoRecord,
  supplyRecord,
  TOKEN,
  TOKEN_KEY,
  WALLET,
} from "./token-records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const supply = tokenSupply.subject({ chainId: 1, id: TOKEN, protocol: null, name: null });
const balance = tokenBalance.subject({
  chainId: 1,
  id: TOKEN,
  protocol: null,
  wallet: WALLET,
  name: null,
});

const readSupply = (info?: Answer) =>
  tokenSupply.read(
    supply,
    answersOf({ supply: ok(supplyRecord()), ...(info ? { token_info: info } : {}) }),
    NOW,
  );

describe("what a token's info tells the kinds that count its amounts", () => {
  it("is asked once for a token, whatever the kind", () => {
    const ask = infoAsk(1, TOKEN_KEY);
    expect(ask).toEqual({
      key: `token_info:1:${TOKEN_KEY}`,
      record: "token_info",
      chainId: 1,
      id: TOKEN_KEY,
    });
    expect(tokenSupply.facts?.(supply, answersOf({}))).toEqual([ask]);
    expect(tokenBalance.facts?.(balance, answersOf({}))).toEqual([ask]);
  });

  it("are decimals, unit and name of a supply", () => {
    const reading = readSupply(ok(infoRecord()));
    expect(reading.decimals("total_supply")).toBe(6);
    expect(reading.decimals("chain_id")).toBeNull();
    expect(reading.describe().label).toBe("AUSD");
    expect(reading.describe().unit("total_supply")).toBe("AUSD");
    expect(reading.describe().unit("chain_id")).toBe("");
    expect(reading.rows[0]?.value("total_supply")?.toString()).toBe("9412508331274519");
  });

  it("are decimals and unit of a balance, beside the wallet's address", () => {
    const reading = tokenBalance.read(
      balance,
      answersOf({ balance: ok(balanceRecord()), token_info: ok(infoRecord()) }),
      NOW,
    );
    expect(reading.decimals("balance")).toBe(6);
    expect(reading.describe().label).toBe("0xabcdef…abcd (AUSD)");
    expect(reading.describe().unit("balance")).toBe("AUSD");
  });

  it("never change a value, and leave it readable where they are not known", () => {
    for (const [info, trouble] of [
      [undefined, null],
      [failed("timed out"), "its decimals: timed out"],
      [{ status: "absent" } as const, "its decimals: not in the answer"],
      [ok({}), "the token's info does not tell its decimals"],
    ] as const) {
      const reading = readSupply(info);
      expect(reading.decimals("total_supply")).toBeNull();
      expect(reading.describe().label).toBe("0x000000…012a");
      expect(reading.describe().unit("total_supply")).toBe("");
      expect(reading.rows[0]?.value("total_supply")?.toString()).toBe("9412508331274519");
      expect(reading.trouble).toBe(trouble);
    }
  });

  it("are nothing where the info is malformed", () => {
    for (const decimals of ["18.5", "", null, -1, 256, "0x12", [18]]) {
      expect(tokenFacts(ok(infoRecord({ decimals }))).decimals).toBeNull();
    }
    expect(tokenFacts(ok(infoRecord({ decimals: 0 }))).decimals).toBe(0);
    expect(tokenFacts(ok(infoRecord({ decimals: "18" }))).decimals).toBe(18);
    expect(tokenFacts(ok(infoRecord({ symbol: ["AUSD"] }))).symbol).toBeNull();
    expect(tokenFacts(ok(infoRecord({ symbol: `\n${"x".repeat(50)}` }))).symbol).toHaveLength(20);
  });

  it("lose against the name that the rule gives", () => {
    const named = tokenSupply.subject({ chainId: 1, id: TOKEN, protocol: null, name: "Dollars" });
    const reading = tokenSupply.read(
      named,
      answersOf({ supply: ok(supplyRecord()), token_info: ok(infoRecord()) }),
      NOW,
    );
    expect(descriptionOf(reading, named.name)?.label).toBe("Dollars");
  });
});
