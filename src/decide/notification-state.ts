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
import type { AlertRuntime, Gates } from "./runtime.ts";

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

/** An alert's memory; each part is null if there is nothing to remember. */
export function notificationStateOf({ life }: Alert): NotificationState {
  return life ?? NOTHING;
}

/** The alert with these parts of its memory; the same object if nothing changes. */
export function withNotificationState(alert: Alert, parts: Partial<NotificationState>): Alert {
  const old = notificationStateOf(alert);
  const life = { ...old, ...parts };
  if (same(life, old)) return alert;
  return { ...alert, life: same(life, NOTHING) ? null : life };
}

/** Whether all parts are the same; one that is not there is null. */
function same(a: NotificationState, b: NotificationState): boolean {
  const known: Readonly<Record<string, unknown>> = { ...b };
  return Object.entries(a).every(([part, value]) => (value ?? null) === (known[part] ?? null));
}

/** Whether an alert counts as firing: a recovering one has not resolved yet. */
export function isFiring(state: AlertState): boolean {
  return state === "firing" || state === "recovering";
}

/** `once`, completed: it is not evaluated until its rule is edited or it is rearmed. */
export function isCompleted({ life }: Alert): boolean {
  return life !== null && life.once === "spent";
}

/** Somebody has acknowledged it. */
export function isAcked({ life }: Alert): boolean {
  return life !== null && life.acked !== null;
}

/** Whether no part of an alert's memory asks for a notice by itself: past notices matter only to the next one. */
export function isAtRest({ life }: Alert): boolean {
  if (life === null) return true;
  const { firings, gaps, held, blindSince, blindTo, byMissing, acked } = life;
  const waits = firings !== null || gaps !== null || held !== null || acked !== null;
  return !waits && blindSince === null && blindTo === null && !byMissing;
}

/**
 * An alert whose rule was edited: it is rearmed and counts anew. The last notified state stays with its condition,
 * because another condition may end it.
 */
export function edited(alert: Alert): Alert {
  const { when = null } = notificationStateOf(alert);
  const unknown = alert.lastNotified.state === "firing" && when === null;
  return withNotificationState(alert, { once: null, when: unknown ? EARLIER : when });
}

/** It fired under a wording, or on values, that were not kept. */
export const EARLIER = "";

/** It fired on values of another source than the current one. */
export const OTHER_SOURCE = "on another source";

/** After so many rounds in a row without a value `no_data` is notified. */
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

/** Whether that must be notified, and was not yet. */
export function isDueAsMissing(rule: Rule, alert: Alert, date: number): boolean {
  return alert.missing?.told === false && hasBeenMissing(rule, alert, date);
}

/**
 * The alert on values of another kind than before: its state and its last notified state stay, and its measurements
 * are forgotten. If it is over now, that is no good news: `on` says what it fired on, as people know. The same
 * object if there was nothing.
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

/** Whether its last `fired` or `changed` is so recent that the next one has to wait. */
export function isCooling({ cooldownMs }: Rule, alert: Alert, date: number): boolean {
  const { cooling } = notificationStateOf(alert);
  return cooling !== null && date - cooling < cooldownMs;
}

/** The comparison it last fired for; null: unknown, or the rule was edited. */
export function lastNotifiedFor(rule: Rule, alert: Alert): Comparison | null {
  const { when, spoke } = notificationStateOf(alert);
  if (spoke === null || spoke === undefined || when !== conditionOf(rule)) return null;
  return comparisonsOf(rule.when)[spoke] ?? null;
}

/** Whether there is something to acknowledge: it fires, or people were told that it does. */
export function canBeAcked(state: Alert["state"], told: Alert["lastNotified"]["state"]): boolean {
  return isFiring(state) || told === "firing";
}

/** The alert after the command; the same object if the command changes nothing. */
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

/** It changed to the other side at `date`. */
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

/** People are told at `date` that it flaps; its current state began with the last change. */
export function flapTold(flaps: Flaps | null, date: number): Flaps {
  const { dates, on } = flaps ?? NONE;
  if (on !== null) return { dates, on: { ...on, told: date } };
  return { dates, on: { since: date, told: date, side: dates.at(-1) ?? date } };
}

/** While it flaps that is repeated every day. */
export function isRepeatDue({ on }: Flaps, date: number): boolean {
  return on !== null && date - on.told >= DAY;
}

/** On one side for the whole time, or hardly anything in twice the time. */
export function hasSettled(flaps: Flaps, date: number, { withinMs }: FlappingLimits): boolean {
  if (flaps.on === null) return true;
  return date - flaps.on.side >= withinMs || countIn(flaps, date, 2 * withinMs) <= SETTLED;
}

/** The part that still matters; null: all of it is too old. */
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

/** What an alert's gates say at one moment. */
export interface GateView {
  /** The first gate that keeps the alert from firing; null: none does. */
  readonly closedBy: string | null;
  /** A rule of `unless` fires: the notices wait. */
  readonly quiet: boolean;
}

const NO_GATES: GateView = { closedBy: null, quiet: false };

/** What is known of an alert, also in the midst of a round. */
export type Latest = (alert: AlertRuntime) => Alert | null;

/** What the gates of an alert say in the round at `date`. */
export function viewOf(gates: Gates | null, date: number, latest: Latest): GateView {
  if (gates === null) return NO_GATES;
  const closed = gates.onlyWhile.find(({ alerts }) => !alerts.some((one) => fires(latest(one))));
  const quiet = gates.unless.some(({ rule, alerts }) =>
    alerts.some((one) => firesForSure(rule, latest(one), date)),
  );
  return { closedBy: closed?.rule.name ?? null, quiet };
}

function fires(alert: Alert | null): boolean {
  return alert !== null && isFiring(alert.state);
}

/** Without data it may be over long since: then it keeps nobody quiet. */
function firesForSure(rule: Rule, alert: Alert | null, date: number): boolean {
  if (alert === null || !isFiring(alert.state)) return false;
  return notificationStateOf(alert).byMissing || !hasBeenMissing(rule, alert, date);
}
