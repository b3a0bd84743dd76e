import { cleanText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import type { Notice, NoticeKind, Severity } from "../model.ts";
import { HEADLINE, headlineLength, splitIcon } from "./headline.ts";

/** So many notices are listed one by one; the others are counted. */
const MOST_LISTED = 19;
/** As long as the note of one notice may be. */
const LONGEST_NOTE = 1_000;
/** ` and 19 more notes` */
const ROOM_FOR_COUNT = 30;
/** The signs of what needs nobody: information, and what is over. */
const CALM: readonly string[] = ["🔵 ", "🟢 "];

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/**
 * Several notices as one: a first line that counts them, and each with its own time, worst first.
 * Those of one alert keep their order, so that what fired and was over before anybody heard of it is
 * told with both its times. `id` is the message's. Throws RangeError for no notices.
 */
export function digestOf(notices: readonly Notice[], id: string): Notice {
  const sorted = notices
    .map((notice, place) => ({ notice, place }))
    .toSorted((a, b) => order(a.notice, b.notice) || a.place - b.place)
    .map(({ notice }) => notice);
  const [first] = sorted;
  if (first === undefined) throw new RangeError("a digest is of one notice at least");
  const lead = leadOf(sorted) ?? first;
  const rules = new Set(notices.map(({ rule }) => rule));
  const newest = notices.reduce((most, { at }) => Math.max(most, at), first.at);
  const left = sorted.length - MOST_LISTED;
  return {
    id,
    kind: lead.kind,
    severity: lead.severity,
    rule: rules.size === 1 ? first.rule : null,
    subject: null,
    at: newest,
    headline: headlineOf(sorted, lead, rules),
    title: null,
    note: notesOf(sorted, rules.size > 1),
    fields: [
      ...sorted.slice(0, MOST_LISTED).map((notice) => ({
        name: formatTime(notice.at),
        value: rules.size === 1 ? notice.headline : withRule(notice),
      })),
      ...(left > 0 ? [{ name: "More", value: `and ${left} more notices` }] : []),
    ],
    link: null,
    range: null,
    recent: [],
    values: [],
    labels: rules.size === 1 ? first.labels : {},
  };
}

/** Whose sign the whole has: a green or blue one over what has just fired would be read as good news. */
function leadOf(sorted: readonly Notice[]): Notice | undefined {
  // A start that found alerts firing comes before other information, whatever its sign.
  const calm = ({ headline, firing }: Notice): number =>
    firing === undefined ? 2 * CALM.indexOf(splitIcon(headline).icon) : -1;
  const least = Math.min(...sorted.map((notice) => calm(notice)));
  return sorted.find((notice) => calm(notice) === least);
}

function order(a: Notice, b: Notice): number {
  const byRank = RANK[a.severity] - RANK[b.severity];
  if (byRank !== 0) return byRank;
  const [one, other] = [a.rule ?? "", b.rule ?? ""];
  return one < other ? -1 : Number(one > other);
}

function withRule({ headline, rule }: Notice): string {
  return rule === null ? headline : `${headline} (${cleanText(rule)})`;
}

/** `🟠 7 notices of my-range: 5 fired, 2 resolved. First: Out of range: Treasury ETH/USDC`. */
function headlineOf(
  sorted: readonly Notice[],
  lead: Notice,
  rules: ReadonlySet<string | null>,
): string {
  const { icon, text } = splitIcon(lead.headline);
  const counts = countsOf(sorted).join(", ");
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
const NOUNS: ReadonlySet<NoticeKind> = new Set(["reminder", "baseline"]);

function countsOf(notices: readonly Notice[]): string[] {
  const counts = new Map<NoticeKind, number>();
  for (const { kind } of notices) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const told = [...counts].map(([kind, count]) => {
    const plural = count > 1 && NOUNS.has(kind) ? "s" : "";
    return `${count} ${kind.replace("_", " ")}${plural}`;
  });
  const found = notices.reduce((sum, { firing = [] }) => sum + firing.length, 0);
  return found === 0 ? told : [...told, `${found} ${found === 1 ? "alert" : "alerts"} firing`];
}
