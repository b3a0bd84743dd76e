import type {
  Answer,
  Ask,
  KindWords,
  Quantity,
  RangeFacts,
  RawRecord,
  Subject,
  Value,
} from "../model/index.ts";
import type { Item } from "./streams/item.ts";

/**
 * The contract of a watch kind: which subjects a rule means, what to ask for them, and how the
 * answers read. Everything in here is pure.
 */
export interface WatchKind {
  /** The word in a rule's `watch: {kind: …}`. */
  readonly kind: string;
  /** The kind that rules name in place of this one, which one of its options chooses. */
  readonly variantOf?: string;
  /** What people call the kind who do not know its name, in the form of a name: `liquidity_pool`. */
  readonly aliases?: readonly string[];
  readonly words: KindWords;
  readonly targets: TargetSpec;
  /** The length of a bucket for bucketed records; null for state records. */
  readonly bucketMs: number | null;
  readonly metrics: ReadonlyMap<string, Metric>;
  /**
   * The metric that holds the time of the record's latest change in Unix seconds; of a bucketed kind
   * one that every bucket has, since there the end of the bucket counts. Not there: no record tells.
   */
  readonly ownTime?: string;
  /**
   * It follows lists: its readings have a stream, and what it asks depends on the cursor. A list grows,
   * as swaps do, or each answer has all of it, as of holders.
   */
  readonly stream?: "grows" | "whole";
  /** The records without which it knows nothing: a source must serve them all, and may lack others. */
  readonly records: readonly Ask["record"][];
  /** Its readings know the decimals of raw units by themselves: no rule need give them. */
  readonly knowsDecimals?: true;
  /** The kind as its subjects are: with the metrics that they have. Absent: all have the same. */
  ofSubjects?(subjects: readonly Subject[]): WatchKind;
  subject(target: Target): Subject;
  /** What to ask at a round's date without knowing any answer; `cursor` as in `read`. */
  asks(subject: Subject, date: number, cursor?: string | null): readonly Ask[];
  /** What the answers so far show to be needed besides; the same asks again once they are answered. */
  follow(subject: Subject, answers: Answers, cursor?: string | null): readonly Ask[];
  /** What only some metrics need, asked in each round where a rule looks at one of them. */
  extras?(subject: Subject, metrics: ReadonlySet<string>): readonly Ask[];
  /**
   * What never changes and is asked once, such as a token's decimals: only where not every rule gives
   * the subject's decimals. What is known so far may show what else is needed.
   */
  facts?(subject: Subject, answers: Answers): readonly Ask[];
  /**
   * Where the past of a metric can be asked for, from `from` to `now` (epoch milliseconds) as far as the
   * service has it. `known`: what earlier answers showed to be needed for the subject. `later`: those must
   * come first; null: there is no history, or what is asked in every round reaches so far.
   */
  history?(
    subject: Subject,
    metric: string,
    from: number,
    now: number,
    known: readonly Ask[],
  ): History | "later" | null;
  /** What the history of its pool tells of it afterwards, to try rules on the past; absent: nothing. */
  readonly replayed?: Replayed;
  /** How the past of the list that it follows is read, to try rules on it; absent: the service tells none. */
  readonly pastList?: PastList;
  /** `cursor`: what the stream of the subject's last good reading gave; null: this is the first. */
  read(subject: Subject, answers: Answers, date: number, cursor?: string | null): Reading;
}

/** The past of a subject's metrics, to be asked for once. */
export interface History {
  readonly ask: Ask;
  /** The distance of two points in milliseconds. */
  readonly spacingMs: number;
  /**
   * What an answer says of a metric, oldest first: state kinds date a point at its end, bucketed kinds a
   * bucket at its start. What has not ended by `now` is left out; null is no data.
   */
  points(answer: Answer, metric: string): readonly (readonly [date: number, value: Value | null])[];
}

/** The state of a subject in the past, by the points of its pool. */
export interface Replayed {
  /** The metrics that the points tell. */
  readonly metrics: ReadonlySet<string>;
  /** The ask for the points, hours; `known`: what today's answers showed to be needed. Null: that is not known. */
  ask(subject: Subject, known: readonly Ask[]): Ask | null;
  /** What was so at the end of each hour that has ended by `now`, oldest first. */
  rows(
    subject: Subject,
    points: readonly RawRecord[],
    now: number,
    today: Answers,
  ): readonly (readonly [date: number, row: Row])[];
  /** Where its range and its price were then, by the same dates; absent: it has no range. */
  ranges?(
    subject: Subject,
    points: readonly RawRecord[],
    now: number,
    today: Answers,
  ): readonly (readonly [date: number, range: RangeFacts | null])[];
}

/** The past of a list that the service gives by page. */
export interface PastList {
  /** The ask for `limit` entries after `offset` others, in the order that the service has. */
  page(subject: Subject, offset: number, limit: number): Ask;
  /** The entries of a page in its order; null: it cannot be read. */
  items(answer: Answer): readonly ListItem[] | null;
  /** What values of entries are made of besides, as far as today's answers show what that is. */
  beside(subject: Subject, today: Answers): readonly Beside[];
  /** The entries that are new in a round, oldest first. */
  entries(subject: Subject, today: Answers, news: PastNews): readonly Entry[];
}

/** One entry of a page. */
export type ListItem = Item<RawRecord>;

/** A metric of another subject that values of entries are made of. */
export interface Beside {
  /** What it is called in `PastNews`. */
  readonly name: string;
  readonly kind: string;
  readonly target: Target;
  readonly metric: string;
  /** Metrics of entries that cannot be told where nothing is known of it, nor of others of its kind. */
  readonly of: readonly string[];
}

/** What is new in a list at a moment of the past. */
export interface PastNews {
  /** Oldest first, each with what tells it from every other. */
  readonly items: readonly (ListItem & { readonly id: string })[];
  /** All that came after `value` was so, oldest first, the new ones included. */
  readonly since: readonly RawRecord[];
  /** What was known then by the name of a `Beside`; null: nothing. */
  value(name: string): Value | null;
}

export type Answers = (ask: Ask) => Answer | undefined;

/** Block and time of a record's latest change; they must not go back. */
export interface Mark {
  /** The record, by the key of its ask. */
  readonly key: string;
  /** Null: the record does not tell, or not with a whole number below 2^53. */
  readonly block: number | null;
  /** Unix seconds; null likewise. */
  readonly time: number | null;
}

/** How a rule names the targets of a kind, for the reader of rule files. */
export interface TargetSpec {
  /**
   * The key that lists ids beside `chain`; null: the chains are the targets. `endpoints` are those of
   * the service by name, without a chain; all that can be asked if it is left out.
   */
  readonly key: "pools" | "positions" | "token" | "wallet" | "to" | "endpoints" | null;
  /** Keys with accounts, such as `wallet`: each token is watched for each account under each of them. */
  readonly accounts?: readonly AccountKey[];
  /** The record that lists what an owner holds: `owner` may stand in place of the ids. Absent: it may not. */
  readonly owned?: Ask["record"];
  /** What was put into each may stand beside it. */
  readonly deposits?: true;
  /** What an id looks like, and how to say so. */
  readonly id: { readonly pattern: RegExp; readonly expected: string } | null;
  /** The protocols to choose from; null: the kind has none. */
  readonly protocols: readonly string[] | null;
  /** Keys of the watch that say what to make of its targets, such as `top: 10`. */
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** What is wrong with options that are well written each, as they stand together; null: nothing. */
  trouble?(options: Readonly<Record<string, string>>): OptionTrouble | null;
}

/** The owner of a token, and who may spend it. */
export type AccountKey = "wallet" | "owner" | "spender";

export interface OptionTrouble {
  /** Below the watch: the option, and the place in its list. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly expected: string;
}

/**
 * An option in a watch: a whole number, one of a few words, true and false, a text (which must be there
 * without a default), or a list of texts, numbers and true and false, which is a JSON list of texts.
 */
export type OptionSpec =
  | { readonly kind: "whole"; readonly min: number; readonly max: number; readonly default: number }
  | { readonly kind: "word"; readonly values: readonly string[]; readonly default: string }
  | { readonly kind: "flag"; readonly default: false }
  | { readonly kind: "text"; readonly default: string | null; readonly expected: string }
  | { readonly kind: "list"; readonly expected: string };

export interface Target extends Readonly<Partial<Record<AccountKey, string | null>>> {
  readonly chainId: number;
  readonly id: string | null;
  readonly protocol: string | null;
  /** Whole tokens that were put into a position, as exact decimals; null: the rule does not say. */
  readonly deposited?: readonly [token0: string, token1: string] | null;
  readonly name: string | null;
  /** A value for each option of the kind, as text: `10`, `h`, `true`. */
  readonly options?: Readonly<Record<string, string>>;
}

export interface Metric {
  readonly name: string;
  readonly quantity: Quantity;
  /** Words for a sentence: `TVL`, `tip (top 10%)`. */
  readonly label: string;
  /** What people call it who do not know its name, in the form of a name: `gas_price`. */
  readonly aliases?: readonly string[];
  /** The label in a sentence about one entry, where the metric's own would repeat what the entry is. */
  readonly entryLabel?: string;
  /** Text metrics with few values: all of them, so that a slip in a rule is found. */
  readonly values?: readonly string[];
  /** It is about a position's range; a position without liquidity has none. */
  readonly range?: true;
  /** Below zero it means something, as of a change, and a ratio may be above one. */
  readonly signed?: true;
  /** Only EVM nodes have it, though a service may have others of its kind. */
  readonly node?: true;
  /** Of each entry of a stream: a condition that names it is tested entry by entry. */
  readonly entry?: true;
}

/** Why nothing is read of a record that is older than one before. */
export const LAGS = "its record is older than one before: the indexer lags";

/** What the answers of one subject say in one round. */
export interface Reading {
  /** Oldest first. A state kind has one row, dated null for the round; none: nothing was answered. */
  readonly rows: readonly Row[];
  /** Why values are missing, in clean words, if any are: the failure or `not in the answer`. */
  readonly trouble: string | null;
  /** The answer was good and the subject was not in it: no data, which is worth a sample. */
  readonly absent: boolean;
  /** The record whose request failed: the subject may or may not exist. */
  readonly unanswered: Ask["record"] | null;
  /** A position without liquidity: its range terms are false, not unknown. */
  readonly closed: boolean;
  /** The decimals behind a metric's raw units; null while unknown. */
  decimals(metric: string): number | null;
  /** What is new in a list that is followed; null: no good answer. Other kinds have no such thing. */
  readonly stream?: StreamReading | null;
  /** How far the chain had come, for records that tell; none for the others. */
  marks(): readonly Mark[];
  /**
   * The same without what some of its records say, by the keys of their asks; what never changes, such
   * as a token's decimals, stays. Absent: it has one record only.
   */
  without?(records: ReadonlySet<string>): Reading;
  /** For people; costs more than the rest and is asked for notices only. */
  describe(): Description;
}

/** A list that is followed: each entry is notified once, across pages, reordering and restarts. */
export interface StreamReading {
  /** What was not there before, oldest first; none in the first answer, which is the baseline. */
  readonly entries: readonly Entry[];
  /** What to go on from; it is kept with the alerts of the round. */
  readonly cursor: string;
  /** The cursor that it was read from; null: this is the first reading. */
  readonly from: string | null;
  /** Entries have been missed: why and how many, in clean words. */
  readonly gap: string | null;
  /** Rules, by name, that gave up on entries and were judged on none since: they have no value. */
  readonly blind?: readonly string[];
  /**
   * What to go on from once the entries were tested, in place of `cursor`: those of which rules could
   * not be judged may wait. Absent: none waits.
   */
  settle?(verdicts: readonly EntryVerdicts[]): Settled;
  /** What `settle` has given up. */
  readonly unjudged?: Settled["unjudged"];
}

/** What a rule said of the entries of a reading. */
export interface EntryVerdicts {
  /** Its name. */
  readonly rule: string;
  /** The ids of entries of which it could not be judged. */
  readonly unjudged: readonly string[];
  /** It was judged on one at least. */
  readonly judged: boolean;
  /** It compares with other subjects, whose values may be what was missing. */
  readonly compares: boolean;
}

export interface Settled {
  readonly cursor: string;
  /** Entries that rules, by name, will not be judged on any more, in clean words; null: none. */
  readonly unjudged: { readonly what: string; readonly rules: readonly string[] } | null;
}

export interface Entry {
  /** Tells it from every other of its subject. */
  readonly id: string;
  /** Its own time in epoch milliseconds; null: it does not tell. */
  readonly at: number | null;
  value(metric: string): Value | null;
  /**
   * The rules, by name, that could not be judged on it when it was new: all others are done with it.
   * Null, or absent: it is new.
   */
  readonly rules?: readonly string[] | null;
  /** Its page at the explorer; null where there is none. */
  readonly link: string | null;
}

export interface Row {
  /** The bucket's start; null: the round's date. */
  readonly date: number | null;
  value(metric: string): Value | null;
  /** The value as the store has it. Absent: it was not read from there. */
  text?(metric: string): string | null;
  /** Whether nothing is known of it in this round, good or bad, so that no sample is stored. Absent: of none. */
  isUnseen?(metric: string): boolean;
}

export interface Description {
  /** What the service calls the subject, clean: by symbols, or by a shortened id. Rules have names of their own. */
  readonly label: string;
  readonly chain: string;
  readonly link: string | null;
  readonly range: RangeFacts | null;
  /** The decimals of both tokens behind the prices of the range; absent: there is none. */
  readonly rangeDecimals?: readonly [token0: number, token1: number];
  /** What follows a number of this metric: `USDC per ETH`, `USDC`, or empty. */
  unit(metric: string): string;
}

const KEY_WITH_CHAIN = /^[^:]*:(\d+)(?::|$)/;

/**
 * The chain that the key of a subject names, as the keys of every kind do whose subjects are on one:
 * `gas:1`, `v4_pool:137:0x…`. Null for what is on none, and for several subjects together.
 */
export function chainOfKey(key: string): number | null {
  const chain = KEY_WITH_CHAIN.exec(key)?.[1];
  return chain === undefined ? null : Number(chain);
}
