import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { match } from "../../src/fetch/match.ts";
import { plan } from "../../src/fetch/plan.ts";
import type { Ask, RawRecord } from "../../src/model/index.ts";

const poolId = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;

function pools(...numbers: number[]): Ask[] {
  return numbers.map((n) => ({
    key: `v4_pool:1:${poolId(n)}`,
    record: "v4_pool",
    chainId: 1,
    id: poolId(n),
  }));
}

function entry(n: number, changes: RawRecord = {}): RawRecord {
  return { pool_id: poolId(n), chain_id: 1, tvl_usd: n, ...changes };
}

function matched(asks: readonly Ask[], entries: readonly unknown[]) {
  const [request] = plan(asks);
  const made = match(request!, entries);
  if ("problem" in made) return { seen: [made.problem], ignored: 0 };
  const { answers, ignored } = made;
  const seen = answers.map((a) => (a.status === "ok" ? a.records[0]?.tvl_usd : a.status));
  return { seen, ignored };
}

describe("matching an answer to its asks", () => {
  it("finds entries in any order and letter case", () => {
    const upper = { pool_id: poolId(10).toUpperCase() };
    expect(matched(pools(10, 2, 3), [entry(3), entry(10, upper), entry(2)]).seen).toEqual([
      10, 2, 3,
    ]);
  });

  it("calls absent what is not there and ignores what nobody asked for", () => {
    expect(matched(pools(1, 2), [entry(9), entry(2)])).toEqual({ seen: ["absent", 2], ignored: 1 });
    expect(matched(pools(1, 2), [])).toEqual({ seen: ["absent", "absent"], ignored: 0 });
  });

  it("takes the first of two entries for one item and counts the other", () => {
    const double = [entry(1), entry(1, { tvl_usd: 99 })];
    expect(matched(pools(1), double)).toEqual({ seen: [1], ignored: 1 });
  });

  it("gives two asks for one item the same entry", () => {
    const twice = [...pools(1, 2), ...pools(1).map((ask) => ({ ...ask, key: "the same again" }))];
    expect(matched(twice, [entry(1), entry(2)])).toEqual({ seen: [1, 2, 1], ignored: 0 });
    expect(matched(twice, [entry(2), entry(1)])).toEqual({ seen: [1, 2, 1], ignored: 0 });
  });

  it("lets an entry that is no object spoil only itself", () => {
    const entries = [null, "x", 7, [entry(1)], { error: "no" }, entry(2)];
    expect(matched(pools(1, 2), entries)).toEqual({ seen: ["absent", 2], ignored: 5 });
  });

  it("takes no entry of another chain", () => {
    expect(matched(pools(1), [entry(1, { chain_id: 137 })]).seen).toEqual(["absent"]);
    expect(matched(pools(1), [entry(1, { chain_id: "1" })]).seen).toEqual([1]);
    expect(matched(pools(1), [entry(1, { chain_id: null })]).seen).toEqual([1]);
    expect(matched(pools(1), [entry(1, { chain_id: 137 }), entry(1)]).seen).toEqual([1]);
    const trap = { toString: 1, valueOf: 1 };
    expect(matched(pools(1), [entry(1, { chain_id: trap })]).seen).toEqual(["absent"]);
  });

  it("takes no position of another protocol and knows ids that are numbers", () => {
    const ask: Ask = {
      key: "v4_position:1:dexa:42",
      record: "v4_position",
      chainId: 1,
      id: "42",
      protocol: "dexa",
    };
    const found = (changes: RawRecord): unknown =>
      matched([ask], [{ nft_id: "42", chain_id: 1, tvl_usd: 7, ...changes }]).seen[0];
    expect(found({ protocol: "DEXA" })).toBe(7);
    expect(found({ protocol: "dexb" })).toBe("absent");
    expect(found({ nft_id: 42 })).toBe(7);
    expect(found({ nft_id: null })).toBe("absent");
  });

  it("finds a token's balance by token, wallet and chain, in any letter case", () => {
    const id = "0x00000000efe302beaa2b3e6e1b18d08d69a9012a";
    const wallet = "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd";
    const ask: Ask = { key: "b", record: "balance", chainId: 1, id, wallet };
    const found = (changes: RawRecord): unknown =>
      matched([ask], [{ token_address: id, chain_id: 1, tvl_usd: 7, ...changes }]).seen[0];
    expect(found({})).toBe(7);
    expect(found({ token_address: "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a" })).toBe(7);
    expect(found({ wallet_address: wallet.toUpperCase() })).toBe(7);
    expect(found({ wallet_address: id })).toBe("absent");
    expect(found({ chain_id: 137 })).toBe("absent");
    expect(found({ token_address: wallet })).toBe("absent");
  });

  it("says how many holders there are on all pages, where the answer does", () => {
    const ask: Ask = { key: "h", record: "holder", chainId: 1, id: "0xaa", limit: 20, offset: 0 };
    const asked = { record: "holder", endpoint: "legacy_holders", asks: [ask], path: "/" } as const;
    const wallets = [{ wallet_address: "0x11", balance: "5" }];
    const list = { token_address: "0xaa", chain_id: 1, holders: wallets };
    const answer = (total: unknown) => {
      const made = match(asked, { ...list, total_holders: total });
      return "answers" in made ? made.answers : [];
    };
    expect(answer(3)).toEqual([{ status: "ok", records: wallets, total: 3 }]);
    expect(answer("3")).toEqual(answer(3));
    for (const none of [undefined, null, "", "many", -1, 1.5]) {
      expect(answer(none)).toEqual([{ status: "ok", records: wallets }]);
    }
  });

  it("gives a gas ask the whole list, and none is absent", () => {
    const ask: Ask = { key: "gas_hour:1", record: "gas_hour", chainId: 1, id: "" };
    const [request] = plan([ask]);
    const hours = [{ hour: "a" }, { hour: "b" }];
    expect(match(request!, [...hours, null])).toEqual({
      answers: [{ status: "ok", records: hours }],
      ignored: 1,
    });
    expect(match(request!, [])).toEqual({ answers: [{ status: "absent" }], ignored: 0 });
  });

  it("gives every ask its own entry whatever the order and the strangers between", () => {
    const numbers = fc.uniqueArray(fc.nat(500), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(numbers, fc.array(fc.nat(1_000)), fc.func(fc.integer()), (own, others, rank) => {
        const entries = [...new Set([...own, ...others])].map((n) => entry(n));
        const shuffled = entries.toSorted((a, b) => rank(a.tvl_usd) - rank(b.tvl_usd));
        expect(matched(pools(...own), shuffled).seen).toEqual(own);
      }),
    );
  });
});
