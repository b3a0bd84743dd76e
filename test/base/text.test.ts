import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, cutText, LONGEST_NAME, shortId } from "../../src/base/text.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(
      "a",
      " ",
      "\n",
      "\u202e",
      "\u200b",
      "\u0301",
      "\ud800",
      "👍",
      "\u001b[31m",
    ),
    maxLength: 200,
  }),
);

describe("cleaning text from a chain", () => {
  it.each([
    ["USDC", "USDC"],
    ["  Wrapped  Ether \t", "Wrapped Ether"],
    ["a\r\nb\u2028c\u00a0d", "a b c d"],
    ["a \u200b b", "a b"],
    // Terminal escapes: what is left is visible and does nothing.
    ["\u001b[31mred\u001b[0m\u0007", "[31mred[0m"],
    ["\u009b31mred", "31mred"],
    // Right-to-left overrides, isolates and marks.
    ["\u202eCDSU\u202c\u2066x\u2069\u200e\u061c", "CDSUx"],
    // Zero-width and other fillers that make two names look alike.
    ["U\u200bS\u200cD\u200d\u2060C\ufeff\u00ad", "USDC"],
    ["\u3164\u115f\uffa0\u2800U\u034f\u180e\ufe0f", "U"],
    // Tags carry hidden text.
    [`US${String.fromCodePoint(0xe0055, 0xe0053)}`, "US"],
    ["US\ud800DC\udfff", "USDC"],
    ["\ufffd\uffff\ue000", ""],
    ["Café", "Café"],
    ["e\u0301\u0302\u0303\u0304\u0305\u0306", "e\u0301\u0302\u0303"],
    ["\u0301\u0302 mark first", "mark first"],
    ["漢字 ครั้ง हिन्दी", "漢字 ครั้ง हिन्दी"],
    ["👍🏽 moon", "👍🏽 moon"],
    ["👨\u200d👩\u200d👧", "👨👩👧"],
    // Markup is no business of this function: each output escapes for itself.
    ["<!channel> & `x`", "<!channel> & `x`"],
  ])("makes %j into %j", (given, clean) => {
    expect(cleanText(given)).toBe(clean);
  });

  it("leaves one line of visible characters, no longer than the limit", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 80 }), (text, limit) => {
        const clean = cleanText(text, limit);
        expect([...clean].length).toBeLessThanOrEqual(limit);
        expect(clean.isWellFormed()).toBe(true);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|\p{M}{4}|^\s|\s$|\s\s/u);
      }),
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
      }),
    );
  });

  it("cuts a novel, and quickly", () => {
    expect(cleanText("N".repeat(5_000))).toBe(`${"N".repeat(LONGEST_NAME - 1)}…`);
    expect(cleanText("e" + "\u0301".repeat(5_000_000))).toBe("e\u0301\u0301\u0301");
    expect(cleanText("\u200b".repeat(5_000_000))).toBe("");
  });
});

describe("cutting text", () => {
  it.each([
    ["short", 5, "short"],
    ["longer", 5, "long…"],
    ["two words", 5, "two…"],
    ["👍👍👍👍", 3, "👍👍…"],
    ["ab", 1, "…"],
    ["", 0, ""],
  ])("cuts %j to %d: %j", (text, limit, cut) => {
    expect(cutText(text, limit)).toBe(cut);
  });

  it("never splits a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 20 }),
        (text, limit) => {
          const cut = cutText(text, limit);
          expect(cut.isWellFormed()).toBe(true);
          expect([...cut].length).toBeLessThanOrEqual(limit);
          expect(cut === text || cut.endsWith("…")).toBe(true);
        },
      ),
    );
  });
});

describe("shortening an id", () => {
  it("keeps both ends of a long one and all of a short one", () => {
    expect(shortId(`0x21c67e77${"0".repeat(52)}ca27`)).toBe("0x21c67e…ca27");
    expect(shortId("12345678901234")).toBe("12345678901234");
  });
});
