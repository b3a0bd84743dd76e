import { createHash } from "node:crypto";
import { cleanText, countOf } from "../base/text.ts";
import type { StartedEvent, StartedState } from "../decide/event.ts";
import type { Notice } from "../model/index.ts";
import { bareNotice, fieldsOf } from "./notice-fields.ts";
import { characters, HEADLINE_LENGTH, SEVERITY_ICONS } from "./wording.ts";

/** A field of names is no longer than this. */
const LONGEST_NAMES = 240;

/** What people are told when the daemon begins to watch rules that are new or edited, all in one. */
export function composeStarted(event: StartedEvent): Notice {
  const { at, fresh, changed, about, counts, withoutData } = event;
  const facts = JSON.stringify(["started", at, event.rules, fresh, changed]);
  return bareNotice({
    id: createHash("sha256").update(facts).digest("hex").slice(0, 16),
    kind: "started",
    severity: "info",
    subject: null,
    at,
    headline: startedHeadline(event),
    fields: fieldsOf([
      ["New", namesIn(fresh, LONGEST_NAMES)],
      ["Changed", namesIn(changed, LONGEST_NAMES)],
      ["Now", STATES.flatMap(([state, word]) => said(counts[state], word)).join(", ") || null],
      ["No data yet", namesIn(withoutData.names, LONGEST_NAMES, withoutData.subjects)],
    ]),
    about,
  });
}

const STATES: readonly (readonly [StartedState, string])[] = [
  ["firing", "firing"],
  ["quiet", "quiet"],
  ["unknown", "not known yet"],
  ["withoutData", "without data yet"],
  ["unasked", "not asked yet"],
];

function said(count: number, word: string): string[] {
  return count === 0 ? [] : [`${count} ${word}`];
}

/**
 * `🔵 Watching 27 subjects with 19 rules; new: my-range, changed: tip-spike`: counts are whole, and names
 * give way to how many they are.
 */
function startedHeadline({ rules, subjects, fresh, changed }: StartedEvent): string {
  const head = `${SEVERITY_ICONS.info} Watching ${countOf(subjects, "subject")} with ${countOf(rules, "rule")}`;
  const lists = [
    { what: "new", names: fresh },
    { what: "changed", names: changed },
  ].filter(({ names }) => names.length > 0);
  const counts = lists.map(({ what, names }) => `${names.length} ${what}`);
  const frame = lists.reduce((sum, { what }) => sum + `; ${what}: `.length, 0);
  const room = HEADLINE_LENGTH - characters(head) - frame;
  let left = room;
  const parts = lists.map(({ what, names }, i) => {
    // The first list leaves an even share of the room to the other one.
    const text = namesIn(names, Math.floor(left / (lists.length - i)));
    left -= characters(text ?? "");
    return text === null ? null : `${what}: ${text}`;
  });
  const line = parts.includes(null) ? counts : parts;
  return `${head}; ${line.join(", ")}`;
}

/** `a, b and 3 more` of `of` in at most `room` characters, whole names only; null: not even one has room. */
function namesIn(names: readonly string[], room: number, of = names.length): string | null {
  let best: string | null = null;
  let listed = "";
  for (const [i, name] of names.entries()) {
    listed = i === 0 ? cleanText(name) : `${listed}, ${cleanText(name)}`;
    const more = of - i - 1;
    const text = more === 0 ? listed : `${listed} and ${more} more`;
    if (characters(text) <= room) best = text;
    else if (characters(listed) > room) break;
  }
  return best;
}
