import { systemClock } from "../base/clock.ts";
import { cleanText } from "../base/text.ts";
import { canBeAcked } from "../decide/notification-state.ts";
import type { Command, Rule } from "../model/index.ts";
import { callSubject, type NamedSubject } from "../replay/subjects.ts";
import type { AlertCommands, CommandedAlert } from "../store/operator-db/commands.ts";
import { authorOf, EXIT, type Io } from "./io.ts";
import { countOf, print } from "./report.ts";
import { alertSubjects, ruleNamed, subjectNamed } from "./rule-argument.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export type OrderKind = Command["kind"];

export interface OrderOptions {
  readonly config: string;
  readonly by?: string;
  readonly comment?: string;
  readonly json?: boolean;
}

const LONGEST_COMMENT = 500;

/** `tickwatch ack`, `unack` and `rearm`: the exit code. Throws ConfigError and StoreError. */
export async function order(
  kind: OrderKind,
  name: string,
  text: string | undefined,
  options: OrderOptions,
  io: Io,
): Promise<number> {
  return await withOperatorDb(options.config, io, "write", async (db, { setup }) => {
    const rule = ruleNamed(name, await setup(), io);
    if (rule === null) return EXIT.usage;
    const said = cleanText(options.comment ?? "", LONGEST_COMMENT);
    const given = {
      kind,
      rule: rule.name,
      author: authorOf(options.by),
      comment: said === "" ? null : said,
    };
    return give(given, rule, text, options, db.alerts, io);
  });
}

function give(
  given: Pick<Command, "kind" | "rule" | "author" | "comment">,
  rule: Rule,
  text: string | undefined,
  options: OrderOptions,
  kept: AlertCommands,
  io: Io,
): number {
  const alerts = new Map(kept.of(rule.name).map((alert) => [alert.subject, alert]));
  const labels = new Map<string, string>();
  for (const { subject, label } of alerts.values()) if (label !== null) labels.set(subject, label);
  const all = alertSubjects(rule, labels);
  const named = text === undefined ? all : subjectNamed(text, all, rule, io);
  if (named === null) return EXIT.usage;
  const { kind } = given;
  const meant = named.filter(({ subject }) => fits(kind, alerts.get(subject.key)));
  if (meant.length === 0) {
    const [only] = named;
    const who = text === undefined || only === undefined ? null : callSubject(only, all);
    io.err(`tickwatch: ${nothingFits(kind, rule, who)}; nothing was changed\n`);
    return EXIT.found;
  }
  const at = systemClock().now();
  // Each alert by its name: one that fires in the meantime is not meant.
  kept.give(meant.map(({ subject }) => ({ ...given, subject: subject.key, at })));
  print(options, io, { value: () => report(given, meant), page: () => page(given, meant, all) });
  return EXIT.fine;
}

/** Whether there is anything that the order changes. */
function fits(kind: OrderKind, alert: CommandedAlert | undefined): boolean {
  if (alert === undefined) return false;
  switch (kind) {
    case "ack":
      return canBeAcked(alert.state, alert.told);
    case "unack":
      return alert.acked !== null;
    case "rearm":
      return alert.spent;
  }
}

function nothingFits(kind: OrderKind, rule: Rule, who: string | null): string {
  const whose = who === null ? `no alert of ${rule.name}` : `${who} of ${rule.name}`;
  switch (kind) {
    case "ack":
      if (rule.event) return `${rule.name} reports events, which cannot be acknowledged`;
      return who === null ? `${whose} is firing` : `${whose} is not firing`;
    case "unack":
      return who === null ? `${whose} is acknowledged` : `${whose} is not acknowledged`;
    case "rearm":
      if (!rule.once) return `${rule.name} does not have once: true, so it never needs re-arming`;
      return who === null ? `${whose} has completed` : `${whose} has not completed`;
  }
}

const DONE: Readonly<Record<OrderKind, string>> = {
  ack: "acknowledged",
  unack: "unacknowledged",
  rearm: "re-armed",
};

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
    `to be ${DONE[kind]}${by}: ${countOf(meant.length, "alert")} of ${rule}`,
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
