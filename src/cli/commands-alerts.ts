import { Argument } from "commander";
import type { CommandKind } from "../operate/alerts.ts";
import type { AlertCommandOptions } from "./alert-commands.ts";
import {
  durationArgument,
  labelArgument,
  moreArgument,
  timeArgument,
  wholeArguments,
} from "./arguments.ts";
import { type CommandSpec, config, json, option } from "./command.ts";
import type { SilenceOptions } from "./silence.ts";
import type { SilenceRequest } from "./silence-request.ts";

function alertCommand(
  kind: CommandKind,
  description: string,
  notes: string,
  example: string,
): CommandSpec {
  return {
    name: kind,
    description,
    arguments: [new Argument("<rule>"), new Argument("[subject]")],
    options: [
      option("--by <name>", "who does it; default: your user name"),
      option("--comment <text>", "why"),
      config,
      json,
    ],
    notes: `${notes}SUBJECT is a name or part of one, an id, a key or a chain; default: every alert of the rule that this
applies to. A running daemon applies it within seconds, otherwise the next start does.`,
    examples: [`${kind} ${example}`],
    run: async (io, rule: string, subject: string | undefined, options: AlertCommandOptions) =>
      (await import("./alert-commands.ts")).alertCommand(kind, rule, subject, options, io),
  };
}

/** What is done about alerts. */
export const ALERT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "silence",
    description: "suppress alerts for a time; see docs/silences.md",
    examples: ["silence add --rule my-range --for 2h --comment rebalancing"],
    commands: [
      {
        name: "add",
        description: "add a silence for the alerts that match every option given",
        options: [
          option("--rule <name>", "a rule, or a pattern such as 'lp-*'; repeatable", moreArgument),
          option(
            "--subject <name>",
            "a subject: name, part of a name, pattern, id, key or chain; repeatable",
            moreArgument,
          ),
          option("--label <name=value>", "rules with this label; repeatable", labelArgument),
          option("--all", "every alert of every rule"),
          option("--for <duration>", "how long, such as 2h", durationArgument),
          option("--until <time>", "when it ends", timeArgument),
          option("--from <time>", "when it starts; default: now", timeArgument),
          option("--by <name>", "who adds it; default: your user name"),
          option("--comment <text>", "why"),
          option("--force", "allow more than 30 days"),
          config,
          json,
        ],
        notes: `Alerts that still fire when it ends are sent then; those that resolved meanwhile are not.
A running daemon applies it from the next notice on; it also works while none is running.`,
        examples: ["silence add --subject Treasury --label team=lp --until 2026-11-28T18:00Z"],
        run: async (io, options: SilenceOptions & SilenceRequest) =>
          (await import("./silence.ts")).add(options, io),
      },
      {
        name: "list",
        description: "list active and planned silences",
        options: [option("--all", "ended ones too"), config, json],
        examples: ["silence list --all"],
        run: async (io, options: SilenceOptions) =>
          (await import("./silence.ts")).list(options, io),
      },
      {
        name: "expire",
        description: "end silences now: suppressed alerts that still fire are sent within a minute",
        arguments: [new Argument("<id...>", "from `silence list`").argParser(wholeArguments)],
        options: [config, json],
        examples: ["silence expire 3"],
        run: async (io, ids: readonly number[], options: SilenceOptions) =>
          (await import("./silence.ts")).expire([...new Set(ids)], options, io),
      },
    ],
  },
  alertCommand(
    "ack",
    "acknowledge a firing alert: no reminders until it resolves",
    "Reminders, `worse` and `steady` notices stop until the alert resolves; `resolved` and `no_data` are still sent.\n\n",
    'my-range Treasury --by anna --comment "moving it today"',
  ),
  alertCommand(
    "unack",
    "remove an acknowledgement: reminders resume",
    "",
    "my-range Treasury --by anna",
  ),
  alertCommand("rearm", "let a completed alert (once: true) fire again", "", "first-mint"),
];
