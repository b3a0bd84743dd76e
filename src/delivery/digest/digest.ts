import { cleanText } from "../../base/text.ts";
import type { Room } from "../../channels/channel.ts";
import type { Notice } from "../../model/index.ts";
import { localize, UTC } from "../localize.ts";
import { digestLines, linkOfLine, wordOf } from "./digest-lines.ts";
import {
  HEADLINE,
  headlineLength,
  inReadingOrder,
  leadOf,
  type Placed,
  splitIcon,
} from "./digest-order.ts";

/** As long as the note of one notice may be. */
const LONGEST_NOTE = 1_000;
/** ` and 19 more notes` */
const ROOM_FOR_COUNT = 30;
/** Of a receiver without limits: more than all notices of a message need. */
const PLENTY: Room = { fields: 240, characters: 60_000 };

/**
 * Several notices, oldest first, as one: a first line that counts them, and each with its own time, what is
 * so now first, in the channel's `zone`. What finds no place in `room` is named, and else counted. `id` is the
 * message's. Throws RangeError for no notices.
 */
export function digestOf(
  notices: readonly Notice[],
  id: string,
  room: Room = PLENTY,
  zone = UTC,
): Notice {
  const placed = inReadingOrder(notices.map((notice) => localize(notice, zone)));
  const sorted = placed.map(({ notice }) => notice);
  const [first] = sorted;
  const lead = leadOf(placed);
  if (first === undefined || lead === undefined) {
    throw new RangeError("a digest is of one notice at least");
  }
  const rules = new Set(notices.map(({ rule }) => rule));
  const newest = notices.reduce((most, { at }) => Math.max(most, at), first.at);
  const title = sorted.every((one) => one.title === first.title) ? first.title : null;
  const note = notesOf(sorted, rules.size > 1);
  // The notes of the rules have theirs, and lines the explorer's.
  const own = sorted.flatMap((one) => [...(one.links ?? []), linkOfLine(one)]);
  const links = [...new Set(own.filter((link) => link !== null))];
  const characters = room.characters - (title ?? "").length - (note ?? "").length;
  const style = { rules: rules.size > 1, titles: title === null, zone };
  return {
    id,
    kind: lead.kind,
    severity: lead.severity,
    rule: rules.size === 1 ? first.rule : null,
    subject: null,
    at: newest,
    headline: headlineOf(placed, lead, rules),
    title,
    note,
    fields: digestLines(placed, style, { ...room, characters }),
    link: null,
    ...(links.length === 0 ? {} : { links }),
    range: null,
    recent: [],
    values: [],
    labels: rules.size === 1 ? first.labels : {},
    ...(lead.ending === undefined ? {} : { ending: lead.ending }),
  };
}

/** `🟠 7 notices of my-range: 5 fired, 2 resolved. First: Out of range: Treasury ETH/USDC`. */
function headlineOf(
  placed: readonly Placed[],
  lead: Notice,
  rules: ReadonlySet<string | null>,
): string {
  const { icon, text } = splitIcon(lead.headline);
  const sorted = placed.map(({ notice }) => notice);
  const counts = countsOf(placed).join(", ");
  const became = becameOf(sorted);
  const heads = [
    ...(became === null ? [] : [`${icon}${became}`]),
    // What the daemon says of itself is of no rule.
    ...(rules.has(null)
      ? []
      : [`${icon}${sorted.length} notices of ${whoseOf(lead, rules.size)}: ${counts}`]),
    `${icon}${sorted.length} notices: ${counts}`,
    `${icon}${sorted.length} notices`,
  ];
  const head = heads.find((line) => headlineLength(line) <= HEADLINE) ?? heads.at(-1) ?? "";
  // Cut within a sentence it might lose a digit: the whole of it, or nothing.
  const [sentence = ""] = text.split(". ");
  const whole = `${head}. First: ${sentence}`;
  return headlineLength(whole) <= HEADLINE ? whole : head;
}

/** What the rules want done: their notes, each once, whole ones only. */
function notesOf(sorted: readonly Notice[], named: boolean): string | null {
  const notes = new Set<string>();
  for (const { note, rule } of sorted) {
    if (note !== null) notes.add(named && rule !== null ? `${note} (${cleanText(rule)})` : note);
  }
  let text = "";
  let left = notes.size;
  for (const note of notes) {
    const longer = text === "" ? note : `${text} ${note}`;
    if ([...longer].length > LONGEST_NOTE - ROOM_FOR_COUNT) break;
    text = longer;
    left -= 1;
  }
  if (left > 0) text = `${text} and ${left} more ${left === 1 ? "note" : "notes"}`.trim();
  return text === "" ? null : text;
}

function whoseOf({ rule }: Notice, rules: number): string {
  return rules === 1 && rule !== null ? cleanText(rule, 24) : `${rules} rules`;
}

/** `5 of 12 went out of range`: of one rule, where the same became of each of them; else null. */
function becameOf(notices: readonly Notice[]): string | null {
  const [first] = notices;
  const group = first?.group;
  if (first === undefined || group === undefined) return null;
  const same = notices.every(
    ({ rule, kind, group: its }) =>
      rule === first.rule && kind === first.kind && its?.became === group.became,
  );
  const subjects = new Set(notices.map(({ subject }) => subject));
  if (!same || subjects.size < notices.length) return null;
  return `${subjects.size} of ${group.of} ${group.became}`;
}

/** What the others are called does not change with their number. */
const NOUNS: ReadonlySet<string> = new Set(["reminder", "baseline"]);

function countsOf(placed: readonly Placed[]): string[] {
  const counts = new Map<string, number>();
  for (const { notice } of placed) {
    const word = wordOf(notice);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => {
    const plural = count > 1 && NOUNS.has(word) ? "s" : "";
    return `${count} ${word}${plural}`;
  });
}
