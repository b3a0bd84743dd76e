import type { Table } from "./import-table.ts";

const PURE = ["base", "model"];
const KIND = "kinds/kind.ts";
const FETCH = "fetch/source.ts";
const STORE = "store/store.ts";

/** "Who may import whom" of docs/architecture.md, kept as data. */
export const TABLE: Table = {
  imports: {
    base: [],
    model: ["base"],
    api: [...PURE],
    kinds: [...PURE, "api"],
    fetch: [...PURE, "api"],
    serve: [...PURE, "api"],
    simulator: [...PURE, "api", "serve"],
    // Answers from EVM nodes: a second world behind the service's face.
    chain: [
      ...PURE,
      "api",
      "serve/world.ts",
      "serve/refusal.ts",
      // What it keeps lies in a database of its own.
      "store/sqlite/driver.ts",
      "store/sqlite/private-files.ts",
    ],
    decide: [...PURE, KIND],
    rules: [...PURE, KIND, "decide/condition-tree.ts"],
    notices: [...PURE, KIND, "decide", "rules/describe"],
    config: [
      ...PURE,
      "api",
      "rules",
      // What a rule over several subjects, a gate and a template may say.
      "decide/across.ts",
      "decide/condition-tree.ts",
      "decide/gates.ts",
      "notices/template",
      "notices/template-facts.ts",
      "kinds/index.ts",
      KIND,
      "channels/index.ts",
      "channels/channel.ts",
    ],
    poll: [...PURE, KIND, "decide", FETCH, STORE],
    commit: [...PURE, KIND, "kinds/owned.ts", "poll", "decide", "notices", FETCH, STORE],
    delivery: [...PURE, "channels/channel.ts", STORE],
    channels: [...PURE],
    store: [...PURE],
    cluster: [...PURE, "store"],
    ops: ["*"],
    // The page is made of the API and of nothing else.
    // What people do, through the commands, the page or the API.
    operate: [...PURE, KIND, "decide", "notices", "channels", "delivery/localize.ts", "store"],
    web: [
      ...PURE,
      KIND,
      "decide",
      "poll",
      "notices",
      "rules/describe",
      "delivery",
      "operate",
      "store",
    ],
    replay: [
      ...PURE,
      KIND,
      "kinds/fields.ts",
      "kinds/owned.ts",
      "kinds/position-row.ts",
      "api",
      "config",
      "rules",
      "poll",
      "commit",
      "decide",
      "notices",
      FETCH,
      STORE,
      // What a daemon recorded.
      "store/operator-db/recorded.ts",
    ],
    cli: ["*"],
    "app.ts": ["*"],
    "main.ts": ["cli"],
  },
  // The embedded service is an independent reading of the specification.
  never: [
    ["simulator", "fetch"],
    ["cli", "main.ts"],
    ["app.ts", "main.ts"],
    ["app.ts", "cli"],
  ],
  packages: {
    "@clack/prompts": ["cli/init/prompts.ts"],
    "@hono/node-server": ["web"],
    "@noble/hashes": ["rules/lint/checksum.ts", "chain/codec"],
    "@slack/webhook": ["channels"],
    "better-sqlite3": ["store/sqlite"],
    "better-sqlite3-node22": ["store/sqlite"],
    // Where the words are; what a command does is loaded when it runs.
    commander: [
      "cli/arguments.ts",
      "cli/command.ts",
      "cli/commands.ts",
      "cli/commands-alerts.ts",
      "cli/commands-past.ts",
      "cli/commands-upkeep.ts",
      "cli/program.ts",
    ],
    hono: ["web"],
    liquidjs: ["notices/template"],
    "node-cron": ["base/cron.ts"],
    nodemailer: ["channels"],
    pg: ["store/postgres"],
    pino: ["base/log.ts"],
    "prom-client": ["ops/web"],
    undici: ["fetch", "channels", "chain/rpc"],
    uplot: ["web/page/client"],
    yaml: ["config"],
    zod: ["base/settings.ts", "config", "channels", "cli", "web"],
  },
  pure: ["model", "api", "kinds", "rules", "decide", "notices"],
  // A hash is a pure function.
  pureModules: ["node:crypto"],
  words: [
    { word: /\bprocess\s*\.\s*exit\b/, name: "process.exit", only: ["main.ts"] },
    {
      word: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|(?<!new\s+)\bDate\s*\(/,
      name: "the system's date",
      // A server may say by its own date when to come back.
      // The script of the page runs in the viewer's browser.
      only: ["base/clock.ts", "fetch/http.ts", "channels/http-channel.ts", "web/page/client"],
    },
    // What is loaded by it is seen by no table.
    { word: /\bcreateRequire\b/, name: "a way to load what no import names", only: [] },
    // Chance spreads retries and decides nothing.
    {
      word: /\bMath\s*\.\s*random\b/,
      name: "Math.random",
      only: ["fetch/resilience/retry.ts", "delivery/deliver.ts"],
    },
  ],
};
