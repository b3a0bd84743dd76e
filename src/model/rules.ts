import type { Value } from "../base/decimal.ts";
import type { Schedule } from "../base/schedule.ts";
import type { Subject } from "./asks.ts";
import type { Comparison, Condition, Distance, Severity } from "./conditions.ts";
import type { MuteWindow } from "./holds.ts";

/** What a watch kind calls what it watches, for sentences and notices. */
export interface KindWords {
  /** Several of its subjects: `pools`. */
  readonly subjects: string;
  /** The name that a rule gives a subject says where it is: no chain is added. */
  readonly nameTellsChain?: true;
  /** A headline begins with the metric, as in `Supply 306M AUSD`, not with the subject. */
  readonly metricFirst?: true;
  /** Of a stream: what its entries are called. */
  readonly entry?: EntryWords;
}

export interface EntryWords {
  /** One entry in a sentence, with the word before what it is in: `swap in`. */
  readonly one: string;
  /** Several entries of a subject, told together: `swaps`. */
  readonly several: (ids: Subject["ids"]) => string;
  /** Entries that are comings to a list and goings from it: the verb of each metric that says which. */
  readonly list?: { readonly of: string; readonly verbs: Readonly<Record<string, string>> };
  /** The metrics that a notice shows beside those its rule compared. */
  readonly shown: readonly string[];
  /** What a headline says of an entry, from the richest line to the plainest. */
  readonly lines: (entry: EntryText) => readonly EntryLine[];
}

/** An entry as its words are made of it. */
interface EntryText {
  readonly ids: Subject["ids"];
  /** What the rule compared is an amount in dollars. */
  readonly inUsd: boolean;
  readonly value: (metric: string) => Value | null;
  /** The value for people, with its unit; null while it is not known. */
  readonly text: (metric: string) => string | null;
}

/** `Swap of $1.2M`, then the subject's name, then what follows. All text is clean. */
interface EntryLine {
  readonly before: string;
  /** Directly after the name. */
  readonly after?: string;
  /** What is left out first where the line is too long, the last one before the others. */
  readonly more?: readonly string[];
  /** The rule's limit is not named. */
  readonly plain?: true;
}

/** A rule as it was read. */

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
  /** What the kind calls what it watches. */
  readonly words: KindWords;
  /** In the order of the file, no key twice; of owners, what they hold as far as that is known. */
  readonly subjects: readonly Subject[];
  /** Whose positions it watches; absent: it names its subjects. */
  readonly owners?: readonly Owner[];
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
  /**
   * When a channel is not to hear of this rule: while each of these lists, one for each route that
   * leads there, has a window open. A channel that is never muted is absent.
   */
  readonly mutes: ReadonlyMap<string, readonly (readonly MuteWindow[])[]>;
  /** Plain text, cleaned. */
  readonly title: string | null;
  readonly note: string | null;
  readonly sendResolved: boolean;
  readonly missingAfterMs: number;
  /** What an alert without data does: keep its state and say so, or fire. */
  readonly onMissing: "keep" | "fire";
  /** The gaps of reminders while it fires, the last one going on; empty: none. */
  readonly remind: readonly number[];
  /** How much further its value must go to be told again while it fires; null: never. */
  readonly worse: WorseBy | null;
  /** At most one `fired` or `changed` for each alert in this time; 0: no limit. */
  readonly cooldownMs: number;
  /** One `fired` and its end, or one `changed`, and it has completed until it is edited. */
  readonly once: boolean;
  /** The rules that decide whether this one counts and whether it speaks; null: none. */
  readonly gates: RuleGates | null;
  readonly flapping: FlappingLimits;
  /** Bucketed kinds: a newest bucket that ended longer ago is no data. */
  readonly maxAgeMs: number;
  /** Bucketed kinds: a bucket younger than this is skipped. */
  readonly minAgeMs: number;
  /** Bucketed kinds: whether the running bucket counts. */
  readonly bucket: "newest" | "complete";
  /** The metrics that the conditions name, each once, in the order of the text. */
  readonly metrics: readonly string[];
  /** The rule as canonical text; another text is another version of the rule. */
  readonly source: string;
}

/** The chains of what a rule watches; none where it watches only what the daemon itself knows. */
export function chainsOf({
  subjects,
  owners = [],
}: Pick<Rule, "subjects" | "owners">): ReadonlySet<number> {
  const ids = [...subjects, ...owners].map(({ chainId }) => chainId);
  return new Set(ids.filter((id) => id !== 0));
}

/** An owner whose positions a rule watches, whichever these are. */
export interface Owner {
  readonly chainId: number;
  /** In lower case. */
  readonly address: string;
  /** What the rule calls it; null: nothing. */
  readonly name: string | null;
  /** Of kinds that have several; null: it has none. */
  readonly protocol: string | null;
  /** What the watch says to make of its subjects. */
  readonly options: Readonly<Record<string, string>>;
}

/** What an owner holds, as it was told last: what its positions are called, by their NFTs' ids. */
export type Held = ReadonlyMap<string, string>;

/** What owners hold, by the keys of `ownerKey`; an owner that was never told of is not in it. */
export type Holdings = ReadonlyMap<string, Held>;

/** Where `worse` is measured: on one comparison of the rule's condition. */
export interface WorseBy {
  readonly comparison: Comparison;
  readonly by: Distance;
}

/** Other rules by their names; on the same subject if they watch it, else on the same chain. */
interface RuleGates {
  /** The alert can fire only while each of these has a firing alert there. */
  readonly onlyWhile: readonly string[];
  /** Its notices wait while any of these has one. */
  readonly unless: readonly string[];
  /** Not on the same chain alone but anywhere. */
  readonly anyChain: boolean;
}

/** More firings than `moreThan` within this time are flapping. */
export interface FlappingLimits {
  readonly moreThan: number;
  readonly withinMs: number;
}
