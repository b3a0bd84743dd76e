import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RULE } from "../../src/config/rules/rule-keys.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { TEMPLATE_FACTS } from "../../src/notices/template-facts.ts";

const TEXT = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8");

/** What rules can write; an option of one of them may choose another. */
const NAMES = [...KINDS.values()]
  .filter(({ variantOf }) => variantOf === undefined)
  .map(({ kind }) => kind);

/** The rows of the first table after a heading, cell by cell. */
function tableAfter(heading: string): string[][] {
  const start = TEXT.indexOf(`\n${heading}\n`);
  expect(start, `the heading ${heading}`).toBeGreaterThan(0);
  const lines = TEXT.slice(start).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|---"));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith("|"));
  return lines.slice(first + 1, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const names = (cell: string | undefined): string[] =>
  Array.from((cell ?? "").matchAll(/`([^`]+)`/g), ([, name]) => name ?? "");

describe("docs/rules.md", () => {
  it("has every key of a rule, and no other", () => {
    const documented = tableAfter("## Keys of a rule").flatMap(([cell]) => names(cell));
    expect(documented.toSorted()).toEqual(Object.keys(RULE.shape).toSorted());
  });

  it("has every fact of a template with what it is, and no other", () => {
    const documented = tableAfter("## Templates").map(([name, what]) => [names(name)[0], what]);
    expect(documented).toEqual(Object.entries(TEMPLATE_FACTS));
  });

  it("begins with every kind: a condition on it, and the metrics most asked for with their quantities", () => {
    expect(TEXT.indexOf("\n## Kinds and their metrics\n")).toBe(TEXT.indexOf("\n## "));
    const rows = tableAfter("## Kinds and their metrics");
    const kinds = rows.map(([kind]) => names(kind)[0] ?? "");
    expect(kinds.toSorted()).toEqual(NAMES.toSorted());
    for (const [kind, , condition = "", metrics = ""] of rows) {
      const known = KINDS.get(names(kind)[0] ?? "")?.metrics;
      const [, metric = ""] = /\{metric: (\w+),/.exec(condition) ?? [];
      expect([kind, metric, known?.has(metric)]).toEqual([kind, metric, true]);
      const listed = Array.from(metrics.matchAll(/`(\w+)` \(([^)]+)\)/g), ([, name = "", of]) => [
        name,
        of,
      ]);
      expect(listed).toEqual(listed.map(([name = ""]) => [name, known?.get(name)?.quantity]));
    }
  });

  it("has a section for every kind, and no other", () => {
    const sections = Array.from(TEXT.matchAll(/^### `([^`]+)`$/gm), ([, kind]) => kind);
    expect(new Set(sections)).toEqual(new Set(NAMES));
    expect(sections).toHaveLength(NAMES.length);
  });

  it.each(NAMES)("has every metric of %s with its quantity, and no other", (kind) => {
    const documented = tableAfter(`### \`${kind}\``).map(([name, quantity]) => [
      names(name)[0],
      quantity,
    ]);
    const metrics = [...(KINDS.get(kind)?.metrics.values() ?? [])];
    expect(documented).toEqual(metrics.map(({ name, quantity }) => [name, quantity]));
  });
});
