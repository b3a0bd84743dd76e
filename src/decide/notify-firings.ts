import type { Alert, Comparison, NotificationState, Rule, Way } from "../model/index.ts";
import { comparisonsOf, conditionOf } from "./condition-tree.ts";
import { findEvidence } from "./evidence.ts";
import { measure } from "./extent.ts";
import { flapTold, hasSettled, isFlapping, isRepeatDue } from "./flapping.ts";
import {
  holdsAny,
  type IntentKind,
  intent,
  type NotificationIntent,
  type NotifyMoment,
} from "./intent.ts";
import {
  isAcked,
  isFiring,
  notificationStateOf,
  withNotificationState,
} from "./notification-state.ts";
import { isCooling } from "./notify-events.ts";
import { valueToText } from "./runtime.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";
import { worseWay, worstAfter, worstOf, worstTold } from "./worse.ts";

/** Whether it fires: what people believe of it, and what is. */
export function notifyOfFiring(
  rule: Rule,
  before: Alert,
  after: Alert,
  moment: NotifyMoment,
  sayings: NotificationIntent[],
): Alert {
  const { firings } = notificationStateOf(after);
  if (firings !== null && firings.on !== null)
    return notifyOfFlapping(rule, after, moment, sayings);
  const fires = isFiring(after.state);
  const believed = after.lastNotified.state === "firing";
  if (fires === believed) {
    return fires
      ? notifyOfGoingOn(rule, after, moment, sayings)
      : countUntold(rule, before, withoutAck(after, moment), moment);
  }
  if (moment.quiet || !isCertain(after, moment)) return after;
  if (!fires) {
    if (!mayEnd(after, moment)) return after;
    sayings.push(intent("resolved"));
    return notifyOver(after);
  }
  if (isFlapping(firings, moment.date, rule.flapping)) {
    sayings.push(intent("flapping"));
    const told = notifyFiring(rule, after, moment, { once: rule.once ? "fired" : null });
    return withNotificationState(told, { firings: flapTold(firings, moment.date), worst: null });
  }
  if (isCooling(rule, after, moment.date)) return after;
  sayings.push(intent("fired", notificationStateOf(after).held));
  return notifyFiring(rule, after, moment, {
    held: null,
    cooling: moment.date,
    once: rule.once ? "fired" : null,
  });
}

/** What was held back is told in a round that knows, or it would be told without its numbers. */
function isCertain(alert: Alert, { known, happened }: NotifyMoment): boolean {
  return known || happened !== null || notificationStateOf(alert).byMissing;
}

/**
 * An alert that somebody looks after is over only once its condition is known to be false: that a gate
 * has closed is no news to him, nor that it opens again.
 */
function mayEnd(alert: Alert, { known, holds }: NotifyMoment): boolean {
  return !isAcked(alert) || (known && !holds);
}

/** What came and went while nobody was told needs nobody to look after it any more. */
function withoutAck(alert: Alert, moment: NotifyMoment): Alert {
  return isAcked(alert) && mayEnd(alert, moment)
    ? withNotificationState(alert, { acked: null })
    : alert;
}

/** It came and went and nobody was told: the next `fired` counts it. */
function countUntold(rule: Rule, before: Alert, after: Alert, moment: NotifyMoment): Alert {
  if (moment.happened !== "resolved" || rule.cooldownMs === 0) return after;
  const { held } = notificationStateOf(after);
  const since = held?.since ?? before.firedAt ?? moment.date;
  const next = { count: (held?.count ?? 0) + 1, since, base: null, first: null, last: null };
  return withNotificationState(after, { held: next });
}

function notifyFiring(
  rule: Rule,
  alert: Alert,
  moment: NotifyMoment,
  parts: Partial<NotificationState>,
): Alert {
  const evidence = moment.scene === null ? null : findEvidence(rule.when, moment.scene);
  const value = valueToText(evidence?.value ?? null);
  const told = {
    ...alert,
    lastNotified: { state: "firing", value, channels: rule.notify },
  } as const;
  const unmeasured = evidence === null ? null : worstOf(evidence);
  return withNotificationState(notifiedUnder(rule, told, moment.scene), {
    worst: furthest(rule, told, moment, null) ?? unmeasured,
    reminded: { at: moment.date, count: 0 },
    ...parts,
  });
}

/** What is told of how far it has gone, beside what was told before. */
function furthest(
  rule: Rule,
  alert: Alert,
  { scene }: Pick<NotifyMoment, "scene">,
  way: Way | null,
): NotificationState["worst"] {
  const { worst: told } = notificationStateOf(alert);
  if (rule.worse === null || scene === null) return told;
  const worst = worstTold(rule, told, scene);
  const now = measure(rule, scene, worst);
  return now === null ? told : worstAfter(worst, now, way ?? worst?.way ?? now.way);
}

function notifyOver(alert: Alert): Alert {
  const { value } = alert.lastNotified;
  const { once } = notificationStateOf(alert);
  const told = { ...alert, lastNotified: { state: "ok", value, channels: [] } } as const;
  return withNotificationState(told, {
    worst: null,
    reminded: null,
    once: once === null ? null : "spent",
    when: null,
    spoke: null,
    acked: null,
  });
}

/** It fires, as people know: it may have become worse, or be time to say it again. */
function notifyOfGoingOn(
  rule: Rule,
  alert: Alert,
  moment: NotifyMoment,
  sayings: NotificationIntent[],
): Alert {
  if (alert.state !== "firing" || moment.quiet || !moment.known || isAcked(alert)) return alert;
  const { date, scene } = moment;
  const worst = scene === null ? null : worstTold(rule, notificationStateOf(alert).worst, scene);
  const now = scene === null ? null : measure(rule, scene, worst);
  const way = now === null || scene === null ? null : worseWay(rule, worst, now, scene);
  // What people were told of could not be measured: from here on it is.
  if (way === null && worst === null && now !== null) {
    return remindOf(
      rule,
      withNotificationState(alert, { worst: worstAfter(null, now) }),
      moment,
      sayings,
    );
  }
  if (way === null) return remindOf(rule, alert, moment, sayings);
  sayings.push(intent("worse"));
  const { reminded } = notificationStateOf(alert);
  return notifyAgain(rule, alert, {
    worst: furthest(rule, alert, moment, way),
    reminded: { at: date, count: reminded?.count ?? 0 },
  });
}

function remindOf(
  rule: Rule,
  alert: Alert,
  moment: NotifyMoment,
  sayings: NotificationIntent[],
): Alert {
  if (!isReminderDue(rule, alert, moment.date)) return alert;
  sayings.push(intent("reminder"));
  const count = (notificationStateOf(alert).reminded?.count ?? 0) + 1;
  return notifyAgain(rule, alert, {
    worst: furthest(rule, alert, moment, null),
    reminded: { at: moment.date, count },
  });
}

/** Whoever hears of it now must hear that it ends, too. */
function notifyAgain(rule: Rule, alert: Alert, parts: Partial<NotificationState>): Alert {
  const { lastNotified } = alert;
  const fresh = rule.notify.filter((name) => !lastNotified.channels.includes(name));
  const next =
    fresh.length === 0
      ? alert
      : {
          ...alert,
          lastNotified: { ...lastNotified, channels: [...lastNotified.channels, ...fresh] },
        };
  return withNotificationState(next, parts);
}

/** It fires and resolves again and again, and people know: nothing more until it has settled. */
function notifyOfFlapping(
  rule: Rule,
  alert: Alert,
  moment: NotifyMoment,
  sayings: NotificationIntent[],
): Alert {
  const { firings } = notificationStateOf(alert);
  if (firings === null || moment.quiet || !moment.known) return alert;
  const say = (kind: IntentKind): void => void sayings.push(intent(kind));
  if (!hasSettled(firings, moment.date, rule.flapping)) {
    if (isAcked(alert) || !isRepeatDue(firings, moment.date)) return alert;
    say("flapping");
    return withNotificationState(notifyAgain(rule, alert, {}), {
      firings: flapTold(firings, moment.date),
    });
  }
  const settled = withNotificationState(alert, { firings: { ...firings, on: null } });
  if (!isFiring(alert.state)) {
    if (!mayEnd(alert, moment)) return settled;
    say("resolved");
    return notifyOver(settled);
  }
  if (isAcked(alert)) return settled;
  say("steady");
  return notifyAgain(rule, settled, {
    worst: furthest(rule, settled, moment, null),
    reminded: { at: moment.date, count: 0 },
  });
}

/**
 * Whether people are to be reminded of a firing alert: the gap counts from what they were told last,
 * and the last gap of the list goes on. However much is overdue, that is one reminder.
 */
function isReminderDue({ remind }: Rule, alert: Alert, date: number): boolean {
  if (remind.length === 0 || alert.state !== "firing") return false;
  const { reminded } = notificationStateOf(alert);
  const last = reminded?.at ?? alert.firedAt;
  const gap = remind[Math.min(reminded?.count ?? 0, remind.length - 1)];
  return last !== null && gap !== undefined && date - last >= gap;
}

/** The alert with what it is known to fire for: its end speaks of the same, and no other term of `any`. */
export function notifiedUnder(rule: Rule, alert: Alert, scene: EvaluationContext | null): Alert {
  const when = conditionOf(rule);
  if (!holdsAny(rule.when) || scene === null) {
    return notificationStateOf(alert).when === when
      ? alert
      : withNotificationState(alert, { when });
  }
  const evidence = findEvidence(rule.when, scene, null, lastNotifiedAt(rule, alert));
  const place = evidence === null ? -1 : comparisonsOf(rule.when).indexOf(evidence.comparison);
  return withNotificationState(alert, { when, spoke: place > 0 ? place : null });
}

/** What it was last known to fire for; null: that is not known, or the rule was edited. */
export function lastNotifiedAt(rule: Rule, alert: Alert): Comparison | null {
  const { when, spoke } = notificationStateOf(alert);
  if (spoke === null || spoke === undefined || when !== conditionOf(rule)) return null;
  return comparisonsOf(rule.when)[spoke] ?? null;
}
