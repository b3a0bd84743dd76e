import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FALSE, TRUE, UNKNOWN_VALUE, UNKNOWN_WINDOW } from "../../src/decide/evaluation-context.ts";
import { transition } from "../../src/decide/transition.ts";
import { NOTICE_KINDS } from "../../src/model/index.ts";
import { makeAlert, makeRule } from "../support/nouns.ts";
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

/** The arrows that alerts take in many rounds with all that a round may find. */
function arrowsTaken(): Set<string> {
  const MINUTE = 60_000;
  // With both times no alert goes two arrows in one round.
  const rule = makeRule({
    forMs: 2 * MINUTE,
    resolveAfterMs: 2 * MINUTE,
    onMissing: "fire",
    missingAfterMs: 3 * MINUTE,
  });
  const round = fc.record({
    truth: fc.constantFrom(TRUE, FALSE, UNKNOWN_VALUE, UNKNOWN_WINDOW),
    times: fc.integer({ min: 1, max: 6 }),
    closedBy: fc.constantFrom(null, null, null, "gate"),
  });
  const taken = new Set<string>();
  for (const rounds of fc.sample(fc.array(round, { minLength: 20 }), { numRuns: 400, seed: 17 })) {
    let alert = makeAlert();
    let date = 0;
    for (const { truth, closedBy } of rounds.flatMap((one) =>
      Array.from({ length: one.times }, () => one),
    )) {
      const found = { truth, closedBy, unanswered: false, recovered: null, closed: false };
      const previousRound = date;
      date += MINUTE;
      const next = transition(rule, alert, { ...found, date, previousRound, buckets: null }).alert;
      if (next.state !== alert.state) taken.add(`${alert.state} --> ${next.state}`);
      alert = next;
    }
  }
  return taken;
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

  it("draws the arrows that the code takes, and no other", () => {
    const drawing = TEXT.split("stateDiagram-v2\n")[1]?.split("```\n")[0] ?? "";
    const drawn = Array.from(drawing.matchAll(/^ +(\w+ --> \w+): /gm), ([, arrow]) => arrow);
    expect(arrowsTaken()).toEqual(new Set(drawn));
  });

  it("explains 25 words at most", () => {
    const words = tableAfter("Glossary").map(([word]) => word);
    expect(words.length).toBeLessThanOrEqual(25);
    expect(new Set(words).size).toBe(words.length);
  });
});
