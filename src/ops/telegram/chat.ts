import { pressOf } from "../../channels/telegram-buttons.ts";
import type { Memory } from "../../poll/memory.ts";
import { type ActionParts, acknowledge, silence, silenceSpan } from "./actions.ts";
import { type Command, commandOf, type Pressed, type Written } from "./incoming.ts";
import {
  firingReport,
  HELP,
  type Looked,
  lines,
  rangeReport,
  statusReport,
  whyReport,
} from "./reports.ts";
import { alertsMeant, ruleMeant } from "./watched.ts";

export interface ChatParts extends Looked, ActionParts {
  /** Reads what other daemons watch as it is now; absent: there are none. Throws StoreError. */
  readonly refresh?: () => Promise<void>;
}

/** A command that was sent longer ago is not what its sender wants now. */
const OLDEST_S = 600;

/**
 * What is answered to a text of somebody who may give commands, once it is done; null: it is no command.
 * `bot`: our name. `now`: epoch milliseconds of real time. Never rejects.
 */
export async function answerTo(
  { text, date, sender }: Written,
  bot: string,
  now: number,
  parts: ChatParts,
): Promise<string | null> {
  const command = commandOf(text, bot);
  if (command === null) return null;
  if (now / 1_000 - date > OLDEST_S) {
    return "this was sent more than 10 minutes ago and is not done: send it again";
  }
  return await safely(() => carryOut(command, sender.name, parts));
}

async function carryOut(command: Command, author: string, parts: ChatParts): Promise<string> {
  // People answer to a message at once, and the alert may be another daemon's.
  if (command.kind !== "help") await parts.refresh?.();
  const memory = parts.memory();
  switch (command.kind) {
    case "help":
      return HELP;
    case "status":
      return await statusReport(parts);
    case "firing":
      return firingReport(parts);
    case "range":
      return rangeReport(parts);
    case "wrong":
      return `write ${command.usage}`;
    case "why": {
      const meant = ruleMeant(command.rule, memory);
      return "problem" in meant ? lines([meant.problem]) : await whyReport(meant.found, parts);
    }
    case "ack":
    case "silence": {
      const rule = ruleMeant(command.rule, memory);
      if ("problem" in rule) return lines([rule.problem]);
      const alerts = alertsMeant(rule.found, command.subject);
      if ("problem" in alerts) return lines([alerts.problem]);
      if (command.kind === "ack") return await acknowledge(alerts.found, author, parts);
      const ms = silenceSpan(command.span, parts.clock.now());
      return typeof ms === "string" ? lines([ms]) : await silence(alerts.found, ms, author, parts);
    }
  }
}

/** What is answered to a button of ours, once it is done; null: it is none. Never rejects. */
export async function answerToPress(
  { data, sender }: Pressed,
  parts: ChatParts,
): Promise<string | null> {
  const press = pressOf(data);
  if (press === null) return null;
  const { button, id } = press;
  return await safely(async () => {
    const told = await parts.db((open) => open.toldBy(id));
    if (told.length === 0) return "this message is too old to act on";
    await parts.refresh?.();
    const alerts = findAlerts(told, parts.memory());
    return button.silenceMs === null
      ? await acknowledge(alerts, sender.name, parts)
      : await silence(alerts, button.silenceMs, sender.name, parts);
  });
}

function findAlerts(
  told: readonly { readonly rule: string; readonly subject: string }[],
  { rules }: Memory,
) {
  const wanted = new Set(told.map(({ rule, subject }) => `${rule}\n${subject}`));
  return rules.flatMap(({ rule, alerts }) =>
    alerts.filter(({ subject }) => wanted.has(`${rule.name}\n${subject.key}`)),
  );
}

async function safely(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    // The database is locked or full, which its own words say.
    return lines([`not done: ${error instanceof Error ? error.message : "an error"}`]);
  }
}
