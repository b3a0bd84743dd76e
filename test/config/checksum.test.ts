import { describe, expect, it } from "vitest";
import { hasWrongChecksum } from "../../src/rules/lint/checksum.ts";
import { POOL, ruleText, warned } from "./rules-text.ts";

/** The examples of EIP-55 itself. */
const GOOD = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];
const [, , RIGHT = ""] = GOOD;
const WRONG = RIGHT.replace(/d$/, "c");
const message =
  "the checksum of this address is wrong: is one letter or digit mistyped?, expected the address as it was shown where it comes from, or in lower case if it is right [wrong-checksum]";

describe("the checksum of an address", () => {
  it.each(GOOD)("%s is right, and not with another letter, digit or case", (address) => {
    expect(hasWrongChecksum(address)).toBe(false);
    if (!/[a-f]/.test(address) || !/[A-F]/.test(address)) return;
    for (let i = 2; i < address.length; i++) {
      const digit = address[i] ?? "";
      const put = (other: string): string => address.slice(0, i) + other + address.slice(i + 1);
      if (/[a-f]/i.test(digit)) {
        const other = digit === digit.toUpperCase() ? digit.toLowerCase() : digit.toUpperCase();
        expect(hasWrongChecksum(put(other))).toBe(true);
      } else expect(hasWrongChecksum(put(digit === "9" ? "8" : "9"))).toBe(true);
    }
  });

  it("is not asked of one case, nor of what is not an address", () => {
    for (const text of [
      WRONG.toLowerCase(),
      `0x${WRONG.slice(2).toUpperCase()}`,
      "0xAb",
      POOL,
      "",
    ]) {
      expect(hasWrongChecksum(text)).toBe(false);
    }
  });

  it.each([
    [{ watch: `{kind: token_supply, chain: 1, decimals: 6, token: ADDRESS}` }, "3:63"],
    [{ watch: `{kind: token_supply, chain: 1, decimals: 6, token: [{id: ADDRESS}]}` }, "3:69"],
    [
      {
        watch: `{kind: token_balance, chain: 1, decimals: 6, wallet: ADDRESS, token: ${RIGHT}}`,
        when: "{metric: balance, above: 5}",
      },
      "3:65",
    ],
    [
      {
        watch: "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}",
        when: "{metric: owner_address, not_equals: ADDRESS}",
      },
      "4:47",
    ],
  ])("is doubted at its place in %o", (keys, place) => {
    const text = (address: string): string =>
      ruleText({ when: "{metric: total_supply, above: 5}", ...keys }).replace("ADDRESS", address);
    expect(warned(text(WRONG))).toEqual([`rules.yaml:${place}: ${message}`]);
    expect(warned(text(RIGHT))).toEqual([]);
    expect(warned(text(WRONG.toLowerCase()))).toEqual([]);
  });
});
