import { formatDuration } from "../base/duration.ts";
import { formatMoment } from "../base/times.ts";
import type { CheckEvent, LateRule, SelfWords } from "./self-event.ts";

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
