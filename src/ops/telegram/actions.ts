import type { Clock } from "../../base/clock.ts";
import { DAY, formatDuration, MINUTE, parseDuration } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import { formatTime } from "../../base/times.ts";
import { canBeAcked } from "../../decide/notification-state.ts";
import type { AlertMemory, Memory } from "../../poll/memory.ts";
import type { OperatorDb } from "../../store/operator-db/operator-db.ts";
import { countOf, lines } from "./reports.ts";
import { nameOf } from "./watched.ts";

export interface ActionParts {
  readonly memory: () => Memory;
  /** The daemon's database. Rejects with an Error for people while it cannot be used. */
  readonly db: <T>(work: (db: OperatorDb) => T) => Promise<T>;
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
}

const LONGEST_MS = 30 * DAY;
const MOST_NAMED = 5;
const COMMENT = "from Telegram";

/** Acknowledges those of the alerts that fire; the words are for the chat. */
export async function acknowledge(
  alerts: readonly AlertMemory[],
  author: string,
  { db, clock, log }: ActionParts,
): Promise<string> {
  const firing = alerts.filter(
    ({ alert }) => alert !== null && canBeAcked(alert.state, alert.lastNotified.state),
  );
  if (firing.length === 0) return "nothing to acknowledge: it is not firing";
  const at = clock.now();
  const given = firing.map(({ watched, subject }) => ({
    kind: "ack" as const,
    rule: watched.rule.name,
    subject: subject.key,
    author,
    comment: COMMENT,
    at,
  }));
  await db((open) => open.alerts.give(given));
  log.info({ by: author, alerts: given.length }, "alerts were acknowledged from Telegram");
  return lines([`acknowledged by ${author}: ${named(firing)}`]);
}

/** How long a silence is to be, in milliseconds; or what is wrong with the text. */
export function silenceSpan(text: string): number | string {
  const ms = parseDuration(text);
  if (ms === null) return `${text} is no duration; write 30m, 8h or 2d`;
  if (ms < MINUTE) return "a silence of less than a minute does nothing";
  return ms > LONGEST_MS ? "more than 30 days: use `tickwatch silence add --force`" : ms;
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
  const byRule = new Map<string, AlertMemory[]>();
  for (const one of alerts) {
    const { name } = one.watched.rule;
    byRule.set(name, [...(byRule.get(name) ?? []), one]);
  }
  const added = await db((open) => {
    const known = open.silences.all();
    let count = 0;
    for (const [rule, its] of byRule) {
      const isWhole = its.length === its[0]?.watched.alerts.length;
      const subjects = isWhole ? null : its.map(({ subject }) => subject.key).toSorted();
      // A button that is pressed twice silences once.
      const isSilent = known.some(
        (one) =>
          one.rule === rule &&
          one.startsAt <= now &&
          one.endsAt >= endsAt - MINUTE &&
          Object.keys(one.labels).length === 0 &&
          JSON.stringify(one.subjects) === JSON.stringify(subjects),
      );
      if (isSilent) continue;
      const labels = {};
      open.silences.add({
        rule,
        subjects,
        labels,
        startsAt: now,
        endsAt,
        author,
        comment: COMMENT,
        createdAt: now,
      });
      count += 1;
    }
    return count;
  });
  if (added === 0) return lines([`already silenced: ${named(alerts)}`]);
  log.info({ by: author, rules: [...byRule.keys()], ms }, "alerts were silenced from Telegram");
  return lines([
    `silenced for ${formatDuration(ms)} by ${author}, until ${formatTime(endsAt)}: ${named(alerts)}`,
  ]);
}

/** `my-range (Treasury ETH/USDC)`; of many the number. */
function named(alerts: readonly AlertMemory[]): string {
  const rules = new Set(alerts.map(({ watched }) => watched.rule.name));
  const [rule = ""] = rules;
  if (rules.size > 1) return `${countOf(alerts.length, "alert")} of ${rules.size} rules`;
  if (alerts.length > MOST_NAMED) return `${rule}, ${countOf(alerts.length, "alert")}`;
  return `${rule} (${alerts.map(nameOf).join(", ")})`;
}
