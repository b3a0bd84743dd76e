import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { FILE_KEYS } from "../../src/replay/load-tests.ts";
import { CASE_KEYS } from "../../src/replay/read-case.ts";
import { EXPECTED_KINDS, NOTICE_KEYS } from "../../src/replay/read-expected.ts";

const TEXT = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");

/** The rows of the first table after a heading, cell by cell. */
function tableAfter(heading: string): string[][] {
  const lines = TEXT.slice(TEXT.indexOf(`\n## ${heading}\n`)).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|---"));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith("|"));
  return lines.slice(first + 1, end).map((line) => line.split("|").slice(1, -1));
}

const names = (cell: string | undefined): string[] =>
  Array.from((cell ?? "").matchAll(/`([^`]+)`/g), ([, name]) => name ?? "");

const keysOf = (heading: string): string[] =>
  tableAfter(heading)
    .flatMap(([cell]) => names(cell))
    .toSorted();

describe("docs/testing.md", () => {
  it("has every key of a file, a case and a notice, and no other", () => {
    expect(keysOf("Keys of a file")).toEqual([...FILE_KEYS].toSorted());
    expect(keysOf("Keys of a case")).toEqual([...CASE_KEYS].toSorted());
    expect(keysOf("Expected notices")).toEqual([...NOTICE_KEYS].toSorted());
  });

  it("has every kind of notice, and no other", () => {
    const kinds = tableAfter("Expected notices").find(([cell]) => names(cell)[0] === "kind");
    expect(names(kinds?.[1])).toEqual(EXPECTED_KINDS);
  });

  it("has every option of the command, and no other", () => {
    const spec = COMMANDS.find(({ name }) => name === "test");
    const options = (spec?.options ?? []).flatMap(({ long }) => long ?? []);
    expect(keysOf("The command").map((text) => text.split(" ")[0])).toEqual(
      options.toSorted((a, b) => a.localeCompare(b)),
    );
  });
});
