import { Argument, type Command } from "commander";
import { durationArgument, limitArgument, momentArgument, moreArgument } from "./arguments.ts";
import type { AuditOptions } from "./audit.ts";
import type { BacktestOptions } from "./backtest.ts";
import { type CommandSpec, config, json, option } from "./command.ts";
import type { ExplainOptions } from "./explain.ts";
import type { HistoryOptions } from "./history.ts";
import type { TestOptions } from "./test.ts";
import type { FromHistoryOptions } from "./test-from-history.ts";

/** Rule tests, also of what was recorded. */
export const TEST_COMMAND: CommandSpec = {
  name: "test",
  description: "run rule tests: values over time, and the notices that they must produce",
  arguments: [new Argument("<files...>", "rule tests, such as rules/*.test.yaml")],
  options: [
    option("-c, --config <file>", "take defaults, flapping and timezone from this configuration"),
    option("--show", "print each notice in full, as the console channel does"),
    option("--json", "print every case as JSON, with expected and actual results"),
    option("--junit <file>", "also write the results as JUnit XML"),
    option("--watch", "run again whenever a file changes, until SIGINT or SIGTERM"),
    option(
      "--from-history",
      "write what was recorded as a rule test: the arguments are RULE [SUBJECT]",
    ),
    option("--around <time>", "the moment: 2026-11-02T03:10Z, 03:10 (UTC), 2h ago", momentArgument),
    option("--out <file>", "write the test to this file, which must be new; default: print it"),
  ],
  notes: `Asks, stores and sends nothing. docs/testing.md describes the files.
Exit codes: 0 all passed, 1 a case failed, 2 a file cannot be used.`,
  examples: [
    "test rules/*.test.yaml",
    "test --from-history tvl-drop ETH/USDC --around 03:10 --out rules/miss.test.yaml",
  ],
  run: async (io, files: string[], options: TestOptions & FromHistoryOptions, command: Command) => {
    if (options.fromHistory !== true) {
      if (options.around !== undefined || options.out !== undefined) {
        command.error("error: --around and --out go with --from-history");
      }
      return (await import("./test.ts")).test([...new Set(files)], options, io);
    }
    const [rule = "", subject, ...more] = files;
    if (more.length > 0) command.error("error: --from-history takes a rule and one subject");
    return (await import("./test-from-history.ts")).testFromHistory(rule, subject, options, io);
  },
};

/** What prints tables of its own has no report to write in another form. */
const TABLES = ["try", "suggest", "compare"];

/** The commands that look at the past. */
export const PAST_COMMANDS: readonly CommandSpec[] = [
  {
    name: "backtest",
    description:
      "replay rules on the past: when they would have fired, and what they would have said",
    arguments: [new Argument("[rules...]", "names, or patterns such as 'lp-*'; default: all")],
    options: [
      option("--from <time>", "start: 30d ago, 2026-11-01T00:00Z; default: 7d", momentArgument),
      option("--to <time>", "end; default: now", momentArgument),
      option(
        "--try <key=values>",
        "also with these values, such as above=3gwei,5gwei or for=0s,5m; repeatable",
        moreArgument,
      ),
      option(
        "--csv",
        "print one line for each alert, or each version, with exact values",
      ).conflicts(["json", "compare"]),
      option("--suggest <rate>", "find the limit that would have fired this often: 2/week, 1/day"),
      option(
        "--compare <file>",
        "the notices that this version of the rules or of config.yaml would change",
      ).conflicts(["try", "suggest"]),
      option("--html <file>", "also write the report as one HTML file").conflicts(TABLES),
      option("--plan", "only say how many requests to the service it takes"),
      option("--json", "print JSON, with exact values as strings"),
      config,
    ],
    notes: `Sends nothing and changes no alert. Replays what the daemon recorded, and the service's histories where
nothing was recorded; see docs/backtest.md. All times are UTC.`,
    examples: [
      "backtest --from 30d",
      "backtest tip-spike --from 2026-11-01T00:00Z --to 2026-11-08T00:00Z",
    ],
    run: async (io, rules: string[], options: BacktestOptions) =>
      (await import("./backtest.ts")).backtest([...new Set(rules)], options, io),
  },
  {
    name: "explain",
    description: "say why an alert is, or was, firing or not, and who was told",
    arguments: [
      new Argument("<rule>", "its name or part of it"),
      new Argument("[subject]", "a name or part of one, an id, a key or a chain; default: all"),
    ],
    options: [
      option(
        "--at <time>",
        "when: 03:10 (UTC), 2h ago, 2026-11-28T14:00Z; default: now",
        momentArgument,
      ),
      config,
      json,
    ],
    notes: `Reads the database, beside a running daemon or without one; see docs/explain.md. The current rule is evaluated
again on the recorded samples. All times are UTC.`,
    examples: ["explain my-range Treasury", "explain depeg --at 03:10"],
    run: async (io, rule: string, subject: string | undefined, options: ExplainOptions) =>
      (await import("./explain.ts")).explain(rule, subject, options, io),
  },
  {
    name: "history",
    description: "show the recorded values of a metric: a chart, the extremes and each value",
    arguments: [
      new Argument("<subject>", "a name or part of one, an id or a key"),
      new Argument("[metric]", "default: the only one that is recorded"),
    ],
    options: [
      option("--last <duration>", "how far back; default: 24h", durationArgument),
      option("--from <time>", "start: 03:10 (UTC), 2h ago, 2026-11-28T14:00Z", momentArgument),
      option("--to <time>", "end; default: now", momentArgument),
      option("--rule <name>", "the limit of this rule, and when it fired"),
      option("--csv", "print CSV, with exact values"),
      option("--json", "print JSON, with exact values as strings"),
      config,
    ],
    notes: `Reads the database, beside a running daemon or without one; see docs/explain.md. Every metric that a rule
compares is recorded exactly and kept for \`retention\`. All times are UTC.`,
    examples: [
      "history Treasury tvl_usd --last 7d --rule tvl-drop",
      "history ethereum tip_top10 --from 02:00 --to 05:00 --csv > tips.csv",
    ],
    run: async (io, subject: string, metric: string | undefined, options: HistoryOptions) =>
      (await import("./history.ts")).history(subject, metric, options, io),
  },
  {
    name: "audit",
    description: "list who acknowledged, silenced, retried or dropped what",
    options: [
      option("--rule <name>", "only what was about this rule"),
      option("--limit <number>", "show at most this many; default: 50", limitArgument),
      option("--json", "print JSON"),
      config,
    ],
    notes: `Reads the database, beside a running daemon or without one. The actions of commands, page and API are kept
for as long as \`retention\` says. All times are UTC.`,
    examples: ["audit --rule my-range"],
    run: async (io, options: AuditOptions) => (await import("./audit.ts")).audit(options, io),
  },
];
