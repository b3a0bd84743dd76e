import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { propertyRuns } from "../support/tier.ts";
import { problemsOf } from "./rules-text.ts";

const FILES = ["gas", "lp", "pools", "treasury"].map((name) =>
  readFileSync(`rules/${name}.yaml`, "utf8"),
);
const PIECES = [
  ..."\t\n :,[]{}&*!|>'\"%@`#-?0a",
  "  ",
  ": ",
  "- ",
  "${env:X}",
  "{{ x }}",
  "null",
  "0x",
  "1,000",
  "*a",
  "&a ",
  "<<: ",
  "__proto__",
  "\u202e",
  "🔥",
  "\r",
  "---\n",
  "constructor",
  "toString",
];

/** Cuts, inserts and copies pieces of a good file. */
const mutated = fc
  .tuple(
    fc.constantFrom(...FILES),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        cut: fc.nat(12),
        piece: fc.constantFrom(...PIECES, ""),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((left, { at, cut, piece }) => {
      const offset = Math.floor(at * left.length);
      return left.slice(0, offset) + piece + left.slice(offset + cut);
    }, text),
  );

it("refuses damaged files with places and never falls over", () => {
  fc.assert(
    fc.property(mutated, (text) => {
      const lines = text.split("\n").length;
      for (const { line, column, message, source } of problemsOf(text)) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(message).not.toMatch(/undefined|\[object|NaN|Invalid input/);
        expect(source).not.toMatch(/\p{Cc}/u);
      }
    }),
    { numRuns: propertyRuns(400) },
  );
});

it("reads any data whatever as a rule without falling over", () => {
  const key = fc.constantFrom(
    "name",
    "watch",
    "when",
    "for",
    "notify",
    "labels",
    "schedule",
    "kind",
    "chain",
    "pools",
    "metric",
    "above",
    "within",
    "all",
    "not",
    "rules",
    "constructor",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(
        null,
        true,
        5,
        "5m",
        "gas",
        "v4_pool",
        "tip_top10",
        "",
        "1",
        -1.5,
        "10%",
        "x y",
      ),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(value, (rule) => {
      // JSON is YAML.
      const text = JSON.stringify({ rules: [rule] });
      for (const { message } of problemsOf(text)) {
        expect(message).not.toMatch(/undefined|\[object|NaN|Invalid input/);
      }
    }),
    { numRuns: propertyRuns(400) },
  );
});
