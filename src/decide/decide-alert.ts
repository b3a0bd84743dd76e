import { compare, Decimal } from "../base/decimal.ts";
import type { EntryVerdicts } from "../kinds/kind.ts";
import type { Alert, Condition, Rule, Suppressed, Value } from "../model/index.ts";
import { newAlert, remember, toldBy, withLabel } from "./alert.ts";
import { isNegated } from "./condition-tree.ts";
import type { JudgedContext } from "./context.ts";
import { evaluate, FALSE, judge, TRUE, type Truth } from "./evaluate.ts";
import {
  type AlertEvent,
  descriptionOf,
  type EndedFacts,
  type EventMore,
  type Evidence,
} from "./event.ts";
import { findEvidence, otherEvidence } from "./evidence.ts";
import { type Latest, viewOf } from "./gates.ts";
import type { NotificationIntent } from "./intent.ts";
import { resolveLimit } from "./limit.ts";
import { isCompleted, isFiring, notificationStateOf } from "./notification-state.ts";
import { hasNothingToNotify, notify } from "./notify.ts";
import { lastNotifiedAt, notifiedUnder } from "./notify-firings.ts";
import { troubleOf, unansweredOf } from "./reference.ts";
import { type AlertRuntime, valueFromText } from "./runtime.ts";
import {
  type BucketRows,
  type Finding,
  recovers,
  type Transition,
  transition,
} from "./transition.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";

/** An alert with what it is judged on. */
export interface Judged {
  readonly watched: AlertRuntime;
  readonly scene: JudgedContext;
  /** Bucketed kinds, unless they have no bucket to judge. */
  readonly bucket: { readonly rows: BucketRows; readonly ms: number } | null;
}

export interface Decided {
  readonly alert: Alert;
  /** What `when` says at the root. */
  readonly truth: Truth;
  /** Whether the store has another alert than this. */
  readonly changed: boolean;
  /** What it was judged on. */
  readonly scene: JudgedContext;
  readonly events: readonly AlertEvent[];
  /** Of a rule that is tested on entries, with whether it had no value in this round. */
  readonly entries?: { readonly verdicts: EntryVerdicts; readonly unknown: boolean };
}

const NO_EVENTS: readonly AlertEvent[] = [];

/** As the memory has it: what has been committed. */
export const committed: Latest = ({ alert }) => alert;

/** Moves an alert on and finds what is to be told; `latest`: its gates as the slice has them. */
export function decideAlert(judged: Judged, latest: Latest = committed): Decided {
  const { watched, scene, bucket } = judged;
  const { rule, state } = watched.watched;
  const { reading, now: date, references } = scene.stage;
  const old = watched.alert ?? newAlert(watched, date);
  if (isCompleted(old))
    return { alert: old, truth: FALSE, changed: false, scene, events: NO_EVENTS };
  const gates = viewOf(watched.gates, date, latest);
  const truth = evaluate(rule.when, scene);
  const unanswered = unansweredOf(reading, watched.watched, references) !== null;
  const finding: Finding = {
    date,
    previousRound: state.lastRound,
    unanswered,
    truth,
    recovered: rule.resolveWhen === null ? null : evaluate(rule.resolveWhen, scene),
    closed: reading.closed,
    closedBy: gates.closedBy,
    buckets: bucket?.rows ?? null,
  };
  const { alert, happened } = transition(rule, old, finding);
  const seen = remember(withLabel(alert, watched, reading), watched.watched.lastMetrics, scene);
  const labelled = truth === TRUE ? believedUnder(rule, seen, scene) : seen;
  if (happened === null && hasNothingToNotify(rule, old, labelled)) {
    const changed = labelled !== watched.alert;
    return { alert: labelled, truth, changed, scene, events: NO_EVENTS };
  }
  const known = truth <= TRUE;
  const holds = truth === TRUE;
  const moment = { date, happened, known, holds, unanswered, quiet: gates.quiet, scene };
  const spoken = notify(rule, old, labelled, moment);
  if (spoken.sayings.length === 0) {
    return {
      alert: spoken.alert,
      truth,
      changed: spoken.alert !== watched.alert,
      scene,
      events: NO_EVENTS,
    };
  }
  const next = toldBy(spoken.alert, watched, reading);
  const events = eventsOf(judged, old, next, spoken.sayings, { ...finding, happened });
  return { alert: next, truth, changed: true, scene, events };
}

/** What fires as people know is true under the rule as it is now, whatever it was told under. */
function believedUnder(rule: Rule, alert: Alert, scene: JudgedContext): Alert {
  if (alert.lastNotified.state !== "firing" || !isFiring(alert.state)) return alert;
  return notifiedUnder(rule, alert, scene);
}

/** What the sayings of one alert are, with all that is known of them. */
export function eventsOf(
  { watched, scene, bucket }: Judged,
  before: Alert,
  after: Alert,
  sayings: readonly NotificationIntent[],
  found: (Finding & Pick<Transition, "happened">) | null,
): readonly AlertEvent[] {
  const { rule } = watched.watched;
  const { reading, now: at, references } = scene.stage;
  const evidence = findEvidence(rule.when, scene, null, lastNotifiedAt(rule, before));
  const also = otherEvidence(rule.when, scene, evidence);
  const description = descriptionOf(reading, watched.subject.name);
  const spoken = ({ kind, held }: NotificationIntent): Evidence | null => {
    if (kind === "changed") return evidence === null ? null : spanning(evidence, held);
    // What is told again is what was told, though the value may have swung the other way meanwhile.
    return kind === "worse" || kind === "reminder"
      ? findEvidence(rule.when, scene, notificationStateOf(after).worst?.way)
      : evidence;
  };
  return sayings.map(
    (one): AlertEvent => ({
      kind: one.kind,
      rule,
      subject: watched.subject,
      at,
      before,
      after,
      evidence: spoken(one),
      also,
      bucket: bucket === null ? null : { start: bucket.rows.newest, ms: bucket.ms },
      description,
      decimals: (metric) => scene.decimals(metric),
      value: (metric) => valueNow(scene, metric),
      closed: reading.closed,
      trouble: troubleOf(reading, watched.watched, references),
      more: {
        about: one.about,
        held: one.held,
        ...(one.kind === "resolved" && found !== null
          ? endOf(rule, scene, evidence, found)
          : { still: null }),
        byMissing: one.kind === "fired" && notificationStateOf(after).byMissing,
        began: one.kind === "fired" && beganSo(before, after),
      },
    }),
  );
}

/** Also of a metric that no condition names and nothing is stored of. */
function valueNow(scene: JudgedContext, metric: string): Value | null {
  if (!scene.watched.watched.kind.metrics.has(metric)) return null;
  const row = scene.stage.reading.rows.find(({ date }) => date === null || date === scene.date);
  return scene.value(metric) ?? row?.value(metric) ?? null;
}

function endOf(
  rule: Rule,
  scene: JudgedContext,
  evidence: Evidence | null,
  found: Finding & Pick<Transition, "happened">,
): Pick<EventMore, "still" | "ended"> {
  if (found.truth === TRUE) return { still: { gate: found.closedBy } };
  const ended = endedFacts(rule, scene, evidence, found, found.happened !== null);
  return { still: null, ended };
}

/** Whether it fires on what was so already when people began to watch it. */
function beganSo({ started }: Alert, { firedAt, createdAt, life }: Alert): boolean {
  return life?.byMissing !== true && (!started || firedAt === createdAt);
}

/** Of several events that were held back: from the value before the first to the last one. */
function spanning(evidence: Evidence, held: Suppressed | null): Evidence {
  if (held === null || held.last === null) return evidence;
  const { quantity } = evidence.metric;
  const value = valueFromText(held.last, quantity);
  return value === null
    ? evidence
    : { ...evidence, value, base: valueFromText(held.base, quantity), baseAt: null };
}

/** What there is to know of an alert that is over beside its values. `now`: it ended in this round. */
function endedFacts(
  rule: Rule,
  scene: JudgedContext,
  evidence: Evidence | null,
  finding: Pick<Finding, "truth" | "recovered" | "closed" | "closedBy">,
  now: boolean,
): EndedFacts {
  const { truth, recovered, closedBy } = finding;
  const byItself = rule.resolveAfterMs === 0 && recovers(truth, finding);
  return {
    holds: evidence !== null && holdsByItself(rule, scene, evidence),
    gate: now && !byItself ? closedBy : null,
    settled: recovered === null || recovered === TRUE,
    other: evidence === null ? null : otherRule(rule, scene, evidence),
  };
}

function holdsByItself(
  { when }: Rule,
  scene: EvaluationContext,
  { comparison }: Evidence,
): boolean {
  return judge(comparison, scene) === (isNegated(when, comparison) ? FALSE : TRUE);
}

/**
 * Another rule that people know to fire on the same value, and whose limit lies on the same side: of two
 * limits for one danger the farther one is over, and the danger is not.
 */
function otherRule(
  rule: Rule,
  scene: JudgedContext,
  { comparison, value }: Evidence,
): string | null {
  const mine = comparison.op === "outside" ? "any" : sideOf(comparison, value, scene);
  if (mine === null) return null;
  const others: string[] = [];
  for (const { watched, alert } of scene.stage.alerts) {
    const { when, notify: channels, name } = watched.rule;
    if (watched.rule === rule || channels.length === 0 || alert?.lastNotified.state !== "firing")
      continue;
    const side = sideOf(when, value, scene);
    if (side === null || (mine !== "any" && mine !== side)) continue;
    if (!("metric" in when) || when.metric !== comparison.metric) continue;
    if (judge(when, scene) === TRUE) others.push(name);
  }
  // The order of the rules in their files means nothing.
  return others.toSorted()[0] ?? null;
}

/** On which side of its limits a level fires at a value beyond them; null: it is none. */
function sideOf(
  condition: Condition,
  value: Value,
  scene: EvaluationContext,
): "high" | "low" | null {
  switch (condition.op) {
    case "above":
    case "at_least":
      return "high";
    case "below":
    case "at_most":
      return "low";
    case "outside": {
      const low = resolveLimit(condition.low, condition.metric, scene);
      if (!(low instanceof Decimal && value instanceof Decimal)) return null;
      return compare(value, low) < 0 ? "low" : "high";
    }
    default:
      return null;
  }
}
