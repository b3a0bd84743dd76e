import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError, type Problem } from "../../src/config/files/text-file.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { loadTemplates } from "../../src/notices/template/library.ts";
import { describeRule } from "../../src/rules/describe/sentence.ts";
import { cpuMsSince } from "../support/cpu.ts";
import { propertyRuns } from "../support/tier.ts";

await loadTemplates();

/** Without the comments, in which an edit changes nothing. */
const FILES = ["gas", "lp", "pools", "treasury"].map((name) =>
  readFileSync(`rules/${name}.yaml`, "utf8").replaceAll(/^\s*(?:#.*)?\n/gm, ""),
);

/** A file of a few rules takes milliseconds; a slow machine that does other things gets this. */
const LONGEST_MS = 5_000;

/** What may stand where a value stood. */
const VALUES = [
  "",
  "null",
  "true",
  "[]",
  "{}",
  "[[[]]]",
  "{a: {b: [c]}}",
  "5",
  "-1",
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(400)}1`,
  "1e9999",
  "-1e-9999",
  "1e99999999999",
  "0x",
  ".inf",
  ".nan",
  "99999999999d",
  "p50",
  "p0",
  "100% of nothing",
  "100% of p50",
  '"${env:HOME}"',
  "'{{ value | nothing }}'",
  "'{% for a in (1..99999999) %}x{% endfor %}'",
  "*here",
  "&here x",
  "&here [*here]",
  '"* * * * *"',
  '"0 0 30 2 *"',
  "ethereum",
  "{list: my-positions}",
  "{metric: tip_top10, above: 5 gwei}",
  "{all: [{metric: tip_top10, above: 5}, {metric: tip_top10, below: 4}]}",
  "{not: {not: {not: {metric: tip_top10, above: 5}}}}",
  "constructor",
  "__proto__",
  "\u{1f525}\u202e",
  `"${"x".repeat(3_000)}"`,
  `${"[".repeat(200)}${"]".repeat(200)}`,
  `${"{a: ".repeat(200)}x${"}".repeat(200)}`,
];

type Edit = (lines: readonly string[]) => readonly string[];

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const indexIn = (at: number, lines: readonly string[]): number => Math.floor(at * lines.length);

const deleted = place.map(
  (at): Edit =>
    (lines) =>
      lines.toSpliced(indexIn(at, lines), 1),
);

const doubled = place.map(
  (at): Edit =>
    (lines) =>
      lines.toSpliced(indexIn(at, lines), 0, lines[indexIn(at, lines)] ?? ""),
);

const swapped = fc.tuple(place, place).map(
  ([a, b]): Edit =>
    (lines) => {
      const [i, j] = [indexIn(a, lines), indexIn(b, lines)];
      return lines.with(i, lines[j] ?? "").with(j, lines[i] ?? "");
    },
);

const indented = fc.tuple(place, fc.integer({ min: -4, max: 4 })).map(
  ([at, by]): Edit =>
    (lines) => {
      const i = indexIn(at, lines);
      const line = lines[i] ?? "";
      return lines.with(i, by < 0 ? line.slice(-by) : " ".repeat(by) + line);
    },
);

/** The value of a block key, or of one key of a map in braces. */
const retyped = fc.tuple(place, fc.constantFrom(...VALUES), fc.nat(3)).map(
  ([at, value, which]): Edit =>
    (lines) => {
      const i = indexIn(at, lines);
      const line = lines[i] ?? "";
      const keys = [...line.matchAll(/[\w-]+: /g)];
      const key = keys[which % Math.max(1, keys.length)];
      if (key === undefined) return lines;
      const start = key.index + key[0].length;
      const end =
        which === 0 ? line.length : start + (/^[^,}\]]*/.exec(line.slice(start))?.[0].length ?? 0);
      return lines.with(i, line.slice(0, start) + value + line.slice(end));
    },
);

const renamed = fc
  .tuple(place, fc.constantFrom("if", "every", "channel", "metrc", "gt", "op", "pool", "a b", "~"))
  .map(
    ([at, key]): Edit =>
      (lines) => {
        const i = indexIn(at, lines);
        return lines.with(i, (lines[i] ?? "").replace(/[\w-]+(?=: )/, key));
      },
  );

const mutated = fc
  .tuple(
    fc.constantFrom(...FILES),
    fc.array(fc.oneof(deleted, doubled, swapped, indented, retyped, retyped, renamed), {
      minLength: 1,
      maxLength: 8,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce<readonly string[]>((lines, edit) => edit(lines), text.split("\n")).join("\n"),
  );

/** Reads a text as rules; what is wrong with it, or null after every rule was put in words. */
function readAll(text: string): readonly Problem[] | null {
  const context = { watches: KINDS, channels: ["console", "lp-slack"] };
  try {
    const { rules } = parseRules(text, "rules.yaml", context);
    for (const rule of rules) {
      const metrics = KINDS.get(rule.kind)?.metrics ?? new Map();
      const sentence = describeRule(rule, { metrics });
      expect(sentence).toMatch(/^Tells \S/);
      expect(sentence).not.toMatch(/undefined|\[object|NaN|\p{Cc}/u);
    }
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function expectLocated(problems: readonly Problem[], text: string): void {
  const lines = text.split("\n");
  expect(problems.length).toBeGreaterThan(0);
  const said = new Set<string>();
  for (const { line, column, message, expected, suggestion } of problems) {
    expect(lines[line - 1]?.length ?? -1).toBeGreaterThanOrEqual(column - 1);
    for (const part of [message, expected ?? "", suggestion ?? ""]) {
      expect(part).not.toMatch(/undefined|\[object|NaN|Invalid input|\p{Cc}/u);
    }
    const whole = `${line}:${column} ${message}`;
    expect(said).not.toContain(whole);
    said.add(whole);
  }
}

const RUNS = propertyRuns(480);

describe("rules files with damaged lines", () => {
  it("load, or are refused with places, once each, and in little time", () => {
    const outcomes = { loaded: 0, refused: 0 };
    fc.assert(
      fc.property(mutated, (text) => {
        const began = process.cpuUsage();
        const problems = readAll(text);
        expect(cpuMsSince(began)).toBeLessThan(LONGEST_MS);
        outcomes[problems === null ? "loaded" : "refused"]++;
        if (problems !== null) expectLocated(problems, text);
      }),
      { numRuns: RUNS },
    );
    // A test that refuses or takes everything would show nothing.
    expect(outcomes.loaded).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(RUNS / 4);
  });

  it.each([
    [
      "aliases of aliases",
      `a: &a [x]\n${Array.from({ length: 40 }, (_, i) => `b${i}: &b${i} [${i === 0 ? "*a, *a" : `*b${i - 1}, *b${i - 1}`}]`).join("\n")}\nrules: *b39\n`,
    ],
    ["brackets in brackets", `rules: ${"[".repeat(20_000)}`],
    [
      "lists in lists",
      `rules:\n${Array.from({ length: 2_000 }, (_, i) => `${" ".repeat(i)}-`).join("\n")}\n`,
    ],
    [
      "conditions in conditions",
      `rules:\n  - name: a\n    watch: {kind: gas, chain: 1}\n    when: ${"{not: ".repeat(60)}{metric: tip_top10, above: 5}${"}".repeat(60)}\n`,
    ],
    ["a very long line", `rules: [${"{name: a}, ".repeat(5_000)}]\n`],
    ["a very long word", `rules:\n  - ${"n".repeat(500_000)}: 1\n`],
    [
      "a very long number",
      `rules:\n  - name: a\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, above: ${"9".repeat(200_000)}}\n    for: ${"9".repeat(200_000)}\n`,
    ],
    ["many rules that are wrong", `rules:\n${"  - {nam: a, if: 5, watch: 7}\n".repeat(1_000)}`],
  ])("are refused in little time with %s", (_name, text) => {
    const began = process.cpuUsage();
    const problems = readAll(text);
    expect(cpuMsSince(began)).toBeLessThan(3 * LONGEST_MS);
    if (problems !== null) expectLocated(problems, text);
  });
});
