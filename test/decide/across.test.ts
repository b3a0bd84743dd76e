import { describe, expect, it } from "vitest";
import { AcrossReading, acrossKind, acrossOf, acrossSubject } from "../../src/decide/across.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import type { Subject } from "../../src/model/index.ts";

const on = (chainId: number, name: string | null = null): Subject => ({
  key: `token_supply:${chainId}:0xa`,
  kind: "token_supply",
  chainId,
  ids: {},
  name,
});

const reading = (label: string, unit: string, decimals: number | null): Reading => ({
  rows: [],
  trouble: null,
  absent: false,
  unanswered: null,
  closed: false,
  marks: () => [],
  decimals: () => decimals,
  describe: () => ({ label, chain: "", link: null, range: null, unit: () => unit }),
});

const together = (subjects: readonly Subject[], readings: readonly Reading[]): AcrossReading =>
  new AcrossReading("sum", false, subjects, readings);

describe("several subjects as one", () => {
  it("have the name that their rule gives all of them, else the one that all answers give", () => {
    const [usdc, other] = [reading("USDC", "USDC", 6), reading("USDC.e", "USDC.e", 6)];
    const label = (names: readonly (string | null)[], second: Reading): string =>
      together([on(1, names[0] ?? null), on(137, names[1] ?? null)], [usdc, second]).describe()
        .label;
    expect(label(["Treasury", "Treasury"], other)).toBe("Treasury");
    expect(label(["Treasury", null], usdc)).toBe("USDC");
    expect(label([null, null], other)).toBe("2 subjects");
  });

  it("have a unit and decimals only where all of them have the same", () => {
    const both = [on(1), on(137)];
    const same = together(both, [reading("a", "USDC", 6), reading("b", "USDC", 6)]);
    expect([same.describe().unit("total_supply"), same.decimals("total_supply")]).toEqual([
      "USDC",
      6,
    ]);
    const mixed = together(both, [reading("a", "USDC", 6), reading("b", "USDT", 18)]);
    expect([mixed.describe().unit("total_supply"), mixed.decimals("total_supply")]).toEqual([
      "",
      null,
    ]);
  });

  it("are the same in any order, and another one where one of them is another", () => {
    const key = (...chains: readonly number[]): string =>
      acrossSubject(
        "token_supply",
        "max",
        chains.map((chain) => on(chain)),
      ).key;
    expect(key(1, 137)).toBe(key(137, 1));
    expect(key(1, 137)).not.toBe(key(1, 10));
    expect([acrossKind(key(1)), acrossOf(key(1))]).toEqual(["token_supply", "max"]);
    expect([acrossKind(on(1).key), acrossOf(on(1).key)]).toEqual([null, null]);
  });

  it("are on the chain of all of them, and on none where there are several", () => {
    const chainOf = (...chains: readonly number[]): number =>
      acrossSubject(
        "token_supply",
        "sum",
        chains.map((chain) => on(chain)),
      ).chainId;
    expect([chainOf(137, 137), chainOf(1, 137)]).toEqual([137, 0]);
  });
});
