import { Argument, type Command } from "commander";
import { NOTICE_KINDS } from "../model/index.ts";
import { limitArgument } from "./arguments.ts";
import type { CheckOptions } from "./check.ts";
import { type CommandSpec, config, json, option } from "./command.ts";
import { ALERT_COMMANDS } from "./commands-alerts.ts";
import { PAST_COMMANDS, TEST_COMMAND } from "./commands-past.ts";
import { DEMO_COMMAND, SERVE_COMMAND } from "./commands-service.ts";
import {
  INIT_COMMAND,
  RELOAD_COMMANDS,
  shellCommands,
  UPKEEP_COMMANDS,
} from "./commands-upkeep.ts";
import type { OnceOptions } from "./once.ts";
import type { OutboxOptions } from "./outbox.ts";
import type { PlanOptions } from "./plan.ts";
import type { PositionsOptions } from "./positions.ts";
import type { RoutesOptions } from "./routes.ts";
import type { SchemaFile } from "./schema.ts";
import type { SendTestOptions } from "./send-test.ts";
import type { StatusOptions } from "./status.ts";

const WORKS_BESIDE =
  "A running daemon sees it within a minute; it also works while none is running.";

export const COMMANDS: readonly CommandSpec[] = [
  DEMO_COMMAND,
  INIT_COMMAND,
  {
    name: "run",
    description: "watch and send alerts until SIGINT or SIGTERM",
    options: [config],
    examples: ["run --config /etc/tickwatch/config.yaml"],
    run: async (io, options: { config: string }) =>
      (await import("./run.ts")).run(options.config, io),
  },
  {
    name: "check",
    description: "check the configuration and the rules, and say what each rule does",
    arguments: [new Argument("[file]", "the configuration, as with --config, or one rules file")],
    options: [
      config,
      option("--online", "ask the service once: check the key, show each value and its state"),
      option("--json", "print problems, warnings and rules as JSON"),
    ],
    examples: ["check --online", "check other.yaml", "check rules/lp.yaml"],
    run: async (io, file: string | undefined, options: CheckOptions, command: Command) => {
      const { check, findRulesFile } = await import("./check.ts");
      const given = command.getOptionValueSource("config") === "cli" ? options.config : null;
      const rulesFile = file === undefined ? null : await findRulesFile(file, given);
      if (rulesFile === null && file !== undefined && given !== null) {
        command.error("error: the configuration is given twice, as an argument and with --config");
      }
      return check({ ...options, config: file ?? options.config, ...rulesFile }, io);
    },
  },
  {
    name: "once",
    description: "evaluate every rule once and print each subject with its value and state",
    options: [config, option("--json", "print JSON, with exact values as strings")],
    notes: "Stores nothing and sends nothing. Rules that look back over a window know nothing yet.",
    examples: ["once --config config.yaml"],
    run: async (io, options: OnceOptions) => (await import("./once.ts")).once(options, io),
  },
  {
    name: "positions",
    description: "list the liquidity positions that an address holds, from your nodes",
    options: [
      config,
      option("--owner <address>", "whose positions").makeOptionMandatory(),
      option("--chain <chain>", "only on this chain, a name or number"),
      json,
    ],
    notes: `Needs service.rpc in the configuration. Positions without liquidity are left out. To watch them write
owner: in place of positions: in a rule.`,
    examples: ["positions --owner 0x1acf37fc9a055461542c22862666ac265d26dc0a --chain base"],
    run: async (io, options: PositionsOptions) =>
      (await import("./positions.ts")).positions(options, io),
  },
  {
    name: "plan",
    description: "estimate the requests that the rules need per round, hour and day",
    options: [config, json],
    notes: `Sends no request. The numbers are the most that a day without errors needs: the pool of a position is known only
from its answer, and may be watched already. Retries are not counted. With EVM nodes it also counts the calls to them
in a day.`,
    examples: ["plan --config config.yaml"],
    run: async (io, options: PlanOptions) => (await import("./plan.ts")).plan(options, io),
  },
  TEST_COMMAND,
  {
    name: "schema",
    description: "print the JSON Schema of rules files or of config.yaml, for editors",
    arguments: [new Argument("[file]").choices(["rules", "config"]).default("rules")],
    notes: `With yaml-language-server (VS Code, Neovim and others) the first line of a file names its schema:
  # yaml-language-server: $schema=./rules.schema.json`,
    examples: ["schema rules > rules.schema.json"],
    run: async (io, file: SchemaFile) => (await import("./schema.ts")).schema(file, io),
  },
  {
    name: "send-test",
    description: "send a sample of each kind of notice to a channel and print the outcome",
    arguments: [new Argument("<channel>", "its name in the configuration")],
    options: [config, option("--kind <kind>", "send only this kind").choices(NOTICE_KINDS)],
    notes: "The samples are marked as samples. Stores nothing. Exit code 3: one was not delivered.",
    examples: ["send-test lp-slack --kind fired"],
    run: async (io, channel: string, options: SendTestOptions) =>
      (await import("./send-test.ts")).sendTest(channel, options, io),
  },
  {
    name: "routes",
    description: "show which channels a rule notifies, or every rule, and which mutes apply",
    arguments: [new Argument("[rule]")],
    options: [config, json],
    notes: "Asks and sends nothing.",
    examples: ["routes my-range"],
    run: async (io, rule: string | undefined, options: RoutesOptions) =>
      (await import("./routes.ts")).routes(rule, options, io),
  },
  {
    name: "status",
    description: "say whether the daemon is healthy: exit code 0 if it is, 1 if not",
    options: [
      config,
      json,
      option("--cluster", "show the daemons on the store and the part of each"),
    ],
    notes: `Covers the rules that the daemon has watched since it last started. A rule is late when its last round is
more than three intervals ago. The daemon is not healthy while a rule is late, or while a channel rejects
messages or has delivered nothing for 15 minutes, or while no daemon holds the SQLite file. With --cluster
the exit code is 1 when a part of the work has had no daemon for longer than a takeover takes, 20 seconds.`,
    examples: ["status --config config.yaml"],
    run: async (io, options: StatusOptions) => (await import("./status.ts")).status(options, io),
  },
  ...PAST_COMMANDS,
  ...RELOAD_COMMANDS,
  ...UPKEEP_COMMANDS,
  {
    name: "outbox",
    description: "list queued messages, retry or drop them",
    examples: ["outbox list --dead"],
    commands: [
      {
        name: "list",
        description: "list queued messages, or dead letters",
        options: [
          config,
          option("--dead", "messages that failed for good or were dropped"),
          option("--limit <number>", "show at most this many", limitArgument, 100),
          json,
        ],
        examples: ["outbox list --dead --json"],
        run: async (io, options: OutboxOptions) => (await import("./outbox.ts")).list(options, io),
      },
      {
        name: "show",
        description: "show one message with its notices and body",
        arguments: [new Argument("<id>", "its id, or the beginning of it")],
        options: [config, json],
        examples: ["outbox show 3f2a91c0"],
        run: async (io, id: string, options: OutboxOptions) =>
          (await import("./outbox.ts")).show(id, options, io),
      },
      {
        name: "retry",
        description: "send waiting messages now: of every channel, of one, or one message",
        arguments: [new Argument("[channel|id]")],
        options: [config, option("--dead", "dead letters too, except dropped ones"), json],
        notes: `A dead letter named by its id is sent again as the same message.\n\n${WORKS_BESIDE}`,
        examples: ["outbox retry lp-slack --dead"],
        run: async (io, what: string | undefined, options: OutboxOptions) =>
          (await import("./outbox.ts")).retry(what, options, io),
      },
      {
        name: "drop",
        description: "give up one message: it becomes a dead letter",
        arguments: [new Argument("<id>", "its id, or the beginning of it")],
        options: [config, json],
        notes: WORKS_BESIDE,
        examples: ["outbox drop 3f2a91c0"],
        run: async (io, id: string, options: OutboxOptions) =>
          (await import("./outbox.ts")).drop(id, options, io),
      },
    ],
  },
  ...ALERT_COMMANDS,
  SERVE_COMMAND,
  ...shellCommands(() => COMMANDS),
];
