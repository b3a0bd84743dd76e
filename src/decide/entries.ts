import type { Entry, Reading, Row } from "../kinds/kind.ts";
import type { Alert, Condition, Value } from "../model/index.ts";
import { newAlert, toldBy, withLabel } from "./alert.ts";
import { comparisonsOf } from "./condition-tree.ts";
import { StateContext } from "./context.ts";
import { committed, type Decided, decideAlert, eventsOf, type Judged } from "./decide-alert.ts";
import { evaluate, FALSE, TRUE, type Truth, UNKNOWN_VALUE } from "./evaluate.ts";
import type { AlertEvent, EntryFacts } from "./event.ts";
import { descriptionOf } from "./event.ts";
import { findEvidence } from "./evidence.ts";
import { type Latest, viewOf } from "./gates.ts";
import type { NotificationIntent } from "./intent.ts";
import { isCompleted, notificationStateOf } from "./notification-state.ts";
import { notify } from "./notify.ts";
import { type EventValues, notifyEvent } from "./notify-events.ts";
import { unansweredOf } from "./reference.ts";
import { type RuleRuntime, valueFromText, valueToText } from "./runtime.ts";
import { transition } from "./transition.ts";

/** Whether a rule is tested on each entry of a stream, and not on its subject's state. */
export function judgesEntries({ rule, kind }: RuleRuntime): boolean {
  return kind.stream === true && rule.metrics.some((name) => kind.metrics.get(name)?.entry);
}

/** Decides an alert by its state, or one that is tested on entries by those. */
export function decideJudged(judged: Judged, latest: Latest = committed): Decided {
  return judgesEntries(judged.watched.watched)
    ? decideEntries(judged, latest)
    : decideAlert(judged, latest);
}

/** An entry with what the rule says of it. */
interface Tested {
  readonly entry: Entry;
  readonly scene: StateContext;
  readonly truth: Truth;
}

/**
 * Tells of each new entry for which `when` is true, oldest first. An alert in its first round has
 * nothing that would be new to it. A round without a good answer is one without a value, and so is one
 * with an entry of which the rule cannot be judged.
 */
function decideEntries({ watched, scene }: Judged, latest: Latest): Decided {
  const { rule, state } = watched.watched;
  const { stage } = scene;
  const { reading, now: date } = stage;
  const old = watched.alert ?? newAlert(watched, date);
  if (isCompleted(old)) return { alert: old, truth: FALSE, changed: false, scene, events: [] };
  const gates = viewOf(watched.gates, date, latest);
  const stream = reading.stream ?? null;
  const entries = watched.alert === null ? [] : (stream?.entries ?? []);
  const test = (value: Row["value"]): Omit<Tested, "entry"> => {
    const one = new StateContext(watched, stage, { date: null, value });
    return { scene: one, truth: evaluate(rule.when, one) };
  };
  const tested = entries.flatMap((entry): Tested[] => {
    // It came before, and what was known then was enough for this rule.
    if (entry.rules?.includes(rule.name) === false) return [];
    return [{ entry, ...test((name) => entry.value(name)) }];
  });
  const unjudged = tested.filter(({ truth }) => truth > TRUE).map(({ entry }) => entry);
  const compares = watched.watched.references.size > 0;
  const isNew = ({ rules }: Entry): boolean => (rules ?? null) === null;
  // One that lacks something itself is no reason to have no value for as long as it waits.
  const isOpen = (entry: Entry): boolean => isNew(entry) || reading.trouble !== null || compares;
  const isBlind = tested.length === 0 && stream?.blind?.includes(rule.name) === true;
  const unknown = stream === null || unjudged.some(isOpen) || isBlind;
  const verdict = unknown ? UNKNOWN_VALUE : FALSE;
  const unanswered = unansweredOf(reading, watched.watched, stage.references) !== null;
  const { alert } = transition(rule, old, {
    date,
    previousRound: state.lastRound,
    unanswered,
    truth: verdict,
    recovered: null,
    closed: reading.closed,
    closedBy: gates.closedBy,
    buckets: null,
  });
  // What happens behind a closed gate is not told, not even later.
  const hits = gates.closedBy === null ? tested.filter(({ truth }) => truth === TRUE) : [];
  const moment = {
    date,
    happened: null,
    // What was held back is told with the first that can be told, if there is one.
    known: stream !== null && !unjudged.some(isNew) && hits.length === 0,
    holds: false,
    unanswered,
    quiet: gates.quiet,
    scene,
  };
  const labelled = withLabel(alert, watched, reading);
  const spoken = notify(rule, old, labelled, moment);
  const events: AlertEvent[] = [];
  const named = (one: Alert): Alert => toldBy(one, watched, reading);
  if (spoken.sayings.length > 0) {
    const row = heldRow(rule.when, labelled, watched.watched);
    const held = row === null ? scene : new StateContext(watched, stage, row);
    const about = { watched, scene: held, bucket: null };
    events.push(...eventsOf(about, old, named(spoken.alert), spoken.sayings, null));
  }
  let next = spoken.alert;
  for (const { entry, scene: one } of hits) {
    const sayings: NotificationIntent[] = [];
    const evidence = findEvidence(rule.when, one);
    const value = valueToText(evidence?.value ?? null);
    const of = evidence === null ? {} : { of: writingOf(evidence.metric.name, one, reading) };
    const values = { base: null, value, ...of };
    next = notifyEvent(rule, next, values, moment, sayings);
    const about = { watched, scene: one, bucket: null };
    for (const event of eventsOf(about, old, named(next), sayings, null)) {
      events.push({ ...event, entry: factsOf(entry, watched.watched) });
    }
  }
  if (events.length > 0) next = named(next);
  const verdicts = {
    rule: rule.name,
    // What happened behind a closed gate need not be judged later.
    unjudged: gates.closedBy === null ? unjudged.map(({ id }) => id) : [],
    judged: tested.length > unjudged.length,
    compares,
  };
  return {
    alert: next,
    truth: verdict,
    changed: next !== watched.alert,
    scene,
    events,
    entries: { verdicts, unknown },
  };
}

/** How values of a metric are written as far as this round knows. */
function writingOf(
  metric: string,
  scene: StateContext,
  reading: Reading,
): Required<EventValues>["of"] {
  const unit = descriptionOf(reading, null)?.unit(metric) ?? "";
  return { metric, decimals: scene.decimals(metric), unit };
}

function factsOf(entry: Entry, { kind }: RuleRuntime): EntryFacts {
  return {
    id: entry.id,
    at: entry.at,
    link: entry.link,
    value: (name) => entry.value(name),
    metric: (name) => kind.metrics.get(name),
  };
}

/**
 * The last value that was held back, for when there is no entry to tell it with. Where it may be that
 * of another comparison than the first one it is not shown.
 */
function heldRow(when: Condition, alert: Alert, { kind }: RuleRuntime): Row | null {
  const first = when.op === "all" ? when.terms[0] : when;
  if (first === undefined || first.op === "all" || first.op === "any" || first.op === "not") {
    return null;
  }
  const [comparison] = comparisonsOf(first);
  const text = notificationStateOf(alert).held?.last ?? null;
  const metric = comparison === undefined ? undefined : kind.metrics.get(comparison.metric);
  if (metric === undefined) return null;
  const value: Value | null = valueFromText(text, metric.quantity);
  return { date: null, value: (name) => (name === metric.name ? value : null) };
}
