import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { faults, readSources, type Table } from "./support/import-table.ts";

const PURE = ["base", "model.ts"];

/** "Who may import whom" of the architecture, kept as data. */
const TABLE: Table = {
  imports: {
    base: [],
    "model.ts": ["base", "model"],
    // The nouns by their subjects: others import them from model.ts.
    model: ["base"],
    contract: [...PURE],
    source: [...PURE, "contract"],
    watches: [...PURE, "contract"],
    engine: [...PURE, "watches/watch.ts"],
    config: [
      ...PURE,
      "contract",
      "engine",
      "watches/index.ts",
      "watches/watch.ts",
      "channels/index.ts",
      "channels/channel.ts",
    ],
    rounds: [...PURE, "engine", "watches/watch.ts", "source/source.ts", "store/store.ts"],
    replay: [
      ...PURE,
      "contract",
      "config",
      "engine",
      "rounds",
      "watches/watch.ts",
      "watches/fields.ts",
      "source/source.ts",
      "store/store.ts",
    ],
    delivery: [...PURE, "channels/channel.ts", "store/store.ts"],
    web: ["base", "model.ts", "store/store.ts"],
    channels: [...PURE],
    store: [...PURE],
    service: [...PURE, "contract"],
    cli: ["*"],
    "app.ts": ["*"],
    // Parts of the composition root in files of their own.
    "daemon-view.ts": ["*"],
    "lookouts.ts": ["*"],
    "self-checks.ts": ["*"],
    "self-notices.ts": ["*"],
    "main.ts": ["cli"],
  },
  // The embedded service is an independent reading of the specification.
  never: [
    ["service", "source"],
    ["cli", "main.ts"],
    ["app.ts", "main.ts"],
    ["app.ts", "cli"],
  ],
  packages: {
    "@noble/hashes": ["engine/language/checksum.ts"],
    "@slack/webhook": ["channels"],
    "better-sqlite3": ["store/sqlite"],
    "better-sqlite3-node22": ["store/sqlite"],
    // Where the words are; what a command does is loaded when it runs.
    commander: ["cli/arguments.ts", "cli/commands", "cli/program.ts"],
    liquidjs: ["engine/template"],
    "node-cron": ["base/cron.ts"],
    nodemailer: ["channels"],
    pino: ["base/log.ts"],
    "prom-client": ["web"],
    undici: ["source", "channels"],
    yaml: ["config"],
    zod: ["base/settings.ts", "config", "channels", "cli"],
  },
  pure: ["model.ts", "model", "contract", "watches", "engine"],
  // A hash is a pure function.
  pureModules: ["node:crypto"],
  words: [
    { word: /\bprocess\s*\.\s*exit\b/, name: "process.exit", only: ["main.ts"] },
    {
      word: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|(?<!new\s+)\bDate\s*\(/,
      name: "the system's date",
      // A server may say by its own date when to come back.
      only: ["base/clock.ts", "source/http.ts", "channels/http.ts"],
    },
    // What is loaded by it is seen by no table.
    { word: /\bcreateRequire\b/, name: "a way to load what no import names", only: [] },
    // Chance spreads retries and decides nothing.
    {
      word: /\bMath\s*\.\s*random\b/,
      name: "Math.random",
      only: ["source/retry.ts", "delivery/deliver.ts"],
    },
  ],
};

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
      "model.ts": 'import type { A } from "./base/text.ts";',
      "contract/fields.ts": 'import { a } from "../base/text.ts";\nimport "../model.ts";',
      "source/http.ts":
        'import { request } from "undici";\nimport { a } from "../contract/fields.ts";',
      "store/sqlite/driver.ts": 'const a = await import("better-sqlite3");',
      "engine/hash.ts": 'import { createHash } from "node:crypto";\n// import "../source/http.ts"',
      "base/clock.ts": "export const now = () => Date.now();",
      "main.ts": 'import { run } from "./cli/run.ts";\nprocess.exit(1);',
      "cli/run.ts": 'export { a } from "../source/http.ts";\nconst b = "new Date(0)";',
    };
    expect(check(files)).toEqual([]);
  });

  it.each([
    ['import { a } from "../contract/a.ts";'],
    ['import type { A } from "../contract/a.ts";'],
    ['import {\n  a,\n  type B,\n} from "../contract/a.ts";'],
    ['import * as a from "../contract/a.ts";'],
    ['import "../contract/a.ts";'],
    ['export * from "../contract/a.ts";'],
    ['export { a } from "../contract/a.ts";'],
    ['const a = await import("../contract/a.ts");'],
    ['const { a } = await import(\n  "../contract/a.ts",\n);'],
    ['void import(/* later */ "../contract/a.ts").then(run);'],
    ['type A = import("../contract/a.ts").A;'],
    ['const a = require("../contract/a.ts");'],
    ["import a from '../contract/a.ts'"],
    ['/* fine */ const s = "//"; \nimport "../contract/a.ts";'],
  ])("sees %j", (code) => {
    expect(check({ "contract/a.ts": "", "base/a.ts": code })).toEqual([
      "base/a.ts imports contract/a.ts: base may import only itself",
    ]);
  });

  it.each<[string, string, string]>([
    ["engine/a.ts", "watches/gas.ts", "engine may import only base, model.ts, watches/watch.ts"],
    ["service/a.ts", "source/http.ts", "service must never import source"],
    ["store/memory.ts", "engine/decide.ts", "store may import only base, model.ts"],
    ["delivery/a.ts", "channels/slack.ts", "delivery may import only"],
    ["rounds/a.ts", "store/sqlite/open.ts", "rounds may import only"],
    ["main.ts", "app.ts", "main.ts may import only cli"],
    ["plugins/a.ts", "engine/decide.ts", "the table does not know plugins"],
  ])("%s must not import %s", (file, target, reason) => {
    const up = file.includes("/") ? "../" : "./";
    const [fault, ...more] = check({ [target]: "", [file]: `import "${up}${target}";` });
    expect(fault).toContain(`${file} imports ${target}: ${reason}`);
    expect(more).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["engine/a.ts", 'import "undici";', "it has its place in source, channels"],
    ["store/memory.ts", 'import "better-sqlite3";', "it has its place in store/sqlite"],
    ["cli/a.ts", 'import "@slack/webhook/dist/x";', "it has its place in channels"],
    ["cli/a.ts", 'await import("nodemailer");', "it has its place in channels"],
    ["cli/run.ts", 'import { Command } from "commander";', "it has its place in cli/arguments.ts"],
    ["cli/a.ts", 'import "left-pad";', "the table does not know this package"],
    ["watches/a.ts", 'import { readFileSync } from "node:fs";', "watches is pure"],
    ["base/a.ts", 'import "../../test/x.ts";', "it lies outside src/"],
    ["base/a.ts", 'import "./text.js";', "there is no such file"],
    ["base/a.ts", "await import(name);", "not a plain string"],
    ["base/a.ts", "await import(`./${name}.ts`);", "not a plain string"],
    ["base/a.ts", "const load = createRequire(import.meta.url);", "a way to load"],
    ["engine/a.ts", "const t = Date.now();", "the system's date"],
    ["engine/a.ts", "const t = new Date();", "the system's date"],
    ["engine/a.ts", "const t = new Date;", "the system's date"],
    ["engine/a.ts", "const t = Date();", "the system's date"],
    ["engine/a.ts", "const r = Math.random();", "Math.random"],
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
