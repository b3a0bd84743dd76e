import type { Alert, Held, Rule } from "../model.ts";
import { findEvidence } from "./evidence.ts";
import { isSpent, lifeOf, withLife } from "./life.ts";
import type { Moment } from "./moment.ts";
import { type Saying, saying } from "./saying.ts";
import { valueToText } from "./watched.ts";

/** An event: the value before it and its own, as exact text. */
export interface EventValues {
  readonly base: string | null;
  readonly value: string | null;
}

/** Whether something happened, and what was held back before it. */
export function speakOfEvent(rule: Rule, alert: Alert, moment: Moment, sayings: Saying[]): Alert {
  if (moment.happened === "changed") {
    const evidence = moment.scene === null ? null : findEvidence(rule.when, moment.scene);
    const values = {
      base: valueToText(evidence?.base ?? null),
      value: valueToText(evidence?.value ?? null),
    };
    return tellEvent(rule, alert, values, moment, sayings);
  }
  const { held } = lifeOf(alert);
  // What is told beside it are values of now: it waits until there are some.
  if (held === null || !moment.known || isHeldBack(rule, alert, moment)) return alert;
  sayings.push(saying("changed", held));
  return told(rule, alert, moment.date);
}

/** Tells of one event, or counts it for when it can be told. */
export function tellEvent(
  rule: Rule,
  alert: Alert,
  values: EventValues,
  moment: Pick<Moment, "date" | "quiet">,
  sayings: Saying[],
): Alert {
  // Several may happen in one round, and the first may have been the only one.
  if (isSpent(alert)) return alert;
  const before = lifeOf(alert).held;
  const held = heldWith(before, values, moment.date);
  if (isHeldBack(rule, alert, moment)) return withLife(alert, { held });
  sayings.push(saying("changed", before === null ? null : held));
  return told(rule, alert, moment.date);
}

function told(rule: Rule, alert: Alert, date: number): Alert {
  return withLife(alert, {
    held: null,
    cooling: date,
    once: rule.once ? "spent" : null,
  });
}

function isHeldBack(
  rule: Rule,
  alert: Alert,
  { date, quiet }: Pick<Moment, "date" | "quiet">,
): boolean {
  return quiet || isCooling(rule, alert, date);
}

/** Whether its last `fired` or `changed` was so lately that the next has to wait. */
export function isCooling({ cooldownMs }: Rule, alert: Alert, date: number): boolean {
  const { cooling } = lifeOf(alert);
  return cooling !== null && date - cooling < cooldownMs;
}

function heldWith(held: Held | null, { base, value }: EventValues, date: number): Held {
  if (held === null) return { count: 1, since: date, base, first: value, last: value };
  return { ...held, count: held.count + 1, last: value };
}
