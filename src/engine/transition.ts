import type { Alert, Rule } from "../model.ts";
import { FALSE, TRUE, type Truth, UNKNOWN_VALUE, UNKNOWN_WINDOW } from "./evaluate.ts";

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
  /** Bucketed kinds: the newest bucket and the rows that end with it; null for state kinds. */
  readonly buckets: BucketRows | null;
}

/** Consecutive buckets, the newest included, in milliseconds of their length. */
export interface BucketRows {
  readonly newest: number;
  /** For how long `when` was true. */
  readonly trueMs: number;
  /** For how long the alert's recovery held, counted from the bucket it fired on. */
  readonly recoveredMs: number;
}

export type Happening = "fired" | "resolved" | "changed" | "no_data" | "data_back";

export interface Transition {
  /** The same object when nothing changed that must be stored. */
  readonly alert: Alert;
  readonly happened: readonly Happening[];
}

/** After so many executed rounds in a row without a value it is time to say so. */
const ROUNDS_WITHOUT_DATA = 3;

/** Moves one alert on by one round. Every arrow of docs/rules.md "An alert's life" is here. */
export function transition(rule: Rule, alert: Alert, finding: Finding): Transition {
  const happened: Happening[] = [];
  const counted = countMissing(rule, alert, finding, happened);
  if (rule.event) {
    // An event rule has no state: what happened is told, and its memory moves on. That is so
    // before its rule has told that it watches, too: nobody would hear of it later.
    if (finding.truth === TRUE) happened.push("changed");
    return { alert: counted, happened };
  }
  return { alert: move(rule, counted, finding, happened), happened };
}

function countMissing(rule: Rule, alert: Alert, finding: Finding, happened: Happening[]): Alert {
  const { date } = finding;
  if (finding.truth !== UNKNOWN_VALUE) {
    if (alert.missing === null) return alert;
    if (alert.missing.told) happened.push("data_back");
    return { ...alert, missing: null };
  }
  const since = alert.missing?.since ?? roundBefore(alert, finding) ?? date;
  const rounds = (alert.missing?.rounds ?? 0) + 1;
  const told = alert.missing?.told ?? false;
  const next = { ...alert, missing: { since, rounds, told } };
  if (finding.unanswered || !isDueAsMissing(rule, next, date)) return next;
  happened.push("no_data");
  return { ...next, missing: { since, rounds, told: true } };
}

/** The round before this one, if the alert was there then. */
function roundBefore({ createdAt }: Alert, { previousRound }: Finding): number | null {
  return previousRound !== null && previousRound >= createdAt ? previousRound : null;
}

/** Whether an alert has been without a value for so long that it must be told, and was not yet. */
export function isDueAsMissing(rule: Rule, alert: Alert, date: number): boolean {
  const { missing, started } = alert;
  if (missing === null || missing.told || !started) return false;
  return missing.rounds >= ROUNDS_WITHOUT_DATA && date - missing.since >= rule.missingAfterMs;
}

function move(rule: Rule, alert: Alert, finding: Finding, happened: Happening[]): Alert {
  const { truth } = finding;
  if (truth === UNKNOWN_WINDOW && alert.state === "pending") return enter(alert, "ok", finding);
  if (truth !== TRUE && truth !== FALSE) return alert;
  const held = restartAfterGap(rule, alert, finding);
  switch (held.state) {
    case "ok":
      return truth === TRUE
        ? fireWhenHeld(rule, enter(held, "pending", finding), finding, happened)
        : held;
    case "pending":
      return truth === TRUE
        ? fireWhenHeld(rule, held, finding, happened)
        : enter(held, "ok", finding);
    case "firing":
      return recovers(truth, finding)
        ? resolveWhenHeld(rule, enter(held, "recovering", finding), finding, happened)
        : held;
    case "recovering":
      if (recovers(truth, finding)) return resolveWhenHeld(rule, held, finding, happened);
      return isUndecided(truth, finding) ? alert : enter(held, "firing", finding);
  }
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
  const over = state === "ok";
  const timed = state === "pending" || state === "recovering";
  return {
    ...alert,
    state,
    since: finding.buckets?.newest ?? finding.date,
    heldAt: timed ? finding.date : null,
    firedAt: over ? null : alert.firedAt,
    firedBucket: over ? null : alert.firedBucket,
  };
}

function fireWhenHeld(rule: Rule, alert: Alert, finding: Finding, happened: Happening[]): Alert {
  const heldMs = finding.buckets?.trueMs ?? finding.date - alert.since;
  if (!alert.started || heldMs < rule.forMs) return { ...alert, heldAt: finding.date };
  happened.push("fired");
  return fire(alert, finding.date, finding.buckets?.newest ?? null);
}

/** The alert as it fires; also how a rule that starts takes over what is true already. */
export function fire(alert: Alert, date: number, bucket: number | null): Alert {
  return {
    ...alert,
    state: "firing",
    since: bucket ?? date,
    heldAt: null,
    firedAt: date,
    firedBucket: bucket,
  };
}

function resolveWhenHeld(rule: Rule, alert: Alert, finding: Finding, happened: Happening[]): Alert {
  const heldMs = finding.buckets?.recoveredMs ?? finding.date - alert.since;
  if (heldMs < rule.resolveAfterMs) return { ...alert, heldAt: finding.date };
  happened.push("resolved");
  return enter(alert, "ok", finding);
}
