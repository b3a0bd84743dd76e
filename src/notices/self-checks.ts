import { formatDuration } from "../base/duration.ts";
import { formatMoment } from "../base/times.ts";
import type { Ask, Family } from "../model/index.ts";

/** So many rules are named; the others are counted. */
const MOST_NAMES = 10;

/** How the findings of the daemon's own checks are told. */
export function wordsOfCheck(event: CheckEvent): SelfWords {
  switch (event.about) {
    case "slept":
      return {
        good: false,
        before: `Nothing was watched for ${formatDuration(event.to - event.from)}: the machine slept`,
        name: "",
        after: "",
        facts: [
          ["From", formatMoment(event.from)],
          ["To", formatMoment(event.to)],
          ["Perhaps", "its clock was set forward, or the program was stopped or held up"],
          ["What happens", "one round for all that were missed; what came and went is not known"],
        ],
      };
    case "rules_late":
      return wordsOfLate(event.rules);
    case "rules_back":
      return {
        good: true,
        before: "All rules have their rounds again",
        name: "",
        after: "",
        facts: [["What happens", "what lasted meanwhile is told with the rounds"]],
      };
    case "disk_full":
      return {
        good: false,
        before: `The database's disk is nearly full: ${megabytes(event.free)} free`,
        name: "",
        after: "",
        facts: [
          ["Folder", event.folder],
          ["What happens", "while it is full nothing can be kept, and no alert is told"],
          ["What to do", "free some space there, or shorten retention"],
        ],
      };
    case "disk_back":
      return {
        good: true,
        before: `The database's disk has room again: ${megabytes(event.free)} free`,
        name: "",
        after: "",
        facts: [["Folder", event.folder]],
      };
  }
}

function wordsOfLate(rules: readonly LateRule[]): SelfWords {
  const [first] = rules;
  const many = rules.length > 1;
  const more = rules.length - MOST_NAMES;
  const named = rules.slice(0, MOST_NAMES).map(({ name, lastRound }) => {
    const last = lastRound === null ? "no round yet" : `last ${formatMoment(lastRound)}`;
    return `${name} (${last})`;
  });
  return {
    good: false,
    before: `${many ? `${rules.length} rules` : "A rule"} had no round for three intervals: `,
    name: first?.name ?? "",
    after: many ? ` and ${rules.length - 1} more` : "",
    facts: [
      ...named.map((text): readonly [string, string] => ["Rule", text]),
      ...(more > 0 ? [["More", `${more} more of them`] as const] : []),
      ["What happens", "what they watch is not seen until their rounds run again"],
      ["What to do", "look at the log, at the service and at the load of the machine"],
    ],
  };
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}

/** Something about the daemon itself that a person should know. */
export type SelfEvent =
  | { readonly about: "channel_parked"; readonly channel: string; readonly reason: string }
  /** It has delivered nothing for a quarter of an hour. */
  | { readonly about: "channel_unreachable"; readonly channel: string; readonly reason: string }
  | { readonly about: "channel_back"; readonly channel: string }
  | { readonly about: "store_unwritable"; readonly reason: string }
  /** `lostSamples`: more came meanwhile than memory could hold. */
  | { readonly about: "store_back"; readonly lostSamples: boolean }
  | { readonly about: "clock_set_back"; readonly from: number }
  /** What one family of the service answered is answered by the other one. */
  | {
      readonly about: "family_changed";
      readonly record: Ask["record"];
      readonly family: Family;
      readonly subjects: number;
    }
  | CheckEvent;

/** What the daemon finds when it looks after itself. */
export type CheckEvent =
  /** No check ran from one time to another (epoch milliseconds), and so no round either. */
  | { readonly about: "slept"; readonly from: number; readonly to: number }
  /** Rules that had no round for three of their intervals, one at least. */
  | { readonly about: "rules_late"; readonly rules: readonly LateRule[] }
  /** Every rule has its rounds again. */
  | { readonly about: "rules_back" }
  /** `free`: bytes that are left in the folder of the database. */
  | { readonly about: "disk_full"; readonly folder: string; readonly free: number }
  | { readonly about: "disk_back"; readonly folder: string; readonly free: number };

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
