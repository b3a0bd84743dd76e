import { addAmounts } from "../base/amount.ts";
import { parseDecimal } from "../base/decimal.ts";
import type { Alert, Amount, Rule, Suppressed } from "../model/index.ts";
import { findEvidence } from "./evidence.ts";
import { intent, type NotificationIntent, type NotifyMoment } from "./intent.ts";
import { isCompleted, notificationStateOf, withNotificationState } from "./notification-state.ts";
import { valueToText } from "./runtime.ts";

/** An event: the value before it and its own, as exact text. */
export interface EventValues {
  readonly base: string | null;
  readonly value: string | null;
  /** Of an entry: whose value it is, and how it is written. */
  readonly of?: Pick<Amount, "metric" | "decimals" | "unit">;
}

/** Whether something happened, and what was held back before it. */
export function notifyOfEvent(
  rule: Rule,
  alert: Alert,
  moment: NotifyMoment,
  sayings: NotificationIntent[],
): Alert {
  if (moment.happened === "changed") {
    const evidence = moment.scene === null ? null : findEvidence(rule.when, moment.scene);
    const values = {
      base: valueToText(evidence?.base ?? null),
      value: valueToText(evidence?.value ?? null),
    };
    return notifyEvent(rule, alert, values, moment, sayings);
  }
  const { held } = notificationStateOf(alert);
  // What is told beside it are values of now: it waits until there are some.
  if (held === null || !moment.known || isHeldBack(rule, alert, moment)) return alert;
  sayings.push(intent("changed", held));
  return told(rule, alert, moment.date);
}

/** Tells of one event, or counts it for when it can be told. */
export function notifyEvent(
  rule: Rule,
  alert: Alert,
  values: EventValues,
  moment: Pick<NotifyMoment, "date" | "quiet">,
  sayings: NotificationIntent[],
): Alert {
  // Several may happen in one round, and the first may have been the only one.
  if (isCompleted(alert)) return alert;
  const before = notificationStateOf(alert).held;
  const held = heldWith(before, values, moment.date);
  if (isHeldBack(rule, alert, moment)) return withNotificationState(alert, { held });
  sayings.push(intent("changed", before === null ? null : held));
  return told(rule, alert, moment.date);
}

function told(rule: Rule, alert: Alert, date: number): Alert {
  return withNotificationState(alert, {
    held: null,
    cooling: date,
    once: rule.once ? "spent" : null,
  });
}

function isHeldBack(
  rule: Rule,
  alert: Alert,
  { date, quiet }: Pick<NotifyMoment, "date" | "quiet">,
): boolean {
  return quiet || isCooling(rule, alert, date);
}

/** Whether its last `fired` or `changed` was so lately that the next has to wait. */
export function isCooling({ cooldownMs }: Rule, alert: Alert, date: number): boolean {
  const { cooling } = notificationStateOf(alert);
  return cooling !== null && date - cooling < cooldownMs;
}

function heldWith(held: Suppressed | null, values: EventValues, date: number): Suppressed {
  const { base, value } = values;
  const own = amountOf(values);
  const amount = held === null ? own : addAmounts(held.amount, own);
  const more = amount === undefined ? {} : { amount };
  if (held === null) return { count: 1, since: date, base, first: value, last: value, ...more };
  const { amount: _, ...before } = held;
  return { ...before, count: held.count + 1, last: value, ...more };
}

/** What one entry comes to; undefined where its value is no number. */
function amountOf({ of, value }: EventValues): Amount | undefined {
  const size = value === null ? null : parseDecimal(value)?.toString();
  if (of === undefined || size === null || size === undefined) return undefined;
  return { ...of, largest: size, sum: size };
}
