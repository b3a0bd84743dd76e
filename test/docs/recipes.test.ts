import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { problemPage, testPage } from "../../src/cli/test-page.ts";
import { TextFile } from "../../src/config/files/text-file.ts";
import { readRuleFiles } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { FileResult } from "../../src/replay/run-tests.ts";
import {
  blocksOf,
  checkTexts,
  isOfNodes,
  pageFolder,
  pageText,
  runText,
  sectionsOf,
} from "../support/page.ts";
import { WHOLE } from "../support/tier.ts";

const PAGE = pageText("recipes.md");

const RECIPES = sectionsOf(PAGE, "##").map(({ title, text }) => {
  const [rules = "", cases = "", ...more] = blocksOf(text, "yaml");
  const [shown = "", ...others] = blocksOf(text, "");
  return { title, text, rules, cases, shown, extra: [...more, ...others] };
});

const { folder, remove } = pageFolder();
afterAll(remove);

/** In the short pass every fourth is tested. */
const TESTED = RECIPES.filter((_, i) => WHOLE || i % 4 === 0);

const results = new Map<string, FileResult>();
for (const [i, { title, rules, cases }] of TESTED.entries()) {
  results.set(title, await runText(folder, String(i), `${rules}\n${cases}`));
}

/** What was sent in the cases of a recipe, in their order. */
function sentIn(title: string): readonly string[] {
  const rows = (results.get(title)?.cases ?? []).flatMap((one) => one.rows);
  return rows.flatMap(({ seen }) => (seen === null ? [] : [seen.notice.headline]));
}

/** How a heading is called in a link. */
function anchorOf(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s-]/gu, "");
  return words.replaceAll(" ", "-");
}

/** A rule of some rules files as canonical text. */
async function sourceOf(texts: readonly string[], rule: string): Promise<string | undefined> {
  const files = texts.map((text, i) => new TextFile(`${i}.yaml`, text));
  const { rules } = await readRuleFiles(files, { watches: KINDS, channels: ["console"] });
  return rules.find(({ name }) => name === rule)?.source;
}

describe("docs/recipes.md", () => {
  it("has recipes, and a link to each", () => {
    expect(RECIPES.length).toBeGreaterThan(20);
    const links = Array.from(PAGE.matchAll(/\]\(#([^)]+)\)/g), ([, anchor]) => anchor);
    const anchors = RECIPES.map(({ title }) => anchorOf(title));
    expect(links).toHaveLength(anchors.length);
    expect(new Set(links)).toEqual(new Set(anchors));
  });

  it("has rules that check takes all together, without a warning", async () => {
    const texts = RECIPES.map(({ rules }) => rules);
    // Those that need a node are for another configuration.
    for (const some of [texts.filter(isOfNodes), texts.filter((text) => !isOfNodes(text))]) {
      const checked = pageFolder();
      expect(await checkTexts(checked.folder, some).finally(checked.remove)).toEqual([]);
    }
  });
});

describe.each(TESTED)("the recipe $title", ({ title, text, shown, extra }) => {
  const result = results.get(title);

  it("has one rule block, one test and one block of first lines, and advice", () => {
    expect(extra).toEqual([]);
    expect(text).toContain("\n- **Tune:** ");
    expect(text).toContain("\n- **Trap:** ");
    expect(text).toMatch(/^## .+\n\nYou get /);
  });

  it("does what its test says", () => {
    expect(problemPage(result === undefined ? [] : [result])).toBe("");
    for (const one of result?.cases ?? []) {
      // The page says more of a failure than that it is one.
      const page = result === undefined ? "" : testPage([{ ...result, cases: [one] }], false);
      expect(one.ok ? "passed" : page).toBe("passed");
    }
  });

  it("is seen both to speak and to keep quiet", () => {
    const counts = (result?.cases ?? []).map(({ test }) => test.expected.length);
    expect(counts.some((count) => count > 0)).toBe(true);
    expect(counts.some((count) => count === 0)).toBe(true);
  });

  it("shows the first lines that are sent, every one and no other", () => {
    expect(shown.trimEnd().split("\n")).toEqual(sentIn(title));
  });
});

/** Recipes that say that they are a rule of a pack: the rule, and its file. */
const PACKED = RECIPES.flatMap(({ rules, text }) => {
  const claim = /This\s+is\s+`([\w-]+)`\s+of\s+\[rules\/([\w-]+\.yaml)\]/.exec(text);
  return claim === null ? [] : [[claim[1] ?? "", claim[2] ?? "", rules] as const];
});

describe("recipes that are in the packs as well", () => {
  it.each(PACKED)("%s is that of rules/%s", async (name, file, text) => {
    // Its lists may be in another pack.
    const packs = new Set([file, "treasury.yaml"]);
    const texts = Array.from(packs, (one) => readFileSync(`rules/${one}`, "utf8"));
    expect(await sourceOf(texts, name)).toBeTypeOf("string");
    expect(await sourceOf([text], name)).toBe(await sourceOf(texts, name));
  });

  it("are some", () => {
    expect(PACKED.length).toBeGreaterThan(3);
  });
});
