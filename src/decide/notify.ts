import type { Alert, Rule } from "../model/index.ts";
import {
  flapTold,
  hasSettled,
  isFlapping,
  isRepeatDue,
  withFlap,
  withoutStale,
  withTurn,
} from "./flapping.ts";
import type { GateView } from "./gates.ts";
import { intent, intentOfGaps, type NotificationIntent, type NotifyMoment } from "./intent.ts";
import {
  hasBeenMissing,
  isAtRest,
  isDueAsMissing,
  isFiring,
  notificationStateOf,
  withNotificationState,
} from "./notification-state.ts";
import { notifyOfEvent } from "./notify-events.ts";
import { notifyOfFiring } from "./notify-firings.ts";
import { firesWithoutData, fireWithoutData } from "./transition.ts";

export interface Notified {
  readonly alert: Alert;
  readonly sayings: readonly NotificationIntent[];
}

const NOTHING: readonly NotificationIntent[] = [];

/**
 * What people are to be told: the difference between what they were told and what is, as far as
 * nothing holds it back. That is all that holding back means: whatever keeps an alert quiet, its notices
 * wait, and once nothing does the difference that is left is told. `before`: the alert before the
 * round; `after`: as the round left it, nobody told yet. Pure.
 */
export function notify(rule: Rule, before: Alert, after: Alert, moment: NotifyMoment): Notified {
  if (moment.happened === null && hasNothingToNotify(rule, before, after)) {
    return { alert: after, sayings: NOTHING };
  }
  const sayings: NotificationIntent[] = [];
  const noted = note(rule, after, moment);
  const asked = withoutGap(notifyOfData(rule, before, noted, moment, sayings));
  const heard = sayings.length > 0 ? reminded(asked, moment.date) : asked;
  const alert = rule.event
    ? notifyOfEvent(rule, heard, moment, sayings)
    : notifyOfFiring(rule, before, heard, moment, sayings);
  return { alert, sayings };
}

/** So it is of nearly all alerts in nearly all rounds, unless something happened in this one. */
export function hasNothingToNotify(rule: Rule, before: Alert, after: Alert): boolean {
  if (!isAtRest(after)) return false;
  if (after.missing !== null || before.missing !== null) return false;
  if (isFiring(after.state) !== (after.lastNotified.state === "firing")) return false;
  return after.state !== "firing" || (rule.remind.length === 0 && rule.worse === null);
}

/** Whatever is told of an alert that fires says that it does: the next reminder counts from there. */
function reminded(alert: Alert, date: number): Alert {
  if (alert.lastNotified.state !== "firing") return alert;
  const { reminded: last } = notificationStateOf(alert);
  return withNotificationState(alert, { reminded: { at: date, count: last?.count ?? 0 } });
}

/** What must be remembered whether or not anything is said: the firings, to know that it flaps. */
function note(rule: Rule, alert: Alert, { date, happened }: NotifyMoment): Alert {
  const { firings, gaps } = notificationStateOf(alert);
  const turned =
    happened === "fired"
      ? withFlap(firings, date, rule.flapping)
      : happened === "resolved"
        ? withTurn(firings, date)
        : firings;
  return withNotificationState(alert, {
    firings: withoutStale(turned, date, rule.flapping),
    gaps: withoutStale(gaps, date, rule.flapping),
  });
}

/** Nobody believes any more that it has no data, once there is some and that was said. */
function withoutGap(alert: Alert): Alert {
  const { blindTo, blindSince, gaps } = notificationStateOf(alert);
  if (blindTo === null || blindSince !== null || alert.missing !== null) return alert;
  return gaps !== null && gaps.on !== null
    ? alert
    : withNotificationState(alert, { blindTo: null });
}

/**
 * What is to be told of an alert whose request failed, once the end of the round has shown that its
 * source is not down: as if the answer had been without it.
 */
export function notifyOfMissing(rule: Rule, alert: Alert, date: number, gates: GateView): Notified {
  const fires = !rule.event && firesWithoutData(rule, alert, { date, closedBy: gates.closedBy });
  return notify(rule, alert, fires ? fireWithoutData(alert, date) : alert, {
    date,
    happened: fires ? "fired" : null,
    known: false,
    holds: false,
    unanswered: false,
    quiet: gates.quiet,
    scene: null,
  });
}

type DataMoment = Pick<NotifyMoment, "date" | "unanswered" | "quiet">;

/** Whether there is data: what people believe of it, and what is. */
function notifyOfData(
  rule: Rule,
  before: Alert,
  after: Alert,
  moment: DataMoment,
  sayings: NotificationIntent[],
): Alert {
  const came = before.missing?.told === true && after.missing === null;
  const gone =
    !moment.unanswered &&
    isDueAsMissing(rule, after, moment.date) &&
    // It fires instead, as soon as its gates let it.
    (rule.onMissing === "keep" || isFiring(after.state));
  const { gaps, blindSince } = notificationStateOf(after);
  if (gaps !== null && gaps.on !== null) {
    const turned = gone || came ? turnGaps(rule, after, gone, moment.date) : after;
    return notifyOfGaps(rule, turned, moment, sayings);
  }
  if (came) return notifyOfReturn(before, after, moment, sayings);
  if (blindSince !== null) return notifyOfOldGap(rule, after, moment, sayings);
  if (!gone || moment.quiet) return after;
  const counted = withFlap(gaps, moment.date, rule.flapping);
  const flaps = isFlapping(counted, moment.date, rule.flapping);
  sayings.push(flaps ? intentOfGaps("flapping") : intent("no_data"));
  const next = flaps ? flapTold(counted, moment.date) : counted;
  return withNotificationState(knownMissing(after), { gaps: next, blindTo: rule.notify });
}

/** People know, or will not be told apart, that it has no data. */
function knownMissing(alert: Alert): Alert {
  return alert.missing === null ? alert : { ...alert, missing: { ...alert.missing, told: true } };
}

function turnGaps(rule: Rule, alert: Alert, gone: boolean, date: number): Alert {
  const { gaps } = notificationStateOf(alert);
  if (!gone) return withNotificationState(alert, { gaps: withTurn(gaps, date) });
  return withNotificationState(knownMissing(alert), { gaps: withFlap(gaps, date, rule.flapping) });
}

/** Its data comes and goes, and people know. */
function notifyOfGaps(
  rule: Rule,
  alert: Alert,
  moment: DataMoment,
  sayings: NotificationIntent[],
): Alert {
  const { gaps } = notificationStateOf(alert);
  if (moment.quiet || gaps === null) return alert;
  if (hasSettled(gaps, moment.date, rule.flapping)) {
    // Missing for a moment only it may yet come back: that will be said then.
    if (alert.missing !== null && !alert.missing.told) return alert;
    sayings.push(intentOfGaps(alert.missing === null ? "data_back" : "steady"));
    return withNotificationState(alert, { gaps: { ...gaps, on: null } });
  }
  if (!isRepeatDue(gaps, moment.date)) return alert;
  sayings.push(intentOfGaps("flapping"));
  return withNotificationState(alert, { gaps: flapTold(gaps, moment.date) });
}

/** There is data again, and people believe that there is none. */
function notifyOfReturn(
  before: Alert,
  after: Alert,
  { quiet }: DataMoment,
  sayings: NotificationIntent[],
): Alert {
  if (notificationStateOf(before).byMissing) {
    // People were told that it fires; if that is over they hear of that.
    if (isFiring(after.state) && after.lastNotified.state === "firing" && !quiet) {
      sayings.push(intent("data_back"));
    }
    return after;
  }
  if (quiet) return withNotificationState(after, { blindSince: before.missing?.since ?? null });
  sayings.push(intent("data_back"));
  return after;
}

/** There was data again while nothing could be said of it. */
function notifyOfOldGap(
  rule: Rule,
  after: Alert,
  moment: DataMoment,
  sayings: NotificationIntent[],
): Alert {
  if (after.missing !== null) {
    // It is gone anew: what people believe has become true again.
    const gone = hasBeenMissing(rule, after, moment.date);
    return gone ? withNotificationState(knownMissing(after), { blindSince: null }) : after;
  }
  if (moment.quiet) return after;
  sayings.push(intent("data_back"));
  return withNotificationState(after, { blindSince: null });
}
