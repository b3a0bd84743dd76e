import { describe, expect, it } from "vitest";
import { axisText, everyDigit, formOf } from "../../../src/web/page/format/form.ts";
import { clockText } from "../../../src/web/page/format/times.ts";
import { clauses, cut } from "../../../src/web/page/format/words.ts";

describe("how values are written", () => {
  it.each([
    [{ exact: "15574355.97", text: "$15.6M" }, "$15,574,355.97", 20_000_000, "$20M"],
    [{ exact: "11378259922", text: "11.4 gwei" }, "11.378259922 gwei", 5e9, "5 gwei"],
    [{ exact: "0.972", text: "97.2%" }, "97.2%", 0.95, "95%"],
    [{ exact: "401818223000000", text: "402M AUSD" }, "401,818,223 AUSD", 4e14, "400M AUSD"],
    [
      { exact: "1938.5921774", text: "1,938.59 USDC per ETH" },
      "1,938.5921774 USDC per ETH",
      2_000,
      "2,000 USDC per ETH",
    ],
    [{ exact: "999999999", text: "$1B" }, "$999,999,999", 1e9, "$1B"],
    [{ exact: "-7227667.76", text: "-$7.23M" }, "-$7,227,667.76", -1e6, "-$1M"],
    [{ exact: "27207", text: "27,207" }, "27,207", 27_500, "27,500"],
  ])("is learnt from %j", (shown, all, axis, text) => {
    expect(everyDigit(shown)).toBe(all);
    expect(axisText(axis, formOf(shown))).toBe(text);
  });

  it("tells an axis' values apart, however near they are to each other", () => {
    const form = formOf({ exact: "11027771970115658", text: "11B AUSD" });
    expect([1.1024e16, 1.1026e16].map((one) => axisText(one, form, 2e12))).toEqual([
      "11.024B AUSD",
      "11.026B AUSD",
    ]);
    const dollars = formOf({ exact: "15574355.97", text: "$15.6M" });
    expect([15_500_000, 15_502_500].map((one) => axisText(one, dollars, 2_500))).toEqual([
      "$15.5M",
      "$15.5025M",
    ]);
  });

  it.each([
    [{ exact: "0", text: "0 gwei" }],
    [{ exact: "true", text: "yes" }],
    [{ exact: "1764363540", text: "2025-11-28 20:59 UTC" }],
    [{ exact: "0xfac58b", text: "0xfac58b" }],
  ])("is not guessed from %j: the exact value stands as it is", (shown) => {
    expect(formOf(shown)).toBeNull();
    expect(everyDigit(shown)).toBe(shown.exact);
  });
});

describe("a sentence", () => {
  it.each([
    ["TVL -32% in 1 h: ETH/USDC lost $7.23M", "TVL -32% in 1 h:"],
    ["Ethereum tip 11.4 gwei, limit 5. Top 10%", "Ethereum tip 11.4 gwei,"],
    ["Out of range: Treasury ETH/USDC. 1,938.59 < 2,012.28", "Out of range: Treasury ETH/USDC."],
    ["Back in range", "Back in range"],
    ["1,938.59 is the price", "1,938.59 is the price"],
  ])("%j has its first clause in bold", (sentence, first) => {
    expect(clauses(sentence)[0]).toBe(first);
    expect(clauses(sentence).join("")).toBe(sentence);
  });

  it("is cut by characters, not within one", () => {
    expect(cut("🟠".repeat(200), 3)).toBe("🟠🟠…");
  });
});

describe("a time without a script", () => {
  const now = Date.parse("2026-11-28T21:39:00Z");
  it.each([
    ["2026-11-28T21:29:00Z", "21:29"],
    ["2026-11-26T05:12:00Z", "Thu 05:12"],
    ["2026-11-20T05:12:00Z", "20 Nov"],
    ["2026-11-30T08:00:00Z", "Mon 08:00"],
  ])("%s is %s", (at, text) => {
    expect(clockText(Date.parse(at), now)).toBe(text);
  });
});
