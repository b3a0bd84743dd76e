import { createHash } from "node:crypto";
import { cleanText } from "../base/text.ts";
import { formatMoment } from "../base/times.ts";
import { type Notice, RECORD_NAMES } from "../model/index.ts";
import { fitLine } from "./headline/line.ts";
import { bareNotice, fieldsOf } from "./notice-fields.ts";
import { type SelfEvent, type SelfWords, wordsOfCheck } from "./self-checks.ts";
import { BLIND_ICON, GOOD_ICON } from "./wording.ts";

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
        before: `${good ? GOOD_ICON : BLIND_ICON} ${before}`,
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
    case "rules_late":
    case "rules_back":
      return "rules";
    case "disk_full":
    case "disk_back":
      return "disk";
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
          ["What happens", "nothing is lost; it is tried again every ten minutes and at a restart"],
          ["What to do", `put the settings of channels.${event.channel} right`],
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
          ["What happens", "nothing is lost; it is tried again every ten minutes and at a restart"],
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
      return {
        good: false,
        before: "The database cannot be written: a restart would forget",
        name: "",
        after: "",
        facts: [
          ["Reason", event.reason],
          [
            "What happens",
            "watching and telling go on from memory; it is written when that is possible",
          ],
          [
            "What to do",
            "look at the disk's free space and at the file, and do not restart before",
          ],
        ],
      };
    case "store_back":
      return {
        good: true,
        before: "The database can be written again",
        name: "",
        after: "",
        facts: [
          ["What happens", "all that came meanwhile is in it"],
          ...(event.lostSamples
            ? [
                [
                  "What is lost",
                  "samples, of which there were too many: windows have a hole",
                ] as const,
              ]
            : []),
        ],
      };
    case "slept":
    case "rules_late":
    case "rules_back":
    case "disk_full":
    case "disk_back":
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
          ["What happens", "what was dated later is dated now, and watching goes on at once"],
        ],
      };
    case "family_changed":
      return {
        good: false,
        before: `The ${event.family} family answers for ${RECORD_NAMES[event.record]} now: the other one stopped`,
        name: "",
        after: "",
        facts: [
          ["Subjects", String(event.subjects)],
          [
            "What happens",
            "changes are measured anew from here, and alerts keep their state; a level may differ, since the two families do not always agree",
          ],
        ],
      };
  }
}
