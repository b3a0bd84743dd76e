import { compare, Decimal } from "../base/decimal.ts";
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
import { type EvaluationContext, FALSE, resolveLimit, TRUE } from "./evaluation-context.ts";
import type { IntentKind, NotificationIntent } from "./intent.ts";
import { lastNotifiedFor, notificationStateOf } from "./notification-state.ts";
import { troubleOf } from "./reference.ts";
import { type AlertRuntime, valueFromText } from "./runtime.ts";
import { type Finding, recovers, type Transition } from "./transition.ts";
import type { Evidence, Verdict } from "./verdict.ts";

/** Something that happened to one alert and must be told. */
export interface AlertEvent {
  readonly kind: IntentKind;
  readonly rule: Rule;
  readonly subject: Subject;
  /** The round's date. */
  readonly at: number;
  readonly before: Alert;
  readonly after: Alert;
  /** What `when` compared now; null without a value. */
  readonly evidence: Evidence | null;
  /** What the other comparisons of `when` looked at, each metric once. */
  readonly also: readonly Evidence[];
  /** Bucketed kinds: the start and length of the bucket that was evaluated. */
  readonly bucket: { readonly start: number; readonly ms: number } | null;
  /** Null while nothing was ever answered. */
  readonly description: Description | null;
  /** The decimals behind a metric's raw units; null while unknown. */
  decimals(metric: string): number | null;
  /** What any metric of the kind is now, whether a condition names it or not; absent: not known. */
  value?(metric: string): Value | null;
  /** `resolved`: the position was closed. */
  readonly closed: boolean;
  /** `no_data`: why, in clean words. */
  readonly trouble: string | null;
  /** What there is to add; absent: nothing. */
  readonly more?: EventMore;
  /** The entry of a stream that it is about; absent: it is about no single one. */
  readonly entry?: EntryFacts;
}

/** An entry of a stream, and what its kind says of its values. */
export interface EntryFacts extends Entry {
  /** Undefined: the kind has no such metric. */
  metric(name: string): Metric | undefined;
}

export interface EventMore {
  /** `flapping`, `steady`, `data_back`: whether firings are meant, or the gaps in the data. */
  readonly about: NotificationIntent["about"];
  /** What was held back before this. */
  readonly held: Suppressed | null;
  /** `resolved`: the condition holds all the same; `gate`: the rule that keeps it from counting. */
  readonly still: { readonly gate: string | null } | null;
  /** `resolved`, and the condition does not hold: how it came to that. */
  readonly ended?: EndedFacts;
  /** `fired`: because there is no data. */
  readonly byMissing: boolean;
  /** `fired`: it was so already when its watch began; absent: it was not. */
  readonly began?: boolean;
}

/** What is known of an alert's end beside its values. */
export interface EndedFacts {
  /** The comparison that speaks is true all the same: another one ended it. */
  readonly holds: boolean;
  /** The gate without whose closing it would not be over yet; null: it ended by itself. */
  readonly gate: string | null;
  /** Its `resolve_when` is true, or it has none. */
  readonly settled: boolean;
  /** Another rule that still says the same of this value, as people know; null: none does. */
  readonly other: string | null;
}

/** What a start of the daemon tells one audience: which of their rules it watches. */
export interface StartedEvent {
  readonly at: number;
  readonly rules: number;
  /** Whatever several rules watch counts once. */
  readonly subjects: number;
  /** Names of rules, in their order: those never told of before, and those edited since. */
  readonly fresh: readonly string[];
  readonly changed: readonly string[];
  /** Of the alerts of all of these rules, how many are so. */
  readonly counts: Readonly<Record<StartedState, number>>;
  /** Those that had no value so far, by name, as many as are worth naming. */
  readonly blind: readonly string[];
  /** The new and the edited rules with their labels, by which silences and mutes find them. */
  readonly about: readonly AboutRule[];
}

/** What a start found of an alert; `unknown`: its window is not known yet; `unasked`: nothing was answered. */
export type StartedState = "firing" | "quiet" | "unknown" | "blind" | "unasked";

/**
 * What a reading says of its subject for people; null while nothing was answered. A record that
 * cannot even be described must not keep its alert from being told, so that is null as well. `name`: what
 * the alert's own rule calls the subject; null: nothing, and it is called what the service says.
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

/** What `shortId` makes of an id or an address. */
const SHORT_ID = /^0x[0-9a-f]+…[0-9a-f]+$/i;

/**
 * What a subject is called: as it is described now, or as it was known before where it is described by
 * its id alone, since what would tell its name was not asked for in this round.
 */
export function knownLabel(described: string | null, before: string | null): string | null {
  return described === null || (before !== null && SHORT_ID.test(described)) ? before : described;
}

/** What the intents of one alert are, with all that is known of them; `found`: null for those of entries. */
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
  return intents.map(({ kind, about, held }): AlertEvent => {
    const ended = kind === "resolved" && found !== null;
    return {
      kind,
      rule,
      subject: watched.subject,
      at,
      before,
      after,
      evidence:
        kind === "changed"
          ? spanning(evidence, held)
          : kind === "worse" || kind === "reminder"
            ? // What is told again is what was told, though the value may have swung the other way meanwhile.
              verdict.evidence(worst?.way)
            : evidence,
      also,
      bucket: bucket === null ? null : { start: bucket.rows.newest, ms: bucket.ms },
      description,
      decimals: (metric) => context.decimals(metric),
      value: (metric) => valueNow(context, metric),
      closed: reading.closed,
      trouble: troubleOf(reading, watched.watched, references),
      more: {
        about,
        held,
        ...(ended ? endOf(rule, context, evidence, found) : { still: null }),
        byMissing: kind === "fired" && byMissing,
        began: kind === "fired" && beganSo(before, after),
      },
    };
  });
}

/** Also of a metric that no condition names and nothing is stored of. */
function valueNow(context: JudgedContext, metric: string): Value | null {
  if (!context.watched.watched.kind.metrics.has(metric)) return null;
  const row = context.round.reading.rows.find(({ date }) => date === null || date === context.date);
  return context.value(metric) ?? row?.value(metric) ?? null;
}

/** Whether it fires on what was so already when people began to watch it. */
function beganSo({ started }: Alert, { firedAt, createdAt, life }: Alert): boolean {
  return life?.byMissing !== true && (!started || firedAt === createdAt);
}

/** Of several events that were held back: from the value before the first to the last one. */
function spanning(evidence: Evidence | null, held: Suppressed | null): Evidence | null {
  if (evidence === null || held === null || held.last === null) return evidence;
  const { quantity } = evidence.metric;
  const value = valueFromText(held.last, quantity);
  const base = valueFromText(held.base, quantity);
  return value === null ? evidence : { ...evidence, value, base, baseAt: null };
}

/** What there is to know of an alert that is over beside its values. */
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

/**
 * Another rule that people know to fire on the same value, and whose limit lies on the same side: of two
 * limits for one danger the farther one is over, and the danger is not.
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
  // The order of the rules in their files means nothing.
  return others.toSorted()[0] ?? null;
}

/** On which side of its limits a level fires at a value beyond them; null: it is none. */
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
      const low = resolveLimit(condition.low, condition.metric, context);
      if (!(low instanceof Decimal && value instanceof Decimal)) return null;
      return compare(value, low) < 0 ? "low" : "high";
    }
    default:
      return null;
  }
}

/** The alert with a name for people: the rule's own, else what the chain said first. */
export function withLabel(alert: Alert, watched: AlertRuntime, reading: Reading): Alert {
  const { name } = watched.subject;
  if (name !== null) return alert.label === name ? alert : { ...alert, label: name };
  if (alert.label !== null) return alert;
  const label = descriptionOf(reading, null)?.label ?? null;
  return label === null ? alert : { ...alert, label };
}

/** The same as something is told of it: a name that the chain gave follows what the chain says now. */
export function toldBy(alert: Alert, { subject }: AlertRuntime, reading: Reading): Alert {
  if (subject.name !== null) return alert;
  const label = knownLabel(descriptionOf(reading, null)?.label ?? null, alert.label);
  return alert.label === label ? alert : { ...alert, label };
}
