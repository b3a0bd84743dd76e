import { cleanText, cutText } from "../../base/text.ts";
import type { Room } from "../../channels/channel.ts";
import type { Notice } from "../../model/index.ts";
import { timeIn } from "../localize.ts";
import { type Placed, splitIcon, type Tier } from "./digest-order.ts";

type Field = Notice["fields"][number];

/** How the lines of a message say what they are about. */
export interface Style {
  /** They are of several rules: each names its own. */
  readonly rules: boolean;
  /** Each has the title of its rule; else all have the same, which is said once. */
  readonly titles: boolean;
  /** In which they tell their times. */
  readonly zone: string;
}

/** A headline, a rule's name and a title have their places in it. */
const LONGEST_LINE = 320;
/** Of a line of names; five times as long, as Slack's escapes may make it, it is still one field of Slack's. */
const LONGEST_NAMES = 380;
/** `and 200 more notices`, and a name of the line. */
const ROOM_FOR_COUNT = 60;
/** What a channel puts around name and value, such as `: ` and a line break. */
const AROUND = 3;
/** What a channel puts around an address: `[Block explorer](<>)`. */
const AROUND_LINK = 25;

/**
 * The lines of a message in so much room: as many notices as possible with time and headline, the others by
 * name, and where even names do not fit, how many are left. Nothing calm comes before what is so now, and
 * none of the calm takes the place of one of these: see `Tier`.
 */
export function digestLines(sorted: readonly Placed[], style: Style, room: Room): readonly Field[] {
  const isWhole = ({ missed }: Drawn): boolean => missed[0] + missed[1] + missed[2] === 0;
  const all = Math.min(sorted.length, room.fields);
  // Links are for whoever reads it all: none of them takes the place of a line.
  const left = { ...room, characters: room.characters - all * AROUND_LINK };
  const linked = drawn(entriesOf(sorted, { ...style, links: true }), all, left);
  if (linked.whole === sorted.length) return linked.lines;
  const entries = entriesOf(sorted, { ...style, links: false });
  const whole = most(all, entries, room, isWhole);
  if (whole !== null) return whole.lines;
  const less = { fields: room.fields - 1, characters: room.characters - ROOM_FOR_COUNT };
  const urgent = sorted.filter(({ tier }) => tier === 0).length;
  const part =
    most(urgent, entries, less, ({ missed }) => missed[0] === 0) ?? drawn(entries, 0, less);
  return [...part.lines, moreLine(part)];
}

/** With as many whole lines as there may be, `limit` at most, for the others to be named as `suits` asks. */
function most(
  limit: number,
  entries: readonly Entry[],
  room: Room,
  suits: (drawn: Drawn) => boolean,
): Drawn | null {
  const widest = drawn(entries, limit, room);
  if (suits(widest)) return widest;
  let best: Drawn | null = null;
  // A whole line takes more room than a name: where so many are too many, more are, too.
  for (let low = 0, high = limit - 1; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    // Whether there is any room for names is seen without whole lines first.
    const full = best === null ? 0 : middle;
    const attempt = drawn(entries, full, room);
    if (suits(attempt)) {
      best = attempt;
      low = full + 1;
    } else if (best === null) return null;
    else high = full - 1;
  }
  return best;
}

interface Name {
  /** The kind of what is named, such as `fired`. */
  readonly word: string;
  readonly rule: string | null;
  readonly label: string | null;
}

interface Entry {
  readonly tier: Tier;
  readonly line: Field;
  /** What stands for the whole line. */
  readonly name: Name;
}

interface Drawn {
  readonly lines: readonly Field[];
  /** So many have a line of their own. */
  readonly whole: number;
  /** So much is not in them, by tier. */
  readonly missed: Record<Tier, number>;
}

/** What of a line depends on its room as well. */
interface LineStyle extends Style {
  readonly links: boolean;
}

function entriesOf(sorted: readonly Placed[], style: LineStyle): readonly Entry[] {
  return sorted.map(({ notice, tier }) => ({
    tier,
    line: { name: timeIn(style.zone, notice.at), value: lineOf(notice, style) },
    name: { ...nameOf(notice, labelOf(notice), style), word: wordOf(notice) },
  }));
}

/** What became of it in a word: what is over without being well again is not called resolved. */
export function wordOf({ kind, ending }: Notice): string {
  return ending === undefined ? kind.replace("_", " ") : "over";
}

/** The address in its line, while there is room: that of what a start found. */
export function linkOfLine({ began, link }: Notice): string | null {
  return began === true ? link : null;
}

function lineOf(notice: Notice, style: LineStyle): string {
  const { headline, rule, title, began } = notice;
  const link = linkOfLine(notice);
  const whose = style.rules && rule !== null ? ` (${cleanText(rule)})` : "";
  const said = style.titles && title !== null ? ` · ${title}` : "";
  const mark = began === true ? BEGAN : "";
  const address = style.links && link !== null ? ` · ${link}` : "";
  const line = cutText(`${headline}${whose}${said}`, LONGEST_LINE - mark.length) + mark;
  return line.length + address.length <= LONGEST_LINE ? line + address : line;
}

/** What a start found is no news of this minute. */
const BEGAN = " · already firing at the start";

function nameOf(
  { rule }: Notice,
  label: string | null,
  style: Style,
): Pick<Name, "rule" | "label"> {
  const clean = label === null ? null : cleanText(label, LONGEST_LABEL);
  if (style.rules) return { rule: rule === null ? null : cleanText(rule), label: clean };
  return { rule: null, label: clean ?? cleanText(rule ?? "") };
}

/** A headline's, where nothing else says what it is about. */
const LONGEST_LABEL = 80;

function labelOf({ label, headline }: Notice): string | null {
  if (label !== undefined) return label;
  const { text } = splitIcon(headline);
  return text.split(". ")[0] ?? text;
}

function drawn(entries: readonly Entry[], full: number, room: Room): Drawn {
  const page = new Page(room);
  const missed: Record<Tier, number> = { 0: 0, 1: 0, 2: 0 };
  let whole = 0;
  for (const tier of TIERS) {
    const told = new Map<string, Name[]>();
    for (const [i, { tier: its, line, name }] of entries.entries()) {
      if (its !== tier) continue;
      if (i < full && page.add(line)) {
        whole += 1;
        continue;
      }
      const others = told.get(name.word);
      if (others === undefined) told.set(name.word, [name]);
      else others.push(name);
    }
    for (const [word, names] of told) {
      const left = addNames(page, full > 0 ? `Also ${word}` : capital(word), names);
      missed[tier] += left.length;
    }
  }
  return { lines: page.lines, whole, missed };
}

const TIERS: readonly Tier[] = [0, 1, 2];

/** Names in as few lines as hold them; returns those that found no place. */
function addNames(page: Page, title: string, names: readonly Name[]): readonly Name[] {
  let value = "";
  let rule: string | null = null;
  for (const [i, name] of names.entries()) {
    const alone = [name.rule, name.label].filter((text) => text !== null).join(": ");
    const next = name.rule === rule ? `, ${name.label ?? alone}` : `; ${alone}`;
    if (value !== "" && value.length + next.length <= LONGEST_NAMES) {
      if (page.holds({ name: title, value: value + next })) {
        value += next;
        rule = name.rule;
        continue;
      }
    }
    if (value !== "") page.add({ name: title, value });
    if (!page.holds({ name: title, value: alone })) return names.slice(i);
    value = alone;
    rule = name.rule;
  }
  page.add({ name: title, value });
  return [];
}

function moreLine({ missed }: Drawn): Field {
  const left = missed[0] + missed[1] + missed[2];
  return { name: "More", value: `and ${left} more ${left === 1 ? "notice" : "notices"}` };
}

/** Lines, as long as there is room for them. */
class Page {
  readonly lines: Field[] = [];
  #characters = 0;

  constructor(private readonly room: Room) {}

  holds(line: Field): boolean {
    const { fields, characters } = this.room;
    return this.lines.length < fields && this.#characters + lengthOf(line) <= characters;
  }

  /** Whether there was room for it. */
  add(line: Field): boolean {
    if (!this.holds(line)) return false;
    this.lines.push(line);
    this.#characters += lengthOf(line);
    return true;
  }
}

function lengthOf({ name, value }: Field): number {
  return name.length + value.length + AROUND;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
