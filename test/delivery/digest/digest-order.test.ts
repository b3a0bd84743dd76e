import { describe, expect, it } from "vitest";
import { inReadingOrder, leadOf } from "../../../src/delivery/digest/digest-order.ts";
import type { Notice } from "../../../src/model/index.ts";
import { noticeOf } from "../../support/notices.ts";

type Given = Partial<Notice> & Pick<Notice, "id" | "kind">;

const fired: Given = { id: "fired", kind: "fired", headline: "🟠 Fired" };
const over: Given = { id: "over", kind: "resolved", headline: "🟢 Resolved" };
const noData: Given = { id: "no data", kind: "no_data", headline: "⚪ No data" };
const self = { kind: "self", rule: null, subject: null } as const;

/** Of one alert unless a notice says otherwise: in reading order, the one that gives its sign first. */
function read(...given: readonly Given[]): string[] {
  const placed = inReadingOrder(given.map((one) => noticeOf(one)));
  return [leadOf(placed)?.id ?? "", ...placed.map(({ notice, tier }) => `${tier} ${notice.id}`)];
}

describe("the sign and the order of a message", () => {
  it.each<[string, Given[], string[]]>([
    [
      "what is blue and so now is no sign for what is orange",
      [
        { ...fired, id: "blue", headline: "🔵 Fired", subject: "a" },
        { ...fired, subject: "b" },
      ],
      ["fired", "0 blue", "0 fired"],
    ],
    [
      "nor is what is white, such as data that is missing",
      [noData, { ...fired, subject: "b", rule: "z" }],
      ["fired", "0 no data", "0 fired"],
    ],
    [
      "what is white and so now has the sign over what is blue",
      [
        { ...fired, id: "blue", headline: "🔵 Fired", rule: "a" },
        { ...noData, rule: "b" },
      ],
      ["no data", "0 blue", "0 no data"],
    ],
    [
      "what ended without being well has the sign over what is well",
      [
        { ...over, subject: "a" },
        { ...over, id: "edited", headline: "⚪ Rule edited", ending: "edited", subject: "b" },
      ],
      ["edited", "1 over", "1 edited"],
    ],
    [
      "and so has what fired until it was watched no more",
      [
        { ...over, subject: "a" },
        { id: "removed", kind: "rule_removed", headline: "⚪ No longer watched", subject: "b" },
      ],
      ["removed", "1 over", "1 removed"],
    ],
    [
      "of what needs nobody the first has it",
      [
        { ...self, id: "start", kind: "started", headline: "🔵 Watching" },
        { id: "anew", kind: "baseline", headline: "⚪ New baseline" },
      ],
      ["start", "2 start", "2 anew"],
    ],
    [
      "what the daemon says is over of itself is over",
      [{ ...self, id: "well", severity: "info", headline: "🟢 Well" }, fired],
      ["fired", "0 fired", "1 well"],
    ],
    [
      "of what is watched no more the data is over as well",
      [noData, { id: "removed", kind: "rule_removed", headline: "⚪ Not watched" }],
      ["removed", "1 no data", "1 removed"],
    ],
    [
      "data that comes and goes is over with it, and the firing is not",
      [
        { ...noData, id: "gaps", kind: "flapping", gaps: true },
        { ...over, kind: "data_back" },
      ],
      ["over", "1 gaps", "1 over"],
    ],
    [
      "an end of the firing says nothing of an event",
      [{ ...fired, id: "event", kind: "changed" }, over],
      ["event", "0 event", "0 over"],
    ],
    [
      "nor of a source that is down",
      [
        { ...self, id: "down", kind: "source_down" },
        { ...self, id: "back", kind: "data_back" },
      ],
      ["down", "0 down", "1 back"],
    ],
    [
      "an alert is where the gravest of its notices is",
      [
        { ...fired, id: "other", rule: "a" },
        { ...fired, rule: "b" },
        { ...fired, id: "graver", rule: "b", kind: "worse", severity: "critical" },
      ],
      ["fired", "0 fired", "0 graver", "0 other"],
    ],
    [
      "what is blue and so now is told by nothing that is over, of its alert or of another one",
      [
        { ...over, kind: "data_back" },
        { ...fired, id: "blue", headline: "🔵 Fired" },
        { ...over, id: "edited", headline: "⚪ Rule edited", ending: "edited", subject: "b" },
      ],
      ["blue", "0 over", "0 blue", "1 edited"],
    ],
    [
      "an event is not over because its rule is watched no more",
      [
        { ...fired, id: "event", kind: "changed" },
        { id: "removed", kind: "rule_removed", headline: "⚪ Not watched" },
      ],
      ["event", "0 event", "0 removed"],
    ],
  ])("%s", (_, given, expected) => {
    expect(read(...given)).toEqual(expected);
  });
});
