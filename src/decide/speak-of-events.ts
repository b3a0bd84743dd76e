import { absolute, add, compare, parseDecimal } from "../base/decimal.ts";
import type { Alert, Held, HeldAmount, Rule } from "../model/index.ts";
import { findEvidence } from "./evidence.ts";
import { isSpent, lifeOf, withLife } from "./life.ts";
import { type Moment, type Saying, saying } from "./saying.ts";
import { valueToText } from "./watched.ts";

/** An event: the value before it and its own, as exact text. */
export interface EventValues {
  readonly base: string | null;
  readonly value: string | null;
  /** Of an entry: whose value it is, and how it is written. */
  readonly of?: Pick<HeldAmount, "metric" | "decimals" | "unit">;
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

function heldWith(held: Held | null, values: EventValues, date: number): Held {
  const { base, value } = values;
  const amount = amountWith(held, values);
  const more = amount === null ? {} : { amount };
  if (held === null) return { count: 1, since: date, base, first: value, last: value, ...more };
  const { amount: _, ...before } = held;
  return { ...before, count: held.count + 1, last: value, ...more };
}

/** What entries come to with one more; null where one of them is no number, or of another metric. */
function amountWith(held: Held | null, { of, value }: EventValues): HeldAmount | null {
  const next = value === null ? null : parseDecimal(value);
  if (next === null || of === undefined) return null;
  if (held === null) return { ...of, largest: next.toString(), sum: next.toString() };
  const { amount } = held;
  if (amount?.metric !== of.metric) return null;
  const [largest, sum] = [parseDecimal(amount.largest), parseDecimal(amount.sum)];
  if (largest === null || sum === null) return null;
  const larger = compare(absolute(next), absolute(largest)) > 0 ? next : largest;
  return { ...of, largest: larger.toString(), sum: add(sum, next).toString() };
}
