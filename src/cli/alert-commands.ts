import { systemClock } from "../base/clock.ts";
import { countOf } from "../base/text.ts";
import type { Command, Rule } from "../model/index.ts";
import { commentOf } from "../operate/actor.ts";
import {
  COMMAND_DONE,
  type CommandKind,
  commandFits,
  giveCommand,
  nothingFits,
} from "../operate/alerts.ts";
import { callSubject, type NamedSubject } from "../replay/subjects.ts";
import type { AlertCommands } from "../store/operator-db/commands.ts";
import { authorOf, EXIT, type Io } from "./io.ts";
import { print } from "./report.ts";
import { alertSubjects, ruleNamed, subjectNamed } from "./rule-argument.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface AlertCommandOptions {
  readonly config: string;
  readonly by?: string;
  readonly comment?: string;
  readonly json?: boolean;
}

/** `tickwatch ack`, `unack` and `rearm`: the exit code. Throws ConfigError and StoreError. */
export async function alertCommand(
  kind: CommandKind,
  name: string,
  text: string | undefined,
  options: AlertCommandOptions,
  io: Io,
): Promise<number> {
  return await withOperatorDb(options.config, io, "write", async (db, { setup }) => {
    const rule = ruleNamed(name, await setup(), io);
    if (rule === null) return EXIT.usage;
    const given = {
      kind,
      rule: rule.name,
      author: authorOf(options.by),
      comment: commentOf(options.comment),
    };
    return await give(given, rule, text, options, db.alerts, io);
  });
}

async function give(
  given: Pick<Command, "kind" | "rule" | "author" | "comment">,
  rule: Rule,
  text: string | undefined,
  options: AlertCommandOptions,
  kept: AlertCommands,
  io: Io,
): Promise<number> {
  const alerts = new Map((await kept.of(rule.name)).map((alert) => [alert.subject, alert]));
  const labels = new Map<string, string>();
  for (const { subject, label } of alerts.values()) if (label !== null) labels.set(subject, label);
  const all = alertSubjects(rule, labels);
  const named = subjectNamed(text, all, rule, io);
  if (named === null) return EXIT.usage;
  const { kind } = given;
  const meant = named.filter(({ subject }) => commandFits(kind, alerts.get(subject.key)));
  if (meant.length === 0) {
    const [only] = named;
    const who = text === undefined || only === undefined ? null : callSubject(only, all);
    io.err(`tickwatch: ${nothingFits(kind, rule, who)}; nothing was changed\n`);
    return EXIT.found;
  }
  const at = systemClock().now();
  const actor = { by: given.author, via: "command", comment: given.comment } as const;
  const called = meant.map((one) => ({ subject: one.subject.key, name: callSubject(one, all) }));
  await giveCommand(kind, rule.name, called, actor, at, kept);
  print(options, io, { value: () => report(given, meant), page: () => page(given, meant, all) });
  return EXIT.fine;
}

const MOST_NAMED = 10;

function page(
  { kind, rule, author }: Pick<Command, "kind" | "rule" | "author">,
  meant: readonly NamedSubject[],
  all: readonly NamedSubject[],
): string {
  const lines = meant.slice(0, MOST_NAMED).map((one) => `  ${callSubject(one, all)}`);
  const more = meant.length - lines.length;
  const by = kind === "rearm" ? "" : ` by ${author}`;
  return [
    `to be ${COMMAND_DONE[kind]}${by}: ${countOf(meant.length, "alert")} of ${rule}`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    "a running daemon applies this within 5 seconds, otherwise the next start does",
  ].join("\n");
}

function report(
  { kind, rule, author, comment }: Pick<Command, "kind" | "rule" | "author" | "comment">,
  meant: readonly NamedSubject[],
): unknown {
  return {
    ordered: kind,
    rule,
    subjects: meant.map(({ subject }) => subject.key),
    by: author,
    comment,
  };
}
