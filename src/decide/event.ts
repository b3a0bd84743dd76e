import { cleanText } from "../base/text.ts";
import type { Description, Entry, Metric, Reading } from "../kinds/kind.ts";
import type {
  AboutRule,
  Alert,
  Comparison,
  Rule,
  Subject,
  Suppressed,
  Value,
} from "../model/index.ts";
import type { IntentKind, NotificationIntent } from "./intent.ts";

/** The comparison that speaks for a verdict, with what it compared. */
export interface Evidence {
  readonly comparison: Comparison;
  readonly metric: Metric;
  /** The value now. */
  readonly value: Value;
  /** Limits in the metric's own unit, as compared; one, or low and high; none for changes. */
  readonly limits: readonly Value[];
  /**
   * Changes: the value that it was compared with; otherwise the one before. `baseAt`: when that was
   * in force; null: not known.
   */
  readonly base: Value | null;
  readonly baseAt: number | null;
}

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
