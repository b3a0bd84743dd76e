/** The nouns of the program. What each one means to a user is written in docs/rules.md. */
import type { Decimal } from "./base/decimal.ts";
import type { Quantity } from "./base/quantity.ts";
import type { Schedule } from "./base/schedule.ts";
import type { Secret } from "./base/secret.ts";

export type { Quantity };

// ---- values ---------------------------------------------------------------------------------

/** A known value: an exact number, text (addresses in lower case) or a boolean. */
export type Value = Decimal | string | boolean;

// ---- what to look at ------------------------------------------------------------------------

/** One thing watched: one pool, one position, one chain's gas. */
export interface Subject {
  /** The identity over all rules, such as `v4_pool:1:0x21c6…`; ids in lower case. */
  readonly key: string;
  readonly kind: string;
  readonly chainId: number;
  /** The ids that the watch kind needs to ask for it (`pool`; `nft` and `protocol`). */
  readonly ids: Readonly<Record<string, string>>;
  /** The name that the rule gives it; null to name it by what the chain says. */
  readonly name: string | null;
}

/** The records that a source answers. */
export const RECORDS = [
  "v4_pool",
  "v4_position",
  "gas_hour",
  "supply",
  "supply_point",
  "balance",
  "balance_point",
  "holder_count",
  "holder",
  "token_info",
  "token_price",
  "price_point",
  "v4_pool_24h",
  "v3_pool",
  "v4_swap",
  "v3_swap",
  "v4_liquidity",
  "v4_pool_point",
  "v3_pool_point",
] as const;

/** A record that is wanted from a source; it names a record, not a request. */
export interface Ask {
  /** Equal asks have equal keys and are asked once a round. */
  readonly key: string;
  readonly record: (typeof RECORDS)[number];
  readonly chainId: number;
  /** The pool id, NFT id, token or V3 pool address, in lower case; empty for gas. */
  readonly id: string;
  /** Balances and their history only: the wallet's address, in lower case. */
  readonly wallet?: string;
  /** Positions only. */
  readonly protocol?: string;
  /** Gas, and histories by days: the days, YYYY-MM-DD, both included. */
  readonly from?: string;
  readonly to?: string;
  /** Histories of prices and pools: points of days or of hours. */
  readonly period?: "d" | "h";
  /** Lists that come in pages: so many entries at most, after so many others. */
  readonly limit?: number;
  readonly offset?: number;
}

/** The fields of one record as JSON gave them; a number of 2^53 and more is a string of its text. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Why an ask got no answer. `detail` is clean text without secrets. */
export interface Failure {
  readonly reason:
    | "timeout"
    | "network"
    | "unauthorized"
    | "rate_limited"
    | "refused"
    | "server_error"
    | "malformed"
    | "too_large"
    | "out_of_time";
  readonly detail: string;
}

/**
 * What became of an ask. `absent`: the answer was good and the record was not in it. A page of a list
 * is `ok` with its entries in the order in which they came, and with none if it is empty.
 */
export type Answer =
  | { readonly status: "ok"; readonly records: readonly RawRecord[] }
  | { readonly status: "absent" }
  | { readonly status: "failed"; readonly failure: Failure };

// ---- rules ----------------------------------------------------------------------------------

export type Severity = "info" | "warning" | "critical";

/** A limit as the user wrote it (`text`) and as the engine compares it. */
export type Limit =
  | { readonly kind: "value"; readonly value: Value; readonly text: string }
  /** Whole tokens of the metric's token: times 10^decimals once the record has told them. */
  | { readonly kind: "tokens"; readonly amount: Decimal; readonly text: string };

/** How far a value must have gone: an amount, or a percentage of the base. Always above zero. */
export type Distance =
  | { readonly kind: "absolute"; readonly limit: Limit; readonly text: string }
  | { readonly kind: "percent"; readonly percent: Decimal; readonly text: string };

/** Where the base of a change lies: the extreme of a window, a point in time, the last value. */
export type Span =
  | { readonly kind: "within"; readonly ms: number; readonly text: string }
  | { readonly kind: "since"; readonly ms: number; readonly text: string }
  | { readonly kind: "since_last"; readonly text: string };

export interface LimitComparison {
  readonly op: "above" | "below" | "at_least" | "at_most" | "equals" | "not_equals";
  readonly metric: string;
  readonly limit: Limit;
}

export interface RangeComparison {
  readonly op: "inside" | "outside";
  readonly metric: string;
  readonly low: Limit;
  readonly high: Limit;
}

export interface ChangeComparison {
  readonly op: "rises" | "falls" | "moves";
  readonly metric: string;
  readonly by: Distance;
  readonly span: Span;
}

/** An event: it compares with the value at the alert's last evaluation that had one. */
export type EventComparison =
  | { readonly op: "changes"; readonly metric: string }
  /** The sides are v ≥ limit and v < limit. */
  | { readonly op: "crosses"; readonly metric: string; readonly limit: Limit };

export type Comparison = LimitComparison | RangeComparison | ChangeComparison | EventComparison;

export type Condition =
  | Comparison
  | { readonly op: "all" | "any"; readonly terms: readonly Condition[] }
  | { readonly op: "not"; readonly term: Condition };

/** Where something stands in a file; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Rule {
  /** Unique over all files: the alert's identity. */
  readonly name: string;
  readonly place: Place;
  /** The watch kind's name. */
  readonly kind: string;
  /** In the order of the file, no key twice. */
  readonly subjects: readonly Subject[];
  /** One alert over all subjects, on the sum, the least or the greatest of their values. */
  readonly across: "sum" | "min" | "max" | null;
  /** Whole tokens in raw units, by subject key, as far as the rule gives them. */
  readonly decimals: ReadonlyMap<string, number>;
  readonly when: Condition;
  /** `when` holds an event or speaks of entries: `changed` is sent and its alerts have no state. */
  readonly event: boolean;
  readonly resolveWhen: Condition | null;
  readonly forMs: number;
  readonly resolveAfterMs: number;
  readonly schedule: Schedule;
  readonly severity: Severity;
  readonly labels: Readonly<Record<string, string>>;
  /** Channel names; empty: the rule tells nobody. */
  readonly notify: readonly string[];
  /** Plain text, cleaned. */
  readonly title: string | null;
  readonly note: string | null;
  readonly sendResolved: boolean;
  readonly missingAfterMs: number;
  /** Bucketed kinds: a newest bucket that ended longer ago is no data. */
  readonly maxAgeMs: number;
  /** Bucketed kinds: a bucket younger than this is skipped. */
  readonly minAgeMs: number;
  /** The metrics that the conditions name, each once, in the order of the text. */
  readonly metrics: readonly string[];
  /** The rule as canonical text; another text is another version of the rule. */
  readonly source: string;
}

/** A channel as configured; `settings` is what the channel kind's own schema made of it. */
export interface ChannelConfig {
  readonly name: string;
  readonly kind: string;
  readonly settings: unknown;
}

export interface ServiceConfig {
  /** Origin and optional path, without a trailing slash; null: not configured. One of them is. */
  readonly baseUrl: string | null;
  readonly legacyBaseUrl: string | null;
  readonly apiKey: Secret;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
}

/** Everything a run needs to know, read once from files and never changed. */
export interface Setup {
  readonly service: ServiceConfig;
  readonly rules: readonly Rule[];
  readonly channels: readonly ChannelConfig[];
  /** The database's path, absolute. */
  readonly store: string;
  readonly retentionMs: number;
  /** The channels that hear of the daemon's own troubles. */
  readonly selfNotify: readonly string[];
  readonly logLevel: string;
}

// ---- samples and alerts -----------------------------------------------------------------------

/** An integer that stands for (subject, metric) in the store. */
export interface SeriesName {
  readonly id: number;
  readonly subject: string;
  readonly metric: string;
}

/**
 * One value as it was observed from `first` to `last` (dates of rounds, or of one bucket), in text
 * form; null: no data. A run with `first` = `last` was seen in one round only.
 */
export interface Run {
  readonly series: number;
  readonly first: number;
  readonly last: number;
  readonly value: string | null;
}

export type AlertState = "ok" | "pending" | "firing" | "recovering";

/** One (rule, subject). All dates are round dates in epoch milliseconds. */
export interface Alert {
  readonly rule: string;
  readonly subject: string;
  readonly createdAt: number;
  /** Its rule has told that it is watched; nothing fires before. */
  readonly started: boolean;
  readonly state: AlertState;
  /** When the state was entered; for bucketed kinds the bucket from which it counts. */
  readonly since: number;
  /** Pending and recovering: the last round whose verdict was known. */
  readonly heldAt: number | null;
  /** The date of the firing in force (firing, recovering). */
  readonly firedAt: number | null;
  /** Bucketed kinds: the bucket on which it fired. */
  readonly firedBucket: number | null;
  /** Rounds without a value in a row; null when the last round had one. */
  readonly missing: {
    /** The last round with a value, or else the alert's first round. */
    readonly since: number;
    readonly rounds: number;
    /** `no data` was sent. */
    readonly told: boolean;
  } | null;
  /** What people were last told of it. */
  readonly told: {
    readonly state: "ok" | "firing";
    readonly value: string | null;
    /** Who was told of the firing and must hear that it ended; empty while `ok`. */
    readonly channels: readonly string[];
  };
  /** What people call the subject: from the rule or the chain, clean; null before the first answer. */
  readonly label: string | null;
  /** For `since: last` and events: the last value and the one before it, by metric, oldest first. */
  readonly seen: Readonly<Record<string, readonly string[]>> | null;
}

// ---- notices ----------------------------------------------------------------------------------

/** The kinds that are built; the store and the JSON use these words. */
export type NoticeKind =
  | "started"
  | "fired"
  | "resolved"
  | "changed"
  | "no_data"
  | "data_back"
  | "baseline"
  | "rule_removed"
  | "source_down"
  | "source_up"
  | "test";

/** The price range of a position or the picture of one, in the rule's price direction. */
export interface RangeFacts {
  /** Prices as people read them, five significant digits at least. */
  readonly lower: string;
  readonly upper: string;
  readonly price: string;
  /** `USDC per ETH`. */
  readonly unit: string;
  readonly lowerTick: number;
  readonly upperTick: number;
  readonly tick: number;
}

/** One value behind a notice, exact, for programs; every number is text. */
export interface NoticeValue {
  /** The subject's key. */
  readonly subject: string;
  readonly metric: string;
  readonly quantity: Quantity;
  /** In the metric's own unit: raw units, wei, dollars. */
  readonly value: string;
  /** The decimals behind raw units; null while unknown, and for other quantities. */
  readonly decimals: number | null;
  /** What follows the number for people, such as `USDC per ETH`; or empty. */
  readonly unit: string;
  /** The comparison that speaks for the condition. */
  readonly op: Comparison["op"];
  /** As compared with, in the metric's own unit: one, or low and high; none for changes. */
  readonly limits: readonly string[];
  /** Changes and events: what the value was compared with, and when that was in force. */
  readonly base: string | null;
  readonly baseAt: number | null;
}

/** Something that is told, frozen when it was made: facts and sentences. All text is clean. */
export interface Notice {
  /** Made of rule, subject, kind and date: deciding twice makes the same notice. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly severity: Severity;
  readonly rule: string | null;
  readonly subject: string | null;
  /** The date of the round. */
  readonly at: number;
  /** The first line: at most 80 characters, stands alone on a lock screen. */
  readonly headline: string;
  readonly title: string | null;
  readonly note: string | null;
  /** Name and value, in reading order, such as `Value` `2,310 USDC per ETH`. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** The explorer's page; null where there is none. */
  readonly link: string | null;
  readonly range: RangeFacts | null;
  /** Recent values, oldest first, exact text; at least two or none. */
  readonly recent: readonly string[];
  /** Of an alert the one that decided; of a start those of the subjects that were described. */
  readonly values: readonly NoticeValue[];
  readonly labels: Readonly<Record<string, string>>;
}

/** A notice on its way to one channel, frozen before the first send; a retry sends the same. */
export interface Message {
  readonly id: string;
  readonly channel: string;
  readonly notices: readonly string[];
  /** The channel kind's own rendering. */
  readonly body: string;
  /** Sends so far, this one included once it is under way. */
  readonly attempts: number;
}

// ---- what a slice of a round changes ------------------------------------------------------------

/** What a followed list had when it was last read: opaque to all but its watch kind. */
export interface Cursor {
  readonly subject: string;
  readonly value: string;
}

/** How far a subject's records had come: opaque text of the rounds. */
export interface SubjectMarks {
  readonly subject: string;
  readonly value: string;
}

export interface RuleState {
  readonly name: string;
  /** A hash of the rule's source. */
  readonly version: string;
  /** When the rule told that it watches; alerts created up to then have started. */
  readonly startedAt: number | null;
  /** The date of its last whole round. */
  readonly lastRound: number | null;
}

/** One round as `explain` will need it. */
export interface RoundRecord {
  readonly date: number;
  readonly rules: readonly string[];
  readonly requests: number;
  readonly subjects: number;
  /** By ask key, at most a bounded number of them. */
  readonly failures: Readonly<Record<string, Failure>>;
  readonly failed: number;
  /** Real milliseconds. */
  readonly tookMs: number;
}

/** Everything that is committed in one transaction. */
export interface Change {
  readonly series: readonly SeriesName[];
  /** Inserted, or replaced where (first, series) is there already. */
  readonly runs: readonly Run[];
  /** Replace what was kept for their subjects. */
  readonly cursors: readonly Cursor[];
  readonly marks: readonly SubjectMarks[];
  readonly alerts: readonly Alert[];
  /** Alerts that are no longer watched. */
  readonly gone: readonly { readonly rule: string; readonly subject: string }[];
  readonly rules: readonly RuleState[];
  /** Rules that are no longer there. */
  readonly goneRules: readonly string[];
  readonly versions: readonly { readonly version: string; readonly source: string }[];
  readonly notices: readonly { readonly notice: Notice; readonly channels: readonly string[] }[];
  readonly round: RoundRecord | null;
}

export const NO_CHANGE: Change = {
  series: [],
  runs: [],
  cursors: [],
  marks: [],
  alerts: [],
  gone: [],
  rules: [],
  goneRules: [],
  versions: [],
  notices: [],
  round: null,
};
