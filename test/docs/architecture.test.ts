import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NOTICE_KINDS } from "../../src/model/index.ts";
import { TABLE } from "../support/who-imports-whom.ts";

const TEXT = readFileSync("docs/architecture.md", "utf8");

/** The rows of the first table after a heading, cell by cell. */
function tableAfter(heading: string): string[][] {
  const section = TEXT.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function codesIn(text = ""): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
}

describe("docs/architecture.md", () => {
  it("names files and folders that are there", () => {
    const paths = Array.from(
      TEXT.matchAll(/\b[a-z-]+(?:\/[a-z0-9-]+)+(?:\.test)?\.ts\b/g),
      ([p]) => p,
    );
    expect(paths.length).toBeGreaterThan(40);
    const missing = paths.filter((path) => !existsSync(path) && !existsSync(`src/${path}`));
    expect(missing).toEqual([]);
    // Folders are named beside the folder that they are in.
    const folders = tableAfter("Map").flatMap(([folder = "", what]) =>
      codesIn(what)
        .filter((code) => /^[a-z-]+(?:\/[a-z-]+)?$/.test(code))
        .map((code) => (code.includes("/") ? code : `${codesIn(folder)[0]}/${code}`)),
    );
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((folder) => !existsSync(`src/${folder}`))).toEqual([]);
  });

  it("has every folder of the sources with what it may import, and no other", () => {
    const rows = tableAfter("Map");
    expect(rows.flatMap(([folder]) => codesIn(folder)).toSorted()).toEqual(
      readdirSync("src").toSorted(),
    );
    for (const [folder, , imports = ""] of rows) {
      const allowed = TABLE.imports[codesIn(folder)[0] ?? ""] ?? [];
      const beside = allowed.filter((one) => one !== "base" && one !== "model");
      const said = imports === "anything" ? ["*"] : codesIn(imports);
      expect([folder, said.toSorted()]).toEqual([folder, beside.toSorted()]);
    }
  });

  it("names every arrow of the states that it draws, and tells when it is taken", () => {
    const drawing = TEXT.split("stateDiagram-v2\n")[1]?.split("```\n")[0] ?? "";
    const drawn = Array.from(drawing.matchAll(/--> \S+: (.+)$/gm), ([, name]) => name);
    expect(drawn.length).toBeGreaterThan(10);
    const rows = tableAfter("An alert's states");
    expect(new Set(drawn)).toEqual(new Set(rows.map(([name]) => name)));
    const kinds = rows.flatMap(([, , notice]) => codesIn(notice));
    expect(kinds.filter((kind) => !NOTICE_KINDS.some((known) => known === kind))).toEqual([]);
  });

  it("explains 25 words at most", () => {
    const words = tableAfter("Glossary").map(([word]) => word);
    expect(words.length).toBeLessThanOrEqual(25);
    expect(new Set(words).size).toBe(words.length);
  });
});
