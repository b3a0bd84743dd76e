import { createHash } from "node:crypto";
import { formatMoment } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import { type Notice, RECORD_NAMES } from "../model/index.ts";
import { bareNotice, fieldsOf } from "./notice-fields.ts";
import type { CheckEvent, LateRule, SelfEvent, SelfWords } from "./self-event.ts";
import { wordsOfStore } from "./store-words.ts";
import { fitLine, GOOD_ICON, NEUTRAL_ICON } from "./wording.ts";

/** The notice of it, dated `at` (epoch milliseconds). */
export function composeSelf(event: SelfEvent, at: number): Notice {
  const { good, before, name, after, facts } = wordsOf(event, at);
  return bareNotice({
    id: createHash("sha256")
      .update(JSON.stringify([event, at]))
      .digest("hex")
      .slice(0, 16),
    kind: "self",
    severity: good ? "info" : "warning",
    subject: subjectOf(event),
    at,
    headline: fitLine([
      {
        before: `${good ? GOOD_ICON : NEUTRAL_ICON} ${before}`,
        name: cleanText(name),
        after,
        tails: [],
      },
    ]),
    fields: fieldsOf(facts),
  });
}

/** What it is about: the same for a trouble and for its end. */
function subjectOf(event: SelfEvent): string {
  switch (event.about) {
    case "channel_parked":
    case "channel_unreachable":
    case "channel_back":
      return `channel:${event.channel}`;
    case "store_unwritable":
    case "store_back":
      return "store";
    case "clock_set_back":
      return "clock";
    case "family_changed":
      return `family:${event.record}`;
    case "slept":
      return "machine";
    case "taken_over":
      return "cluster";
    case "rules_late":
    case "rules_back":
      return "rules";
    case "disk_full":
    case "disk_back":
      return "disk";
    case "configuration_waits":
    case "configuration_refused":
    case "configuration_loaded":
      return "configuration";
  }
}

function wordsOf(event: SelfEvent, at: number): SelfWords {
  switch (event.about) {
    case "channel_parked":
      return {
        good: false,
        before: "Channel ",
        name: event.channel,
        after: " is rejecting messages; notices are queued",
        facts: [
          ["Reason", event.reason],
          [
            "What happens",
            "nothing is lost; delivery is retried every ten minutes and at a restart",
          ],
          ["What to do", `correct the settings of channels.${event.channel}`],
        ],
      };
    case "channel_unreachable":
      return {
        good: false,
        before: "Channel ",
        name: event.channel,
        after: " has delivered nothing for 15 min; notices are queued",
        facts: [
          ["Reason", event.reason],
          [
            "What happens",
            "nothing is lost; delivery is retried every ten minutes and at a restart",
          ],
          [
            "What to do",
            `check the address and port of channels.${event.channel}, and the network; \`tickwatch outbox list\` shows what waits`,
          ],
        ],
      };
    case "channel_back":
      return {
        good: true,
        before: "Channel ",
        name: event.channel,
        after: " delivers again",
        facts: [["What happens", "the queued notices are being delivered"]],
      };
    case "store_unwritable":
    case "store_back":
      return wordsOfStore(event);
    case "slept":
    case "taken_over":
    case "configuration_waits":
    case "rules_late":
    case "rules_back":
    case "disk_full":
    case "disk_back":
    case "configuration_refused":
    case "configuration_loaded":
      return wordsOfCheck(event);
    case "clock_set_back":
      return {
        good: false,
        before: "The machine's clock was set back",
        name: "",
        after: "",
        facts: [
          ["From", formatMoment(event.from)],
          ["To", formatMoment(at)],
          ["What happens", "records dated later are dated now; watching continues"],
        ],
      };
    case "family_changed":
      return {
        good: false,
        before: `The ${event.family} family answers for ${RECORD_NAMES[event.record]} now: the other one stopped`,
        name: "",
        after: "",
        facts: [
          ["Subjects", subjectsThere(event.subjects, event.isPart)],
          [
            "What happens",
            "changes are measured from here on, and alerts keep their state; values may differ, since the two families do not always agree",
          ],
        ],
      };
  }
}

/** Not each of them need be known there. */
function subjectsThere(count: number, isPart: boolean): string {
  return `${isPart ? "at least " : ""}${count} ${count === 1 ? "is" : "are"} asked there`;
}

/** So many rules are named; the others are counted. */
const MOST_NAMES = 10;

/** How the findings of the daemon's own checks are told. */
function wordsOfCheck(event: CheckEvent): SelfWords {
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
          ["Possible cause", "the clock was set forward, or the process was stopped"],
          [
            "What happens",
            "one round replaces those that were missed; what happened in between is not known",
          ],
        ],
      };
    case "taken_over":
      return {
        good: false,
        before: "Another daemon has taken over: ",
        name: event.from,
        after: " does not answer",
        facts: [
          ["What happens", "this daemon watches from now on, with all alerts as they were"],
          [
            "What to do",
            "look after that machine; until it is back there may be nobody who takes over next",
          ],
        ],
      };
    case "configuration_waits":
      return {
        good: false,
        before: "The newest configuration is not in force: it waits for ",
        name: event.by.join(", "),
        after: "",
        facts: [
          ["What happens", "all daemons go on by the configuration from before"],
          [
            "What to do",
            "`tickwatch status --cluster` says what is wrong there; or load the files from before",
          ],
        ],
      };
    case "rules_late":
      return wordsOfLate(event.rules);
    case "rules_back":
      return {
        good: true,
        before: "All rules are polled on time again",
        name: "",
        after: "",
        facts: [["What happens", "what still fires is sent with the next rounds"]],
      };
    case "disk_full":
      return {
        good: false,
        before: `The database's disk is nearly full: ${megabytes(event.free)} free`,
        name: "",
        after: "",
        facts: [
          ["Folder", event.folder],
          ["What happens", "while it is full nothing can be saved, and no alert is sent"],
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
    case "configuration_refused":
      return {
        good: false,
        before: "The edited configuration was not loaded: it has ",
        name: event.problems === 1 ? "a mistake" : `${event.problems} mistakes`,
        after: "",
        facts: [
          ["First", event.first],
          ["Since", formatMoment(event.since)],
          [
            "What happens",
            "the configuration from before stays in force; after a restart nothing would be watched",
          ],
          ["What to do", "correct the files: `tickwatch check` shows every mistake"],
        ],
      };
    case "configuration_loaded":
      return {
        good: true,
        before: "The configuration is correct again and was loaded",
        name: "",
        after: "",
        facts: [["What happens", "the edited configuration is in force"]],
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
    before: `${many ? `${rules.length} rules` : "A rule"} missed every round for three intervals: `,
    name: first?.name ?? "",
    after: many ? ` and ${rules.length - 1} more` : "",
    facts: [
      ...named.map((text): readonly [string, string] => ["Rule", text]),
      ...(more > 0 ? [["More", `${more} more of them`] as const] : []),
      ["What happens", "their subjects are not watched until rounds run again"],
      ["What to do", "check the log, the service and the load of the machine"],
    ],
  };
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
