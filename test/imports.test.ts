import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { faults, readSources } from "./support/import-table.ts";
import { TABLE } from "./support/who-imports-whom.ts";

describe("the sources", () => {
  it("import only what the table allows, without circles", () => {
    const sources = readSources(fileURLToPath(new URL("../src", import.meta.url)));
    expect(sources.size).toBeGreaterThan(10);
    expect(faults(sources, TABLE)).toEqual([]);
  });
});

describe("the check of imports", () => {
  const check = (files: Record<string, string>): string[] =>
    faults(new Map(Object.entries({ "base/text.ts": "", ...files })), TABLE);

  it("is content with what is allowed", () => {
    const files = {
      "model/index.ts": 'import type { A } from "../base/text.ts";',
      "api/fields.ts": 'import { a } from "../base/text.ts";\nimport "../model/index.ts";',
      "fetch/http.ts": 'import { request } from "undici";\nimport { a } from "../api/fields.ts";',
      "store/sqlite/driver.ts": 'const a = await import("better-sqlite3");',
      "decide/hash.ts": 'import { createHash } from "node:crypto";\n// import "../fetch/http.ts"',
      "base/clock.ts": "export const now = () => Date.now();",
      "main.ts": 'import { run } from "./cli/run.ts";\nprocess.exit(1);',
      "cli/run.ts": 'export { a } from "../fetch/http.ts";\nconst b = "new Date(0)";',
    };
    expect(check(files)).toEqual([]);
  });

  it.each([
    ['import { a } from "../api/a.ts";'],
    ['import type { A } from "../api/a.ts";'],
    ['import {\n  a,\n  type B,\n} from "../api/a.ts";'],
    ['import * as a from "../api/a.ts";'],
    ['import "../api/a.ts";'],
    ['export * from "../api/a.ts";'],
    ['export { a } from "../api/a.ts";'],
    ['const a = await import("../api/a.ts");'],
    ['const { a } = await import(\n  "../api/a.ts",\n);'],
    ['void import(/* later */ "../api/a.ts").then(run);'],
    ['type A = import("../api/a.ts").A;'],
    ['const a = require("../api/a.ts");'],
    ["import a from '../api/a.ts'"],
    ['/* fine */ const s = "//"; \nimport "../api/a.ts";'],
  ])("sees %j", (code) => {
    expect(check({ "api/a.ts": "", "base/a.ts": code })).toEqual([
      "base/a.ts imports api/a.ts: base may import only itself",
    ]);
  });

  it.each<[string, string, string]>([
    ["decide/a.ts", "kinds/gas.ts", "decide may import only base, model, kinds/kind.ts"],
    ["simulator/a.ts", "fetch/http.ts", "simulator must never import fetch"],
    ["store/failover.ts", "decide/decide.ts", "store may import only base, model"],
    ["delivery/a.ts", "channels/slack.ts", "delivery may import only"],
    ["poll/a.ts", "store/sqlite/open.ts", "poll may import only"],
    ["main.ts", "app.ts", "main.ts may import only cli"],
    ["plugins/a.ts", "decide/decide.ts", "the table does not know plugins"],
  ])("%s must not import %s", (file, target, reason) => {
    const up = file.includes("/") ? "../" : "./";
    const [fault, ...more] = check({ [target]: "", [file]: `import "${up}${target}";` });
    expect(fault).toContain(`${file} imports ${target}: ${reason}`);
    expect(more).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["decide/a.ts", 'import "undici";', "it has its place in fetch, channels"],
    ["store/failover.ts", 'import "better-sqlite3";', "it has its place in store/sqlite"],
    ["cli/a.ts", 'import "@slack/webhook/dist/x";', "it has its place in channels"],
    ["cli/a.ts", 'await import("nodemailer");', "it has its place in channels"],
    ["cli/run.ts", 'import { Command } from "commander";', "it has its place in cli/arguments.ts"],
    ["cli/a.ts", 'import "left-pad";', "the table does not know this package"],
    ["kinds/a.ts", 'import { readFileSync } from "node:fs";', "kinds is pure"],
    ["base/a.ts", 'import "../../test/x.ts";', "it lies outside src/"],
    ["base/a.ts", 'import "./text.js";', "there is no such file"],
    ["base/a.ts", "await import(name);", "not a plain string"],
    ["base/a.ts", "await import(`./${name}.ts`);", "not a plain string"],
    ["base/a.ts", "const load = createRequire(import.meta.url);", "a way to load"],
    ["decide/a.ts", "const t = Date.now();", "the system's date"],
    ["decide/a.ts", "const t = new Date();", "the system's date"],
    ["decide/a.ts", "const t = new Date;", "the system's date"],
    ["decide/a.ts", "const t = Date();", "the system's date"],
    ["decide/a.ts", "const r = Math.random();", "Math.random"],
    ["app.ts", "process.exit(0);", "process.exit"],
  ])("%s must not hold %j", (file, code, reason) => {
    const found = check({ [file]: code });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(reason);
    expect(found[0]).toContain(file);
  });

  it("finds circles, also those of types and of what is loaded later, each once", () => {
    const files = {
      "base/a.ts": 'import "./b.ts";',
      "base/b.ts": 'import type { C } from "./c.ts";',
      "base/c.ts": 'import "./a.ts";\nimport "./d.ts";',
      "base/d.ts": 'import "./d.ts";',
      "base/e.ts": 'import "./f.ts";',
      "base/f.ts": 'const e = await import("./e.ts");',
    };
    expect(check(files)).toEqual([
      "a circle of imports: base/a.ts → base/b.ts → base/c.ts → base/a.ts",
      "a circle of imports: base/d.ts → base/d.ts",
      "a circle of imports: base/e.ts → base/f.ts → base/e.ts",
    ]);
  });
});
