import type { Value } from "../base/decimal.ts";
import type { Subject } from "./asks.ts";

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
export interface EntryText {
  readonly ids: Subject["ids"];
  /** What the rule compared is an amount in dollars. */
  readonly inUsd: boolean;
  readonly value: (metric: string) => Value | null;
  /** The value for people, with its unit; null while it is not known. */
  readonly text: (metric: string) => string | null;
}

/** `Swap of $1.2M`, then the subject's name, then what follows. All text is clean. */
export interface EntryLine {
  readonly before: string;
  /** Directly after the name. */
  readonly after?: string;
  /** What is left out first where the line is too long, the last one before the others. */
  readonly more?: readonly string[];
  /** The rule's limit is not named. */
  readonly plain?: true;
}
