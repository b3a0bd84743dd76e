import type { Ask, Family } from "../model/index.ts";

/** Something about the daemon itself that a person should know. */
export type SelfEvent =
  | { readonly about: "channel_parked"; readonly channel: string; readonly reason: string }
  /** It has delivered nothing for a quarter of an hour. */
  | { readonly about: "channel_unreachable"; readonly channel: string; readonly reason: string }
  | { readonly about: "channel_back"; readonly channel: string }
  /** `suspends`: until it can be written again, this daemon neither decides nor sends. */
  | { readonly about: "store_unwritable"; readonly reason: string; readonly suspends: boolean }
  /** `lostSamples`: more came meanwhile than memory could hold. */
  | { readonly about: "store_back"; readonly lostSamples: boolean }
  | { readonly about: "clock_set_back"; readonly from: number }
  /** What one family of the service answered is answered by the other one. */
  | {
      readonly about: "family_changed";
      readonly record: Ask["record"];
      readonly family: Family;
      readonly subjects: number;
      /** Other daemons watch further ones. */
      readonly isPart: boolean;
    }
  | CheckEvent;

/** What the daemon finds when it looks after itself. */
export type CheckEvent =
  /** No check ran from one time to another (epoch milliseconds), and so no round either. */
  | { readonly about: "slept"; readonly from: number; readonly to: number }
  /** A daemon of the cluster, called `from`, has stopped answering. */
  | { readonly about: "taken_over"; readonly from: string }
  /** A newer configuration is not in force since these daemons of the cluster cannot decide by it. */
  | { readonly about: "configuration_waits"; readonly by: readonly string[] }
  /** Rules that had no round for three of their intervals, one at least. */
  | { readonly about: "rules_late"; readonly rules: readonly LateRule[] }
  /** Every rule has its rounds again. */
  | { readonly about: "rules_back" }
  /** `free`: bytes that are left in the folder of the database. */
  | { readonly about: "disk_full"; readonly folder: string; readonly free: number }
  | { readonly about: "disk_back"; readonly folder: string; readonly free: number }
  /** Edited files were not loaded for so many mistakes; `first`: the first of them, with its place. */
  | {
      readonly about: "configuration_refused";
      readonly problems: number;
      readonly first: string;
      readonly since: number;
    }
  /** They are right again. */
  | { readonly about: "configuration_loaded" };

export interface LateRule {
  readonly name: string;
  /** Its last round, epoch milliseconds; null: it never had one. */
  readonly lastRound: number | null;
}

/** How one is told, and whether it is good news. */
export interface SelfWords {
  readonly good: boolean;
  readonly before: string;
  readonly name: string;
  readonly after: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}
