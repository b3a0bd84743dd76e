import { Argument } from "commander";
import { durationArgument, limitArgument, momentArgument } from "./arguments.ts";
import type { AuditOptions } from "./audit.ts";
import type { BacktestOptions } from "./backtest.ts";
import { type CommandSpec, config, option } from "./command.ts";
import type { HistoryOptions } from "./history.ts";

/** The commands that look at the past. */
export const PAST_COMMANDS: readonly CommandSpec[] = [
  {
    name: "backtest",
    description:
      "replay rules on the past: when they would have fired, and what they would have said",
    arguments: [new Argument("[rules...]", "names, or patterns such as 'lp-*'; default: all")],
    options: [
      option(
        "--from <time>",
        "from when on: 30d ago, 2026-11-01T00:00Z; default: 7d",
        momentArgument,
      ),
      option("--to <time>", "until when; default: now", momentArgument),
      option("--json", "print JSON, with exact values as strings"),
      config,
    ],
    notes: `Sends nothing and changes nothing. Replays what the daemon recorded; see docs/backtest.md. All times are UTC.`,
    examples: [
      "backtest --from 30d",
      "backtest tip-spike --from 2026-11-01T00:00Z --to 2026-11-08T00:00Z",
    ],
    run: async (io, rules: string[], options: BacktestOptions) =>
      (await import("./backtest.ts")).backtest([...new Set(rules)], options, io),
  },
  {
    name: "history",
    description: "show what was recorded of a metric: a chart, the extremes and each value",
    arguments: [
      new Argument("<subject>", "a name or part of one, an id or a key"),
      new Argument("[metric]", "default: the only one that is recorded"),
    ],
    options: [
      option("--last <duration>", "how far back; default: 24h", durationArgument),
      option(
        "--from <time>",
        "from when on: 03:10 (UTC), 2h ago, 2026-11-28T14:00Z",
        momentArgument,
      ),
      option("--to <time>", "until when; default: now", momentArgument),
      option("--rule <name>", "the limit of this rule, and when it fired"),
      option("--csv", "print CSV, with exact values"),
      option("--json", "print JSON, with exact values as strings"),
      config,
    ],
    notes: `Reads the database, beside a running daemon or without one; see docs/explain.md. Recorded is every metric that
a rule compares, exact and for as long as \`retention\` says. All times are UTC.`,
    examples: [
      "history Treasury tvl_usd --last 7d --rule tvl-drop",
      "history ethereum tip_top10 --from 02:00 --to 05:00 --csv > tips.csv",
    ],
    run: async (io, subject: string, metric: string | undefined, options: HistoryOptions) =>
      (await import("./history.ts")).history(subject, metric, options, io),
  },
  {
    name: "audit",
    description: "list what was done by whom: acknowledged, silenced, retried, dropped",
    options: [
      option("--rule <name>", "only what was about this rule"),
      option("--limit <number>", "show at most this many; default: 50", limitArgument),
      option("--json", "print JSON"),
      config,
    ],
    notes: `Reads the database, beside a running daemon or without one. Kept is whatever the commands, the page and the API
did, for as long as \`retention\` says. All times are UTC.`,
    examples: ["audit --rule my-range"],
    run: async (io, options: AuditOptions) => (await import("./audit.ts")).audit(options, io),
  },
];
