import { DAY } from "../base/duration.ts";
import type {
  Alert,
  AlertState,
  Command,
  Comparison,
  FlappingLimits,
  Flaps,
  NotificationState,
  Rule,
} from "../model/index.ts";
import { comparisonsOf, comparisonsOfRule, conditionOf } from "./condition-tree.ts";

const NOTHING: NotificationState = {
  firings: null,
  gaps: null,
  worst: null,
  reminded: null,
  cooling: null,
  held: null,
  blindSince: null,
  blindTo: null,
  byMissing: false,
  lapse: null,
  once: null,
  acked: null,
};

/** What an alert remembers, every part of it null where it remembers nothing. */
export function notificationStateOf({ life }: Alert): NotificationState {
  return life ?? NOTHING;
}

/** The alert with these parts of its life; the same object if they are what they were. */
export function withNotificationState(alert: Alert, parts: Partial<NotificationState>): Alert {
  const old = notificationStateOf(alert);
  const life = { ...old, ...parts };
  if (same(life, old)) return alert;
  return { ...alert, life: same(life, NOTHING) ? null : life };
}

function same(a: NotificationState, b: NotificationState): boolean {
  return (
    a.firings === b.firings &&
    a.gaps === b.gaps &&
    a.worst === b.worst &&
    a.reminded === b.reminded &&
    a.cooling === b.cooling &&
    a.held === b.held &&
    a.blindSince === b.blindSince &&
    a.blindTo === b.blindTo &&
    a.byMissing === b.byMissing &&
    a.lapse === b.lapse &&
    a.once === b.once &&
    (a.when ?? null) === (b.when ?? null) &&
    (a.spoke ?? null) === (b.spoke ?? null) &&
    a.acked === b.acked
  );
}

/** The side on which an alert fires: one that recovers has not resolved yet. */
export function isFiring(state: AlertState): boolean {
  return state === "firing" || state === "recovering";
}

/** `once`, and it is over: it is not evaluated until its rule is edited or it is armed again. */
export function isCompleted({ life }: Alert): boolean {
  return life !== null && life.once === "spent";
}

/** Somebody looks after it. */
export function isAcked({ life }: Alert): boolean {
  return life !== null && life.acked !== null;
}

/**
 * Whether nothing that an alert remembers asks for a word by itself: when and of what people were told
 * matters only to what comes next.
 */
export function isAtRest({ life }: Alert): boolean {
  if (life === null) return true;
  const { firings, gaps, held, blindSince, blindTo, byMissing, acked } = life;
  const waits = firings !== null || gaps !== null || held !== null || acked !== null;
  return !waits && blindSince === null && blindTo === null && !byMissing;
}

/**
 * An alert whose rule was edited: it is spent no more, and counts anew. What people were told stays, and
 * under which condition, since the one that ends it may be another.
 */
export function edited(alert: Alert): Alert {
  const { when = null } = notificationStateOf(alert);
  const unknown = alert.lastNotified.state === "firing" && when === null;
  return withNotificationState(alert, { once: null, when: unknown ? EARLIER : when });
}

/** Under a wording, or on values, that were not kept. */
export const EARLIER = "";

/** On values of another source than what answers now. */
export const OTHER_SOURCE = "on another source";

/** After so many executed rounds in a row without a value it is time to say so. */
const ROUNDS_WITHOUT_DATA = 3;

/** Whether an alert has been without a value for so long that it counts as without data. */
export function hasBeenMissing(
  { missingAfterMs }: Rule,
  { missing }: Alert,
  date: number,
): boolean {
  if (missing === null) return false;
  if (missing.told) return true;
  return missing.rounds >= ROUNDS_WITHOUT_DATA && date - missing.since >= missingAfterMs;
}

/** Whether that must be told, and was not yet. */
export function isDueAsMissing(rule: Rule, alert: Alert, date: number): boolean {
  return alert.missing?.told === false && hasBeenMissing(rule, alert, date);
}

/**
 * The alert on values of another kind than before: its state and what people know of it stay, and what was
 * measured is forgotten. Should it be over now, that is no good news: `on` says what it fired on, as far as
 * people know. The same object if there was nothing.
 */
export function measuredAnew(alert: Alert, rule: Rule, on = OTHER_SOURCE): Alert {
  const seen = alert.seen === null ? alert : { ...alert, seen: null };
  const isBelieved = alert.lastNotified.state === "firing";
  const anew = isBelieved ? withNotificationState(seen, { when: on }) : seen;
  const isChange = comparisonsOfRule(rule).some((comparison) => "span" in comparison);
  const { worst } = notificationStateOf(alert);
  if (!isChange && (worst?.base ?? null) === null) return anew;
  if (worst === null && alert.lastNotified.value === null) return anew;
  return withNotificationState(
    { ...anew, lastNotified: { ...anew.lastNotified, value: null } },
    { worst: null },
  );
}

/** Whether its last `fired` or `changed` was so lately that the next has to wait. */
export function isCooling({ cooldownMs }: Rule, alert: Alert, date: number): boolean {
  const { cooling } = notificationStateOf(alert);
  return cooling !== null && date - cooling < cooldownMs;
}

/** What it was last known to fire for; null: that is not known, or the rule was edited. */
export function lastNotifiedFor(rule: Rule, alert: Alert): Comparison | null {
  const { when, spoke } = notificationStateOf(alert);
  if (spoke === null || spoke === undefined || when !== conditionOf(rule)) return null;
  return comparisonsOf(rule.when)[spoke] ?? null;
}

/** Whether there is something for somebody to look after: it fires, or people believe that it does. */
export function canBeAcked(state: Alert["state"], told: Alert["lastNotified"]["state"]): boolean {
  return isFiring(state) || told === "firing";
}

/** The alert once the order is carried out; the same object where the order changes nothing. */
export function carryOut(alert: Alert, { kind, author, at }: Command): Alert {
  switch (kind) {
    case "ack":
      return canBeAcked(alert.state, alert.lastNotified.state)
        ? withNotificationState(alert, { acked: { by: author, at } })
        : alert;
    case "unack":
      return withNotificationState(alert, { acked: null });
    case "rearm":
      return isCompleted(alert) ? withNotificationState(alert, { once: null }) : alert;
  }
}

/** It has settled when at most so many happened in twice the time. */
const SETTLED = 2;

const NONE: Flaps = { dates: [], on: null };

/** With one more; only as many are kept as can matter. */
export function withFlap(flaps: Flaps | null, date: number, { moreThan }: FlappingLimits): Flaps {
  const { dates, on } = flaps ?? NONE;
  return {
    dates: [...dates, date].slice(-Math.max(moreThan + 1, SETTLED + 1)),
    on: turned(on, date),
  };
}

/** It went to the other side at `date`. */
export function withTurn(flaps: Flaps | null, date: number): Flaps | null {
  return flaps === null || flaps.on === null ? flaps : { ...flaps, on: turned(flaps.on, date) };
}

function turned(on: Flaps["on"], date: number): Flaps["on"] {
  return on === null ? null : { ...on, side: date };
}

/** Whether it happened more often than it may in (date − within, date]. */
export function isFlapping(flaps: Flaps | null, date: number, limits: FlappingLimits): boolean {
  return flaps !== null && countIn(flaps, date, limits.withinMs) > limits.moreThan;
}

/** People are told at `date` that it flaps; it has been as it is since it happened last. */
export function flapTold(flaps: Flaps | null, date: number): Flaps {
  const { dates, on } = flaps ?? NONE;
  if (on !== null) return { dates, on: { ...on, told: date } };
  return { dates, on: { since: date, told: date, side: dates.at(-1) ?? date } };
}

/** While it flaps that is said again every day. */
export function isRepeatDue({ on }: Flaps, date: number): boolean {
  return on !== null && date - on.told >= DAY;
}

/** On one side for the whole time, or hardly anything in twice the time. */
export function hasSettled(flaps: Flaps, date: number, { withinMs }: FlappingLimits): boolean {
  if (flaps.on === null) return true;
  return date - flaps.on.side >= withinMs || countIn(flaps, date, 2 * withinMs) <= SETTLED;
}

/** What is left to remember; null: all of it is too old to matter. */
export function withoutStale(
  flaps: Flaps | null,
  date: number,
  limits: FlappingLimits,
): Flaps | null {
  if (flaps === null || flaps.on !== null) return flaps;
  const newest = flaps.dates.at(-1);
  return newest === undefined || newest <= date - 2 * limits.withinMs ? null : flaps;
}

function countIn({ dates }: Flaps, date: number, ms: number): number {
  return dates.filter((one) => one > date - ms).length;
}
