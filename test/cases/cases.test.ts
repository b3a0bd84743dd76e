import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { problemPage, testPage } from "../../src/cli/test-page.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { type FileResult, runTests } from "../../src/replay/run-tests.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { ELSEWHERE } from "./elsewhere.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const RULES = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8");

/** What the reference says: an id begins a point of a list, or a row of a table. */
const ID = /^(?:- \*\*|\| )([A-Z](?:-[a-z_-]+|\d+[a-z]?))(?:\*\*| \|)/gm;
const SAID = Array.from(RULES.matchAll(ID), ([, id]) => id ?? "");

const files: (FileResult & { readonly name: string })[] = [];
for (const name of readdirSync(FOLDER).filter((one) => one.endsWith(".test.yaml"))) {
  const result = await runTests(`${FOLDER}${name}`, {
    kinds: KINDS,
    createStore: createMemoryStore,
  });
  files.push({ name, ...result });
}

/** The ids that a case proves stand before the colon in its name. */
function idsOf(name: string): readonly string[] {
  return name.slice(0, Math.max(0, name.indexOf(":"))).split(" ");
}

describe.each(files)("$name", ({ cases, ...file }) => {
  it("can be read", () => {
    expect(problemPage([{ ...file, cases }])).toBe("");
    expect(cases.length).toBeGreaterThan(0);
  });

  it.each(cases.map((one) => [one.test.name, one] as const))("%s", (_, one) => {
    // The page says more of a failure than that it is one.
    const page = testPage([{ ...file, cases: [one] }], false);
    expect(one.ok ? "passed" : page).toBe("passed");
  });
});

describe("the sentences of docs/rules.md and what proves them", () => {
  const cases = files.flatMap((file) => file.cases.map(({ test }) => test.name));
  const proven = new Set(cases.flatMap(idsOf));

  it("have ids of their own", () => {
    expect(SAID.length).toBeGreaterThan(100);
    expect(SAID.filter((id, i) => SAID.indexOf(id) !== i)).toEqual([]);
  });

  it("have a case each, or a story elsewhere", () => {
    expect(SAID.filter((id) => !proven.has(id) && !(id in ELSEWHERE))).toEqual([]);
  });

  it("are there for every case and every story", () => {
    const known = new Set(SAID);
    expect([...proven, ...Object.keys(ELSEWHERE)].filter((id) => !known.has(id))).toEqual([]);
  });

  it.each(Object.entries(ELSEWHERE))("%s is proven where it is said to be", (_, [file, words]) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    expect(text).toContain(words);
  });
});
