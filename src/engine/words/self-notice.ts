import { createHash } from "node:crypto";
import { cleanText } from "../../base/text.ts";
import type { Notice } from "../../model.ts";
import { fitLine } from "./fit.ts";
import { fieldsOf } from "./notice-fields.ts";
import { BLIND_ICON, GOOD_ICON } from "./wording.ts";

/** Something about the daemon itself that a person should know. */
export type SelfEvent =
  | { readonly about: "channel_parked"; readonly channel: string; readonly reason: string }
  | { readonly about: "channel_back"; readonly channel: string }
  | { readonly about: "store_unwritable"; readonly reason: string }
  | { readonly about: "store_back" }
  | { readonly about: "clock_set_back"; readonly from: number };

/** The notice of it, dated `at` (epoch milliseconds). */
export function composeSelf(event: SelfEvent, at: number): Notice {
  const { good, before, name, after, facts } = wordsOf(event, at);
  return {
    id: createHash("sha256")
      .update(JSON.stringify([event, at]))
      .digest("hex")
      .slice(0, 16),
    kind: "self",
    severity: good ? "info" : "warning",
    rule: null,
    subject: null,
    at,
    headline: fitLine([
      {
        before: `${good ? GOOD_ICON : BLIND_ICON} ${before}`,
        name: cleanText(name),
        after,
        tails: [],
      },
    ]),
    title: null,
    note: null,
    fields: fieldsOf(facts),
    link: null,
    range: null,
    recent: [],
    values: [],
    labels: {},
  };
}

interface Words {
  readonly good: boolean;
  readonly before: string;
  readonly name: string;
  readonly after: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}

function wordsOf(event: SelfEvent, at: number): Words {
  switch (event.about) {
    case "channel_parked":
      return {
        good: false,
        before: "The channel ",
        name: event.channel,
        after: " refuses: what it is owed waits",
        facts: [
          ["Reason", event.reason],
          ["What happens", "nothing is lost; it is tried again every ten minutes and at a restart"],
          ["What to do", `put the settings of channels.${event.channel} right`],
        ],
      };
    case "channel_back":
      return {
        good: true,
        before: "The channel ",
        name: event.channel,
        after: " works again",
        facts: [["What happens", "what waited for it is on its way"]],
      };
    case "store_unwritable":
      return {
        good: false,
        before: "The database cannot be written: no alert can be told",
        name: "",
        after: "",
        facts: [
          ["Reason", event.reason],
          ["What happens", "each round is decided anew until it can be written again"],
          ["What to do", "look at the disk's free space and at the file's permissions"],
        ],
      };
    case "store_back":
      return {
        good: true,
        before: "The database can be written again",
        name: "",
        after: "",
        facts: [["What happens", "alerts are told again; what lasted is told with the next round"]],
      };
    case "clock_set_back":
      return {
        good: false,
        before: "The machine's clock was set back",
        name: "",
        after: "",
        facts: [
          ["From", new Date(event.from).toISOString()],
          ["To", new Date(at).toISOString()],
          ["What happens", "what was dated later is dated now, and watching goes on at once"],
        ],
      };
  }
}
