import { afterAll, describe, expect, it } from "vitest";
import { problemPage, testPage } from "../../src/cli/test-page.ts";
import { comparisonsOf } from "../../src/decide/condition-tree.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Condition } from "../../src/model/index.ts";
import {
  blocksOf,
  checkTexts,
  pageFolder,
  pageText,
  runText,
  sectionsOf,
} from "../support/page.ts";

const PAGE = pageText("rules.md");
const isTest = (block: string): boolean => /^cases:/m.test(block);
const isRules = (block: string): boolean => /^(?:rules|references|lists):/m.test(block);

const { folder, remove } = pageFolder();
afterAll(remove);

const runs: (Awaited<ReturnType<typeof runText>> & { readonly heading: string })[] = [];
for (const { title, text } of ["##", "###"].flatMap((level) => sectionsOf(PAGE, level))) {
  // A part under ## has those under ### in it, which come by themselves.
  const own = title.startsWith("`") ? text : (text.split("\n### ")[0] ?? "");
  for (const block of blocksOf(own, "yaml").filter(isTest)) {
    runs.push({ heading: title, ...(await runText(folder, String(runs.length), block)) });
  }
}

const casesUnder = (heading: string) =>
  runs.filter((one) => one.heading === heading).flatMap(({ cases }) => cases);

/** What a condition is made of: the keys of its comparisons and of what joins them. */
function keysOf(condition: Condition): readonly string[] {
  if (condition.op === "not") return ["not", ...keysOf(condition.term)];
  if (condition.op === "all" || condition.op === "any") {
    return [condition.op, ...condition.terms.flatMap(keysOf)];
  }
  return comparisonsOf(condition).flatMap((one) =>
    "span" in one ? [one.op, one.span.kind] : [one.op],
  );
}

/** The keys of the table of conditions; `with since: last` and the like are ids of it. */
const CONDITIONS = Array.from(PAGE.matchAll(/^\| K-([a-z_-]+) \|/gm), ([, key = ""]) =>
  key.replace("-", "_"),
);

describe("the examples in docs/rules.md", () => {
  it.each(runs)("under $heading do what their cases say", (run) => {
    expect(problemPage([run])).toBe("");
    expect(run.cases.length).toBeGreaterThan(0);
    for (const one of run.cases) {
      // The page says more of a failure than that it is one.
      expect(one.ok ? "passed" : testPage([{ ...run, cases: [one] }], false)).toBe("passed");
    }
  });

  it("are there for each kind, with a notice that comes", () => {
    for (const { kind, variantOf } of KINDS.values()) {
      if (variantOf !== undefined) continue;
      const cases = casesUnder(`\`${kind}\``);
      const own = cases.filter(({ test }) =>
        test.rules.every((rule) => [rule.kind, KINDS.get(rule.kind)?.variantOf].includes(kind)),
      );
      const speaks = own.some(({ test }) => test.expected.length > 0);
      expect([kind, speaks]).toEqual([kind, true]);
    }
  });

  it("are there for each condition, with a notice that comes", () => {
    const speaking = casesUnder("Conditions at work").filter(
      ({ test }) => test.expected.length > 0,
    );
    const shown = new Set(
      speaking.flatMap(({ test }) => test.rules.flatMap(({ when }) => keysOf(when))),
    );
    expect(CONDITIONS.length).toBeGreaterThan(15);
    expect(CONDITIONS.filter((key) => !shown.has(key))).toEqual([]);
  });

  /** The rule of each kind's own section, with the condition of the table of kinds in its place. */
  const short = Array.from(
    PAGE.matchAll(/^\| \[`(\w+)`\]\(#\w+\) \|[^|]*\| `([^`]+)` \|/gm),
    (row) => {
      const [, kind = "", condition = ""] = row;
      const section = sectionsOf(PAGE, "###").find(({ title }) => title === `\`${kind}\``);
      const [block = ""] = blocksOf(section?.text ?? "", "yaml");
      return block
        .replace(/name: .*/, `name: in-short-${kind}`)
        .replace(/when: .*/, () => `when: ${condition}`)
        .replaceAll(/^ +resolve_when: .*\n/gm, "");
    },
  );
  const named = [...blocksOf(PAGE, "yaml"), ...short]
    .filter(isRules)
    .map((block) => [/name: ([^ ,#\n]+)/.exec(block)?.[1] ?? block, block] as const);
  it.each(named)("are taken by check without a warning: %s", async (_, block) => {
    const checked = pageFolder();
    // Cases are for tickwatch test.
    const [rules = ""] = block.split(/^cases:/m);
    expect(await checkTexts(checked.folder, [rules]).finally(checked.remove)).toEqual([]);
  });
});
