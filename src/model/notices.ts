import type { Amount } from "../base/amount.ts";
import type { Quantity } from "../base/quantity.ts";
import type { Comparison, Severity } from "./conditions.ts";

/** What people are told. */

/** The kinds that are built; the store and the JSON use these words. */
export const NOTICE_KINDS = [
  "started",
  "fired",
  "worse",
  "reminder",
  "resolved",
  "changed",
  "no_data",
  "data_back",
  "flapping",
  "steady",
  "baseline",
  "rule_removed",
  "source_down",
  "source_up",
  "self",
  "report",
] as const;

/**
 * How an alert ended without being well again. `gate`: a gate has closed. `again`: the condition holds
 * again. `closed`: the position was emptied. `left`: its owner gave it away. `edited`: the rule was. `steady`: the window has moved on from
 * a change that was not undone. `partly`: another part of the condition ended it. `other_rule`: another
 * rule still fires on the value.
 */
export type NoticeEnding =
  | "gate"
  | "again"
  | "closed"
  | "left"
  | "edited"
  | "steady"
  | "partly"
  | "other_rule";

export type NoticeKind = (typeof NOTICE_KINDS)[number] | "test";

/**
 * The price range of a position, in the rule's price direction; the ticks are always the pool's own, so
 * that with `inverted` a higher tick is a lower price.
 */
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
  /** Prices are token0 per token1. */
  readonly inverted: boolean;
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

/** A rule as far as silences and mutes look at it. */
export interface AboutRule {
  readonly rule: string;
  readonly labels: Readonly<Record<string, string>>;
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
  /** The subject's name for people, which tells it from others of its rule; absent where none is meant. */
  readonly label?: string;
  /** `started` of builds before this: what it alone told of, to be read from an outbox; never written. */
  readonly firing?: readonly { readonly subject: string; readonly label: string }[];
  readonly blind?: readonly { readonly subject: string; readonly label: string }[];
  /** `fired`: it was so already when its watch began. */
  readonly began?: true;
  /** `started`: the rules that are new or edited, whose silences and mutes are also its own; absent: others. */
  readonly about?: readonly AboutRule[];
  /** Addresses that stand in the rule's own title and note, and may be links there; absent: none. */
  readonly links?: readonly string[];
  /** What became of one alert of several, for a message of many: `went out of range`, of 12. */
  readonly group?: { readonly became: string; readonly of: number };
  /** `resolved`: why it is over though it is not well again; absent: it is. */
  readonly ending?: NoticeEnding;
  /** `flapping`, `steady`: the gaps in its data are meant, not its firings. */
  readonly gaps?: true;
  /** `changed` of entries of a stream: what it tells of; absent: of a change. */
  readonly entries?: EntriesTold;
  /** `report`: what is drawn beside each of its fields, in their order; null: nothing is. */
  readonly pictures?: readonly (LinePicture | null)[];
  /** Bucketed kinds: the start and length of the bucket whose hours its texts name. */
  readonly bucket?: { readonly start: number; readonly ms: number };
}

/** What a picture of one alert's last day needs. */
export interface LinePicture {
  /** At even distances, oldest first, exact text; null where it was not known. None: the range is drawn. */
  readonly values: readonly (string | null)[];
  /** The limits, exact text; none for changes. */
  readonly limits: readonly string[];
  readonly range: RangeFacts | null;
  /** Null: it does not fire. */
  readonly firing: Severity | null;
  /** What the picture shows, for who cannot see it. */
  readonly alt: string;
}

/** How many entries of a stream a notice tells of, what they are called, and what they come to. */
export interface EntriesTold {
  readonly count: number;
  /** The date of the first of them. */
  readonly since: number;
  /** `swaps`. */
  readonly noun: string;
  /** Absent where that is not known. */
  readonly amount?: Amount;
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
