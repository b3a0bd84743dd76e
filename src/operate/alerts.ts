import { canBeAcked } from "../decide/notification-state.ts";
import type { Command, Rule } from "../model/index.ts";
import type { AlertCommands, CommandedAlert } from "../store/operator-db/commands.ts";
import { type Actor, deedOf } from "./actor.ts";

export type CommandKind = Command["kind"];

/** What is done, in a sentence: `acknowledged: …`. */
export const COMMAND_DONE: Readonly<Record<CommandKind, string>> = {
  ack: "acknowledged",
  unack: "unacknowledged",
  rearm: "re-armed",
};

/** Whether there is anything that the command changes. */
export function commandFits(kind: CommandKind, alert: CommandedAlert | undefined): boolean {
  if (alert === undefined) return false;
  switch (kind) {
    case "ack":
      return canBeAcked(alert.state, alert.told);
    case "unack":
      return alert.acked !== null;
    case "rearm":
      return alert.completed;
  }
}

/** Why a command changes nothing; `who`: the one alert that was meant, null: the rule's. */
export function nothingFits(
  kind: CommandKind,
  rule: Pick<Rule, "name" | "event" | "once">,
  who: string | null,
): string {
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

/** An alert that is meant: its subject's key, and what people call it. */
export interface MeantAlert {
  readonly subject: string;
  readonly name: string;
}

/**
 * Writes a command down for each of the alerts, each by its subject: one that fires in the meantime is not
 * meant. Returns what it is about, in words.
 */
export async function giveCommand(
  kind: CommandKind,
  rule: string,
  meant: readonly MeantAlert[],
  actor: Actor,
  at: number,
  alerts: AlertCommands,
): Promise<string> {
  const [only] = meant;
  const isOne = only !== undefined && meant.length === 1;
  const about = isOne ? `${only.name} of ${rule}` : `${meant.length} alerts of ${rule}`;
  const { by: author, comment } = actor;
  const commands = meant.map(({ subject }) => ({ kind, rule, subject, author, comment, at }));
  const subject = isOne ? only.subject : null;
  const done = { action: kind, about, count: meant.length, at, rule, subject };
  await alerts.give(commands, deedOf(actor, done));
  return about;
}
