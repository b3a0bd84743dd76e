import { valueToText } from "../base/decimal.ts";
import { type Alert, NOTHING_TOLD, type Rule } from "../model/index.ts";
import {
  type EvaluationContext,
  FALSE,
  TRUE,
  type Truth,
  UNKNOWN_VALUE,
  UNKNOWN_WINDOW,
} from "./evaluation-context.ts";
import {
  hasBeenMissing,
  isFiring,
  notificationStateOf,
  withNotificationState,
} from "./notification-state.ts";
import type { AlertRuntime } from "./runtime.ts";
import type { BucketRows } from "./verdict.ts";

/** What a round found out about one alert. */
export interface Finding {
  /** The round's date. */
  readonly date: number;
  /** The rule's round before this one; null in its first. */
  readonly previousRound: number | null;
  /** Its request failed: whether to say so is decided at the end of the round. */
  readonly unanswered: boolean;
  /** What `when` says at the root. */
  readonly truth: Truth;
  /** What `resolve_when` says; null where the rule has none. */
  readonly recovered: Truth | null;
  readonly closed: boolean;
  /** The gate that keeps it from firing; null: all are open. */
  readonly closedBy: string | null;
  /** Bucketed kinds: the newest bucket and the rows that end with it; null for state kinds. */
  readonly buckets: BucketRows | null;
}

/** What became of it by itself; who is told of it, and when, notify.ts decides. */
export type Happening = "fired" | "resolved" | "changed";

export interface Transition {
  /** The same object when nothing changed that must be stored. */
  readonly alert: Alert;
  /** Null: nothing that anyone might be told. */
  readonly happened: Happening | null;
}

/** Moves one alert on by one round. Every arrow of docs/rules.md "An alert's life" is here. */
export function transition(rule: Rule, alert: Alert, finding: Finding): Transition {
  const next = moved(rule, countMissing(alert, finding), finding);
  if (next.alert.started || finding.truth === UNKNOWN_VALUE) return next;
  // Whatever becomes true later has to last for `for`.
  return { alert: { ...next.alert, started: true }, happened: next.happened };
}

function moved(rule: Rule, counted: Alert, finding: Finding): Transition {
  if (rule.event) {
    // An event rule has no state: what happened is told, and its memory moves on.
    const happens = finding.truth === TRUE && finding.closedBy === null;
    return { alert: counted, happened: happens ? "changed" : null };
  }
  if (!finding.unanswered && firesWithoutData(rule, counted, finding)) {
    return { alert: fireWithoutData(counted, finding.date), happened: "fired" };
  }
  return move(rule, counted, finding);
}

function countMissing(alert: Alert, finding: Finding): Alert {
  const { missing } = alert;
  if (finding.truth !== UNKNOWN_VALUE)
    return missing === null ? alert : { ...alert, missing: null };
  const since = missing?.since ?? roundBefore(alert, finding) ?? finding.date;
  const rounds = (missing?.rounds ?? 0) + 1;
  return { ...alert, missing: { since, rounds, told: missing?.told ?? false } };
}

/** The round before this one, if the alert was there then. */
function roundBefore({ createdAt }: Alert, { previousRound }: Finding): number | null {
  return previousRound !== null && previousRound >= createdAt ? previousRound : null;
}

/** `on_missing: fire`: whether that its data is missing is a reason to fire by now. */
export function firesWithoutData(
  rule: Rule,
  alert: Alert,
  { date, closedBy }: Pick<Finding, "date" | "closedBy">,
): boolean {
  if (rule.onMissing !== "fire" || closedBy !== null || isFiring(alert.state)) return false;
  // Whether or not that was told: the rule may have been edited since.
  return hasBeenMissing(rule, alert, date);
}

/** The alert as it fires because its data is missing; `fired` tells both. */
export function fireWithoutData(alert: Alert, date: number): Alert {
  const { missing } = alert;
  const told = missing === null ? null : { ...missing, told: true };
  return withNotificationState({ ...fire(alert, date, null), missing: told }, { byMissing: true });
}

/**
 * The states, and with each the arrows that leave it; docs/architecture.md draws the same. What has begun
 * lasts until the time that its rule asks for is over: `for` before it fires, `resolve_after` before it ends.
 */
function move(rule: Rule, alert: Alert, finding: Finding): Transition {
  const { truth } = finding;
  if (truth !== TRUE && truth !== FALSE) {
    // Nothing changes while nothing is known, but a window that is not known calls off what is pending.
    const isCalledOff = truth === UNKNOWN_WINDOW && alert.state === "pending";
    return quietly(isCalledOff ? enter(alert, "ok", finding) : alert);
  }
  const timed = restartAfterGap(rule, alert, finding);
  switch (alert.state) {
    case "ok":
      if (truth === FALSE) return quietly(alert);
      return fireWhenHeld(rule, enter(alert, "pending", finding), finding);
    case "pending":
      if (truth === FALSE) return quietly(enter(timed, "ok", finding));
      return fireWhenHeld(rule, timed, finding);
    case "firing":
    case "recovering": {
      if (finding.closedBy !== null) return closeGate(rule, alert, finding);
      if (notificationStateOf(alert).byMissing) return dataAgain(alert, finding);
      const noted = noteLapse(rule, timed, finding);
      const isFirm = alert.state === "firing";
      if (recovers(truth, finding)) {
        const recovering = isFirm ? enter(noted, "recovering", finding) : noted;
        return resolveWhenHeld(rule, recovering, finding);
      }
      if (isFirm) return quietly(noted);
      return quietly(isUndecided(truth, finding) ? alert : enter(noted, "firing", finding));
    }
  }
}

/** It fired for want of data: a value that is no reason to fire ends it. */
function dataAgain(alert: Alert, finding: Finding): Transition {
  if (finding.truth === FALSE) return { alert: enter(alert, "ok", finding), happened: "resolved" };
  const firedBucket = finding.buckets?.newest ?? null;
  return quietly(withNotificationState({ ...alert, firedBucket }, { byMissing: false }));
}

function quietly(alert: Alert): Transition {
  return { alert, happened: null };
}

/**
 * A gate has closed: it resolves at once. Where the condition still holds the alert is pending for as
 * long as the condition has been true, so that it fires again as soon as the gate opens.
 */
function closeGate(rule: Rule, alert: Alert, finding: Finding): Transition {
  const over = enter(alert, finding.truth === TRUE ? "pending" : "ok", finding);
  const { lapse } = notificationStateOf(alert);
  const { date, buckets } = finding;
  const held = lapse === null ? (alert.firedAt ?? date) - rule.forMs : (lapse.trueSince ?? date);
  const since = finding.truth === TRUE && buckets === null ? held : over.since;
  return { alert: { ...over, since, firedAt: null, firedBucket: null }, happened: "resolved" };
}

/** Behind a gate: since when the condition has been true, should it not have been all the time. */
function noteLapse(rule: Rule, alert: Alert, { truth, date, buckets }: Finding): Alert {
  if (rule.gates === null || rule.gates.onlyWhile.length === 0 || buckets !== null) return alert;
  const lapsed = notificationStateOf(alert).lapse?.trueSince === null;
  if (lapsed === (truth === FALSE)) return alert;
  return withNotificationState(alert, { lapse: { trueSince: lapsed ? date : null } });
}

/** `when` is over, and whether `resolve_when` is true cannot be known: that changes nothing. */
function isUndecided(truth: Truth, { recovered }: Finding): boolean {
  return truth === FALSE && recovered !== null && recovered > TRUE;
}

/** Whether a firing alert is on its way back. A closed position recovers whatever it says. */
export function recovers(truth: Truth, finding: Pick<Finding, "recovered" | "closed">): boolean {
  if (truth === TRUE) return false;
  return finding.recovered === null || finding.closed || finding.recovered === TRUE;
}

/** Timers run on known verdicts: after three intervals without one they begin anew. */
function restartAfterGap(rule: Rule, alert: Alert, finding: Finding): Alert {
  const running = alert.state === "pending" || alert.state === "recovering";
  if (!running || finding.buckets !== null || alert.heldAt === null) return alert;
  const broken = finding.date > rule.schedule.third(alert.heldAt);
  return broken ? { ...alert, since: finding.date } : alert;
}

function enter(alert: Alert, state: Alert["state"], finding: Finding): Alert {
  const over = !isFiring(state);
  const timed = state === "pending" || state === "recovering";
  const next = {
    ...alert,
    state,
    since: finding.buckets?.newest ?? finding.date,
    heldAt: timed ? finding.date : null,
    firedAt: over ? null : alert.firedAt,
    firedBucket: over ? null : alert.firedBucket,
  };
  return over && next.life !== null
    ? withNotificationState(next, { byMissing: false, lapse: null })
    : next;
}

function fireWhenHeld(rule: Rule, alert: Alert, finding: Finding): Transition {
  const heldMs = finding.buckets?.trueMs ?? finding.date - alert.since;
  const isDue = !alert.started || heldMs >= rule.forMs;
  if (!isDue || finding.closedBy !== null) {
    return quietly({ ...alert, heldAt: finding.date });
  }
  return { alert: fire(alert, finding.date, finding.buckets?.newest ?? null), happened: "fired" };
}

function fire(alert: Alert, date: number, bucket: number | null): Alert {
  return {
    ...alert,
    state: "firing",
    since: bucket ?? date,
    heldAt: null,
    firedAt: date,
    firedBucket: bucket,
  };
}

function resolveWhenHeld(rule: Rule, alert: Alert, finding: Finding): Transition {
  const heldMs = finding.buckets?.recoveredMs ?? finding.date - alert.since;
  if (heldMs < rule.resolveAfterMs) return quietly({ ...alert, heldAt: finding.date });
  return { alert: enter(alert, "ok", finding), happened: "resolved" };
}

/** An alert in its first round. That of a rule that is new fires without `for` in its first with a value. */
export function newAlert(watched: AlertRuntime, date: number): Alert {
  return {
    rule: watched.watched.rule.name,
    subject: watched.subject.key,
    createdAt: date,
    started: !watched.watched.fresh,
    state: "ok",
    since: date,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: NOTHING_TOLD,
    seen: null,
    label: watched.subject.name,
    life: null,
  };
}

/** The alert with the values that `since: last` will compare with. */
export function remember(
  alert: Alert,
  metrics: readonly string[],
  context: EvaluationContext,
): Alert {
  if (metrics.length === 0) return alert;
  const seen = new Map(Object.entries(alert.seen ?? {}));
  let fresh = false;
  for (const metric of metrics) {
    const text = valueToText(context.value(metric));
    if (text === null) continue;
    const old = seen.get(metric) ?? [];
    if (old.length === 2 && old[0] === text && old[1] === text) continue;
    seen.set(metric, [...old.slice(-1), text]);
    fresh = true;
  }
  return fresh ? { ...alert, seen: Object.fromEntries(seen) } : alert;
}
