import { compare, Decimal, valueFromText } from "../base/decimal.ts";
import { cleanText } from "../base/text.ts";
import type { Description, Entry, Metric, Reading } from "../kinds/kind.ts";
import type {
  AboutRule,
  Alert,
  Condition,
  Rule,
  Subject,
  Suppressed,
  Value,
} from "../model/index.ts";
import { isNegated } from "./condition-tree.ts";
import type { JudgedContext } from "./context.ts";
import { judge } from "./evaluate.ts";
import {
  ascending,
  type EvaluationContext,
  FALSE,
  resolveLimit,
  TRUE,
  troubleOf,
  UNKNOWN_VALUE,
} from "./evaluation-context.ts";
import { lastNotifiedFor, notificationStateOf } from "./notification-state.ts";
import type { IntentKind, NotificationIntent } from "./notify-firings.ts";
import type { AlertRuntime } from "./runtime.ts";
import { type Finding, recovers, type Transition } from "./transition.ts";
import type { Evidence, Verdict } from "./verdict.ts";

/** Something that happened to one alert and must be notified. */
export interface AlertEvent {
  readonly kind: IntentKind;
  readonly rule: Rule;
  readonly subject: Subject;
  /** The round's date. */
  readonly at: number;
  readonly before: Alert;
  readonly after: Alert;
  /** The comparison of `when`; null without a value. */
  readonly evidence: Evidence | null;
  /** The values of the other comparisons of `when`, each metric once. */
  readonly also: readonly Evidence[];
  /** Bucketed kinds: the start and length of the bucket that was evaluated. */
  readonly bucket: { readonly start: number; readonly ms: number } | null;
  /** Null until the first answer. */
  readonly description: Description | null;
  /** The decimals behind a metric's raw units; null while unknown. */
  decimals(metric: string): number | null;
  /** The current value of any metric of the kind, named by a condition or not; absent: unknown. */
  value?(metric: string): Value | null;
  /** `resolved`: the position was closed. */
  readonly closed: boolean;
  /** `no_data`: why, in clean words. */
  readonly trouble: string | null;
  /** An addition; absent: none. */
  readonly more?: EventMore;
  /** The entry of a stream that the event is about; absent: no single one. */
  readonly entry?: EntryFacts;
}

/** An entry of a stream, with its values as its kind reads them. */
export interface EntryFacts extends Entry {
  /** Undefined: the kind has no such metric. */
  metric(name: string): Metric | undefined;
}

export interface EventMore {
  /** `flapping`, `steady`, `data_back`: whether the firings flap or the data. */
  readonly about: NotificationIntent["about"];
  /** The notices that were held back before this one. */
  readonly held: Suppressed | null;
  /** `resolved` although the condition holds; `gate`: the rule whose gate closed. */
  readonly still: { readonly gate: string | null } | null;
  /** `resolved` because the condition does not hold: how that came about. */
  readonly ended?: EndedFacts;
  /** It fires because there is no data. */
  readonly byMissing: boolean;
  /** `fired`: the condition held already when its watch began; absent: it did not. */
  readonly began?: boolean;
  /** `fired`, `worse`, `reminder`: the shown comparison is over, and the alert is not yet. */
  readonly past?: boolean;
}

/** Facts on the end of an alert, beside its values. */
export interface EndedFacts {
  /** The shown comparison is still true: another one ended the alert. */
  readonly holds: boolean;
  /** The gate that ended the alert by closing; null: it ended by itself. */
  readonly gate: string | null;
  /** Its `resolve_when` is true, or it has none. */
  readonly settled: boolean;
  /** Another rule that fires on the same value, as people know; null: none does. */
  readonly other: string | null;
}

/** What a start of the daemon tells one audience: the rules that it watches for them. */
export interface StartedEvent {
  readonly at: number;
  readonly rules: number;
  /** A subject of several rules counts once. */
  readonly subjects: number;
  /** Names of rules, in their order: the new ones and those edited since. */
  readonly fresh: readonly string[];
  readonly changed: readonly string[];
  /** The number of alerts of all these rules in each state. */
  readonly counts: Readonly<Record<StartedState, number>>;
  /** How many subjects are without a value so far, and the names of as many as are worth naming. */
  readonly withoutData: { readonly subjects: number; readonly names: readonly string[] };
  /** The new and the edited rules with their labels, for silences and mutes. */
  readonly about: readonly AboutRule[];
}

/** The state of an alert at a start; `unknown`: its window is incomplete; `unasked`: there was no answer yet. */
export type StartedState = "firing" | "quiet" | "unknown" | "withoutData" | "unasked";

/**
 * A reading's description of its subject for people; null until the first answer, and for a record that cannot be
 * described, which must not keep its alert from being notified. `name`: the subject's name in the alert's own
 * rule; null: the service's name is used.
 */
export function descriptionOf(reading: Reading, name: string | null): Description | null {
  if (reading.rows.length === 0) return null;
  try {
    return calledBy(name, reading.describe());
  } catch {
    return null;
  }
}

/** The description with the name that a rule gives, if it gives one. */
export function calledBy(name: string | null, description: Description): Description {
  const label = name === null ? "" : cleanText(name);
  return label === "" ? description : { ...description, label };
}

/** The form that `shortId` gives an id or an address. */
const SHORT_ID = /^0x[0-9a-f]+…[0-9a-f]+$/i;

/**
 * The name of a subject: from its description now, or its former name where the description has only its id, because
 * this round did not ask for the record with the name.
 */
export function knownLabel(described: string | null, before: string | null): string | null {
  return described === null || (before !== null && SHORT_ID.test(described)) ? before : described;
}

/** The events of one alert's intents, with all facts; `found`: null for those of entries. */
export function eventsOf(
  verdict: Verdict,
  before: Alert,
  after: Alert,
  intents: readonly NotificationIntent[],
  found: (Finding & Pick<Transition, "happened">) | null,
): readonly AlertEvent[] {
  const { context, bucket } = verdict;
  const { watched } = context;
  const { rule } = watched.watched;
  const { reading, now: at, references } = context.round;
  const evidence = verdict.evidence(null, lastNotifiedFor(rule, before));
  const also = verdict.otherEvidence(evidence);
  const description = descriptionOf(reading, watched.subject.name);
  const { worst, byMissing } = notificationStateOf(after);
  // What else an answer lacks is not why an alert has no value, nor had none before.
  const hasValue = found !== null && found.truth !== UNKNOWN_VALUE;
  return intents.map(({ kind, about, held }): AlertEvent => {
    const ended = kind === "resolved" && found !== null;
    const now = kind === "changed" ? spanning(verdict, evidence, held) : evidence;
    // What is told again is what was told, though the value may have swung the other way meanwhile.
    const isAgain = kind === "worse" || kind === "reminder";
    const shown = isAgain ? verdict.evidence(worst?.way) : now;
    const isOfFiring = found !== null && (kind === "fired" || isAgain);
    return {
      kind,
      rule,
      subject: watched.subject,
      at,
      before,
      after,
      evidence: shown,
      also: now === evidence ? also : verdict.otherEvidence(now),
      bucket: bucket === null ? null : { start: bucket.rows.newest, ms: bucket.ms },
      description,
      decimals: (metric) => context.decimals(metric),
      value: (metric) => valueNow(context, metric),
      closed: reading.closed,
      trouble: hasValue ? null : troubleOf(reading, watched.watched, references),
      more: {
        about,
        held,
        ...(ended ? endOf(rule, context, evidence, found) : { still: null }),
        byMissing,
        began: kind === "fired" && beganSo(before, after),
        past: isOfFiring && shown !== null && isPast(rule, context, shown),
      },
    };
  });
}

/** Includes metrics that no condition names and that are not stored. */
function valueNow(context: JudgedContext, metric: string): Value | null {
  if (!context.watched.watched.kind.metrics.has(metric)) return null;
  const row = context.round.reading.rows.find(({ date }) => date === null || date === context.date);
  return context.value(metric) ?? row?.value(metric) ?? null;
}

/** Whether it fires on something that was so already when its watch began. */
function beganSo({ started }: Alert, { firedAt, createdAt, life }: Alert): boolean {
  return life?.byMissing !== true && (!started || firedAt === createdAt);
}

/**
 * Several withheld events: from the value before the first to that of the last. Null: they are of a metric that the
 * rule does not name any more.
 */
function spanning(
  verdict: Verdict,
  speaking: Evidence | null,
  held: Suppressed | null,
): Evidence | null {
  if (held === null || held.last === null) return speaking;
  const metric = held.metric ?? speaking?.metric.name ?? null;
  if (metric === null) return speaking;
  const evidence = speaking?.metric.name === metric ? speaking : verdict.evidenceOf(metric);
  if (evidence === null) return null;
  const { quantity } = evidence.metric;
  const value = valueFromText(held.last, quantity);
  const base = valueFromText(held.base, quantity);
  return value === null ? evidence : { ...evidence, value, base, baseAt: null };
}

/** The facts on an alert that is over, beside its values. */
function endOf(
  rule: Rule,
  context: JudgedContext,
  evidence: Evidence | null,
  found: Finding & Pick<Transition, "happened">,
): Pick<EventMore, "still" | "ended"> {
  const { truth, recovered, closedBy, happened } = found;
  if (truth === TRUE) return { still: { gate: closedBy } };
  const byItself = rule.resolveAfterMs === 0 && recovers(truth, found);
  const ended: EndedFacts = {
    holds: evidence !== null && holdsByItself(rule, context, evidence),
    gate: happened !== null && !byItself ? closedBy : null,
    settled: recovered === null || recovered === TRUE,
    other: evidence === null ? null : otherRule(rule, context, evidence),
  };
  return { still: null, ended };
}

function holdsByItself({ when }: Rule, context: JudgedContext, { comparison }: Evidence): boolean {
  return judge(comparison, context) === (isNegated(when, comparison) ? FALSE : TRUE);
}

function isPast({ when }: Rule, context: JudgedContext, { comparison }: Evidence): boolean {
  return judge(comparison, context) === (isNegated(when, comparison) ? TRUE : FALSE);
}

/**
 * Another rule that fires on the same value, as people know, with its limit on the same side: of two limits for one
 * danger the farther one is over, but the danger is not.
 */
function otherRule(
  rule: Rule,
  context: JudgedContext,
  { comparison, value }: Evidence,
): string | null {
  const mine = comparison.op === "outside" ? "any" : sideOf(comparison, value, context);
  if (mine === null) return null;
  const others: string[] = [];
  for (const { watched, alert } of context.round.alerts) {
    const { when, notify: channels, name } = watched.rule;
    if (watched.rule === rule || channels.length === 0 || alert?.lastNotified.state !== "firing")
      continue;
    const side = sideOf(when, value, context);
    if (side === null || (mine !== "any" && mine !== side)) continue;
    if (!("metric" in when) || when.metric !== comparison.metric) continue;
    if (judge(when, context) === TRUE) others.push(name);
  }
  // The order of rules in their files has no meaning.
  return others.toSorted()[0] ?? null;
}

/** The side of its limits on which a level fires; null: it is no level. */
function sideOf(
  condition: Condition,
  value: Value,
  context: EvaluationContext,
): "high" | "low" | null {
  switch (condition.op) {
    case "above":
    case "at_least":
      return "high";
    case "below":
    case "at_most":
      return "low";
    case "outside": {
      const low = resolveLimit(ascending(condition, context).low, condition.metric, context);
      if (!(low instanceof Decimal && value instanceof Decimal)) return null;
      return compare(value, low) < 0 ? "low" : "high";
    }
    default:
      return null;
  }
}

/** The alert with a name for people: the rule's, else the first one from the chain. */
export function withLabel(alert: Alert, watched: AlertRuntime, reading: Reading): Alert {
  const { name } = watched.subject;
  if (name !== null) return alert.label === name ? alert : { ...alert, label: name };
  if (alert.label !== null) return alert;
  const label = descriptionOf(reading, null)?.label ?? null;
  return label === null ? alert : { ...alert, label };
}

/** The same for a notice: a name from the chain is updated to the chain's current one. */
export function toldBy(alert: Alert, { subject }: AlertRuntime, reading: Reading): Alert {
  if (subject.name !== null) return alert;
  const label = knownLabel(descriptionOf(reading, null)?.label ?? null, alert.label);
  return alert.label === label ? alert : { ...alert, label };
}
