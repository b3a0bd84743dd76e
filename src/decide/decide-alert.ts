import { valueFromText, valueToText } from "../base/decimal.ts";
import type { Entry, EntryVerdicts, Reading, Row } from "../kinds/kind.ts";
import type { Alert } from "../model/index.ts";
import { StateContext } from "./context.ts";
import { FALSE, TRUE, type Truth, UNKNOWN_VALUE, unansweredOf } from "./evaluation-context.ts";
import {
  type AlertEvent,
  descriptionOf,
  type EntryFacts,
  eventsOf,
  toldBy,
  withLabel,
} from "./event.ts";
import {
  isCompleted,
  isFiring,
  type Latest,
  notificationStateOf,
  viewOf,
} from "./notification-state.ts";
import { type EventValues, hasNothingToNotify, notify, notifyEvent } from "./notify.ts";
import { notifiedUnder, Turn } from "./notify-firings.ts";
import type { RuleRuntime } from "./runtime.ts";
import { type Finding, newAlert, remember, transition } from "./transition.ts";
import { Verdict } from "./verdict.ts";

export interface Decided {
  readonly alert: Alert;
  /** Whether the alert's rule holds; for entries: whether all could be judged. */
  readonly truth: Truth;
  readonly verdict: Verdict;
  /** Whether the stored alert differs from this one. */
  readonly changed: boolean;
  readonly events: readonly AlertEvent[];
  /** For a rule that tests entries. */
  readonly entries?: EntryVerdicts;
}

const NO_EVENTS: readonly AlertEvent[] = [];

/** The alert as committed. */
const committed: Latest = ({ alert }) => alert;

/** Decides an alert by its state or by the entries of a stream; `latest`: its gates in this slice. */
export function decideAlert(verdict: Verdict, latest: Latest = committed): Decided {
  const { watched, round } = verdict.context;
  const old = watched.alert ?? newAlert(watched, round.now);
  if (isCompleted(old)) {
    return { alert: old, truth: FALSE, verdict, changed: false, events: NO_EVENTS };
  }
  return judgesEntries(watched.watched)
    ? decideEntries(verdict, old, latest)
    : decideState(verdict, old, latest);
}

/** Moves an alert on and finds its notices. */
function decideState(verdict: Verdict, old: Alert, latest: Latest): Decided {
  const { context, bucket, truth } = verdict;
  const { watched } = context;
  const { rule, state, lastMetrics } = watched.watched;
  const { reading, now: date, references } = context.round;
  const { closedBy, quiet } = viewOf(watched.gates, date, latest);
  const unanswered = unansweredOf(reading, watched.watched, references) !== null;
  const finding: Finding = {
    date,
    previousRound: state.lastRound,
    unanswered,
    truth,
    recovered: verdict.recovered,
    closed: reading.closed,
    closedBy,
    buckets: bucket?.rows ?? null,
  };
  const { alert, happened } = transition(rule, old, finding);
  const seen = remember(withLabel(alert, watched, reading), lastMetrics, context);
  // A firing, told or held back, holds under the rule as it is now, whatever wording it began under.
  const holds = truth === TRUE && isFiring(seen.state);
  const after = holds ? notifiedUnder(rule, seen, verdict) : seen;
  if (happened === null && hasNothingToNotify(rule, old, after)) {
    return { alert: after, truth, verdict, changed: after !== watched.alert, events: NO_EVENTS };
  }
  const known = truth <= TRUE;
  const moment = { date, happened, known, holds: truth === TRUE, unanswered, quiet, verdict };
  const { alert: told, intents } = notify(rule, old, after, moment);
  if (intents.length === 0) {
    return { alert: told, truth, verdict, changed: told !== watched.alert, events: NO_EVENTS };
  }
  const next = toldBy(told, watched, reading);
  const events = eventsOf(verdict, old, next, intents, { ...finding, happened });
  return { alert: next, truth, verdict, changed: true, events };
}

/** Whether a rule tests each entry of a stream, not its subject's state. */
export function judgesEntries({ rule, kind }: RuleRuntime): boolean {
  return kind.stream !== undefined && rule.metrics.some((name) => kind.metrics.get(name)?.entry);
}

/** An entry with the rule's verdict. */
interface Tested {
  readonly entry: Entry;
  readonly verdict: Verdict;
}

/**
 * Notifies of each new entry for which `when` is true, oldest first. In an alert's first round no entry is new. A
 * round without a good answer has no value, and neither has one with an entry that cannot be judged.
 */
function decideEntries(verdict: Verdict, old: Alert, latest: Latest): Decided {
  const { watched, round } = verdict.context;
  const { rule, state, references } = watched.watched;
  const { reading, now: date } = round;
  const gates = viewOf(watched.gates, date, latest);
  const stream = reading.stream ?? null;
  const entries = watched.alert === null ? [] : (stream?.entries ?? []);
  const tested = entries.flatMap((entry): Tested[] => {
    // It came before, and this rule could judge it then.
    if (entry.rules?.includes(rule.name) === false) return [];
    const row = { date: null, value: (name: string) => entry.value(name) };
    return [{ entry, verdict: new Verdict(new StateContext(watched, round, row)) }];
  });
  const unjudged = tested.filter((one) => one.verdict.truth > TRUE).map(({ entry }) => entry);
  const compares = references.size > 0;
  const isNew = ({ rules }: Entry): boolean => (rules ?? null) === null;
  // An entry that lacks something of its own does not leave the rule without a value while it waits.
  const isOpen = (entry: Entry): boolean => isNew(entry) || reading.trouble !== null || compares;
  const isBlind = tested.length === 0 && stream?.blind?.includes(rule.name) === true;
  const unknown = stream === null || unjudged.some(isOpen) || isBlind;
  const truth = unknown ? UNKNOWN_VALUE : FALSE;
  const unanswered = unansweredOf(reading, watched.watched, round.references) !== null;
  const { alert } = transition(rule, old, {
    date,
    previousRound: state.lastRound,
    unanswered,
    truth,
    recovered: null,
    closed: reading.closed,
    closedBy: gates.closedBy,
    buckets: null,
  });
  // Entries behind a closed gate are not notified, not even later.
  const hits = gates.closedBy === null ? tested.filter((one) => one.verdict.truth === TRUE) : [];
  const moment = {
    date,
    happened: null,
    // The first notice includes the withheld ones.
    known: stream !== null && !unjudged.some(isNew) && hits.length === 0,
    holds: false,
    unanswered,
    quiet: gates.quiet,
    verdict: null,
  };
  const labelled = withLabel(alert, watched, reading);
  let { alert: next, intents } = notify(rule, old, labelled, moment);
  const events: AlertEvent[] = [];
  if (intents.length > 0) {
    const row = heldRow(labelled, watched.watched);
    const held = row === null ? verdict : new Verdict(new StateContext(watched, round, row));
    events.push(...eventsOf(held, old, toldBy(next, watched, reading), intents, null));
  }
  for (const { entry, verdict: one } of hits) {
    const evidence = one.evidence();
    const value = valueToText(evidence?.value ?? null);
    const of = evidence === null ? {} : { of: writingOf(evidence.metric.name, one, reading) };
    const turn = new Turn(rule, next, moment);
    notifyEvent(turn, { metric: evidence?.metric.name ?? null, base: null, value, ...of });
    ({ alert: next, intents } = turn);
    for (const event of eventsOf(one, old, toldBy(next, watched, reading), intents, null)) {
      events.push({ ...event, entry: factsOf(entry, watched.watched) });
    }
  }
  if (events.length > 0) next = toldBy(next, watched, reading);
  const verdicts = {
    rule: rule.name,
    // Entries behind a closed gate need not be judged later.
    unjudged: gates.closedBy === null ? unjudged.map(({ id }) => id) : [],
    judged: tested.length > unjudged.length,
    compares,
  };
  const changed = next !== watched.alert;
  return { alert: next, truth, verdict, changed, events, entries: verdicts };
}

/** How this round writes the values of a metric. */
function writingOf(
  metric: string,
  { context }: Verdict,
  reading: Reading,
): Required<EventValues>["of"] {
  const unit = descriptionOf(reading, null)?.unit(metric) ?? "";
  return { metric, decimals: context.decimals(metric), unit };
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

/** The last withheld value, for a notice without an entry; null: of which metric it is is not known. */
function heldRow(alert: Alert, { kind }: RuleRuntime): Row | null {
  const { held } = notificationStateOf(alert);
  const metric = kind.metrics.get(held?.metric ?? "");
  if (metric === undefined) return null;
  const value = valueFromText(held?.last ?? null, metric.quantity);
  return { date: null, value: (name) => (name === metric.name ? value : null) };
}
