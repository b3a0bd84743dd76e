import { type Clock, formatTime } from "../../base/clock.ts";
import { formatDuration, MINUTE, parseDuration } from "../../base/duration.ts";
import { groupBy } from "../../base/group-by.ts";
import type { Log } from "../../base/log.ts";
import { countOf } from "../../base/text.ts";
import type { Silence } from "../../model/index.ts";
import type { Actor } from "../../operate/actor.ts";
import { commandFits, giveCommand } from "../../operate/alerts.ts";
import { addSilences, silenceTimes } from "../../operate/silences.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import type { OperatorDb } from "../../store/operator-db/operator-db.ts";
import { lines } from "./reports.ts";
import { nameOf } from "./watched.ts";

export interface ActionParts {
  /** The daemon's database. Rejects with an Error for people while it cannot be used. */
  readonly db: <T>(work: (db: OperatorDb) => Promise<T>) => Promise<T>;
  /** Carries out at once what was ordered. */
  readonly carryOut: () => Promise<void>;
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
}

const MOST_NAMED = 5;
const SILENCE_WORDS = {
  length: "one length",
  how: "30m, 8h or 2d",
  force: "use `tickwatch silence add --force`",
};

/** Acknowledges those of the alerts that fire; the words are for the chat. */
export async function acknowledge(
  alerts: readonly AlertMemory[],
  author: string,
  { db, clock, log, carryOut }: ActionParts,
): Promise<string> {
  const actor = actorOf(author);
  const done = await db(async (open) => {
    const meant: AlertMemory[] = [];
    for (const [rule, its] of byRule(alerts)) {
      const known = new Map((await open.alerts.of(rule)).map((one) => [one.subject, one]));
      const firing = its.filter(({ subject }) => commandFits("ack", known.get(subject.key)));
      if (firing.length === 0) continue;
      const named = firing.map((one) => ({ subject: one.subject.key, name: nameOf(one) }));
      await giveCommand("ack", rule, named, actor, clock.now(), open.alerts);
      meant.push(...firing);
    }
    return meant;
  });
  if (done.length === 0) return "nothing to acknowledge: it is not firing";
  log.info({ by: author, alerts: done.length }, "alerts were acknowledged from Telegram");
  await carryOut();
  return lines([`acknowledged by ${author}: ${wordsOf(done)}`]);
}

/** How long a silence is to be, in milliseconds; or what is wrong with the text. */
export function silenceSpan(text: string, now: number): number | string {
  const ms = parseDuration(text);
  if (ms === null) return `${text} is not a duration; write 30m, 8h or 2d`;
  if (ms < MINUTE) return "a silence of less than a minute does nothing";
  const times = silenceTimes({ for: ms }, now, SILENCE_WORDS);
  return typeof times === "string" ? times : ms;
}

/** Silences these alerts for so many milliseconds, rule by rule, unless they are already silent for as long. */
export async function silence(
  alerts: readonly AlertMemory[],
  ms: number,
  author: string,
  { db, clock, log }: ActionParts,
): Promise<string> {
  if (alerts.length === 0) return "nothing to silence: it is not watched any more";
  const now = clock.now();
  const endsAt = now + ms;
  const actor = actorOf(author);
  const names = new Map(alerts.map((one) => [one.subject.key, nameOf(one)]));
  const added = await db(async (open) => {
    const known = await open.silences.all();
    const wanted = Array.from(byRule(alerts), ([rule, its]): Omit<Silence, "id"> => {
      const isWhole = its.length === its[0]?.watched.alerts.length;
      const subjects = isWhole ? null : its.map(({ subject }) => subject.key).toSorted();
      const when = { startsAt: now, endsAt, createdAt: now };
      return { rule, subjects, labels: {}, ...when, author, comment: actor.comment };
    });
    // A button that is pressed twice silences once.
    const fresh = wanted.filter((one) => !known.some((other) => covers(other, one)));
    const made = await addSilences(fresh, actor, (key) => names.get(key) ?? key, open.silences);
    return made.length;
  });
  if (added === 0) return lines([`already silenced: ${wordsOf(alerts)}`]);
  log.info({ by: author, silences: added, ms }, "alerts were silenced from Telegram");
  return lines([
    `silenced for ${formatDuration(ms)} by ${author}, until ${formatTime(endsAt)}: ${wordsOf(alerts)}`,
  ]);
}

/** Whether one silence, in force now, is about the same as another that begins now, and ends hardly earlier. */
function covers(known: Silence, wanted: Omit<Silence, "id">): boolean {
  return (
    known.rule === wanted.rule &&
    known.startsAt <= wanted.startsAt &&
    known.endsAt >= wanted.endsAt - MINUTE &&
    Object.keys(known.labels).length === 0 &&
    JSON.stringify(known.subjects) === JSON.stringify(wanted.subjects)
  );
}

function actorOf(author: string): Actor {
  return { by: author, via: "chat", comment: "from Telegram" };
}

function byRule(alerts: readonly AlertMemory[]): ReadonlyMap<string, readonly AlertMemory[]> {
  return groupBy(alerts, ({ watched }) => watched.rule.name);
}

/** `my-range (Treasury ETH/USDC)`; of many the number. */
function wordsOf(alerts: readonly AlertMemory[]): string {
  const rules = new Set(alerts.map(({ watched }) => watched.rule.name));
  const [rule = ""] = rules;
  if (rules.size > 1) return `${countOf(alerts.length, "alert")} of ${rules.size} rules`;
  if (alerts.length > MOST_NAMED) return `${rule}, ${countOf(alerts.length, "alert")}`;
  return `${rule} (${alerts.map(nameOf).join(", ")})`;
}
