import { compare, type Decimal, parseDecimal, pow10 } from "../base/decimal.ts";
import { cleanText, cutText } from "../base/text.ts";
import type { Notice, RangeFacts, Setup } from "../model/index.ts";

const LONGEST_LINE = 1_000;

/** One line of plain text, clean, with the spaces at its beginning and between its columns kept. */
export function safeLine(line: string): string {
  const clean = line
    .split(/( {2,})/)
    .map((part) => (/^ *$/.test(part) ? part : cleanText(part, LONGEST_LINE)))
    .join("");
  return cutText(clean, LONGEST_LINE);
}

/** A web address in its normal form; null for anything else, such as `javascript:…`. */
export function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/**
 * Cuts between characters so that at most `limit` UTF-16 units are left, the last one being `…`:
 * a receiver that counts characters otherwise counts fewer.
 */
export function cutUnits(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let result = "";
  for (const character of text) {
    if (result.length + character.length > limit - 1) break;
    result += character;
  }
  return `${result.trimEnd()}…`;
}

const LAST_MS = 8_640_000_000_000_000;

/** RFC 3339 in UTC with milliseconds; `ms` since the Unix epoch. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, -LAST_MS), LAST_MS)).toISOString();
}

/** The meaning of a notice's colour: its severity, resolved, or neither. */
export type Tone = Notice["severity"] | "good" | "neutral";

/** The colours of a notice, for receivers that have any. */
export const TONES: Readonly<Record<Tone, string>> = {
  critical: "#d93025",
  warning: "#e8830c",
  info: "#3b7ddd",
  good: "#1e8e3e",
  neutral: "#767b84",
};

/** Good is what is well again: that something is over for another reason is not. */
export function toneOf({ kind, severity, ending }: Notice): Tone {
  switch (kind) {
    case "resolved":
      return ending === undefined ? "good" : "neutral";
    case "source_up":
      return "good";
    case "no_data":
    case "data_back":
    case "source_down":
    case "rule_removed":
    case "baseline":
    case "report":
      return "neutral";
    default:
      return severity;
  }
}

/** Pictures made of characters, for places with letters of equal width. */

const RANGE_WIDTH = 21;

/**
 * The range with the price in it, `2,050 ├─────●────┤ 2,250` above the price; a price outside of the
 * range is drawn outside: `2,050 ├──────────┤ 2,250  ● 2,310`. The dot's place is computed from ticks.
 */
export function rangePicture(range: RangeFacts): string {
  const { lower, upper, price, unit, lowerTick, upperTick, tick } = range;
  const now = unit === "" ? price : `${price} ${unit}`;
  const empty = "─".repeat(RANGE_WIDTH);
  if (tick < lowerTick || tick >= upperTick) {
    const isLow = tick < lowerTick !== range.inverted;
    return isLow
      ? `● ${price}  ${lower} ├${empty}┤ ${upper}\n${unit}`.trimEnd()
      : `${lower} ├${empty}┤ ${upper}  ● ${price}\n${unit}`.trimEnd();
  }
  const place = Math.floor(((tick - lowerTick) * RANGE_WIDTH) / (upperTick - lowerTick));
  const at = range.inverted ? RANGE_WIDTH - 1 - place : place;
  const bar = `${empty.slice(0, at)}●${empty.slice(at + 1)}`;
  const dot = [...lower].length + 2 + at;
  const left = Math.max(0, dot - Math.floor([...price].length / 2));
  return `${lower} ├${bar}┤ ${upper}\n${" ".repeat(left)}${now}`;
}

const BARS = [..."▁▂▃▄▅▆▇█"];
const LONGEST_SPARKLINE = 48;

/**
 * `▁▂▅█▃`: the last 48 of the exact values, oldest first, between their lowest and highest; values
 * that are no numbers are left out. Empty for fewer than two.
 */
export function sparkline(values: readonly string[]): string {
  const numbers = values
    .slice(-LONGEST_SPARKLINE)
    .map(parseDecimal)
    .filter((value) => value !== null);
  const [first] = numbers;
  if (first === undefined || numbers.length < 2) return "";
  let low = first;
  let high = first;
  for (const value of numbers) {
    if (compare(value, low) < 0) low = value;
    if (compare(value, high) > 0) high = value;
  }
  if (compare(low, high) === 0) return (BARS[3] ?? "").repeat(numbers.length);
  const scale = Math.max(...numbers.map((value) => value.scale));
  const whole = (value: Decimal): bigint => value.digits * pow10(scale - value.scale);
  const bottom = whole(low);
  const span = whole(high) - bottom;
  const top = BigInt(BARS.length - 1);
  return numbers
    .map((value) => BARS[Number(((whole(value) - bottom) * top * 2n + span) / (span * 2n))])
    .join("");
}

/**
 * Programs that show text make links of what looks like an address, and names come from contracts that
 * anyone can deploy. So the signs that make an address become look-alikes, but in addresses of our own.
 */

/** Dots that programs, or the names of hosts, take for one. */
const DOTS = "[.\\u3002\\uff0e\\uff61]";
const BETWEEN_WORDS = new RegExp(`(?<=[\\p{L}\\p{M}\\p{N}_-])${DOTS}(?=[\\p{L}\\p{M}_-])`, "gu");
const BEFORE_NUMBERS = new RegExp(`(?<=\\p{L})${DOTS}(?=\\p{N})`, "gu");
/** An ordinary decimal point in a number is left alone. */
const OF_ADDRESSES = new RegExp(`(?<!\\p{N})\\p{N}+(?:${DOTS}\\p{N}+){2,}(?!\\p{N})`, "gu");
const ANY_DOT = new RegExp(DOTS, "gu");
/** Schemes that need no `//`; a colon before a space, or within a time, begins none. */
const SCHEMES = /\b(mailto|tel|sms|skype|slack|tg|sip|xmpp|magnet|data|javascript):(?=\S)/giu;

/** Text that no program turns into a link. */
export function unlinked(text: string): string {
  return text
    .replace(/[:：](?=[/／\\]{2})/gu, "꞉")
    .replace(SCHEMES, "$1꞉")
    .replace(BETWEEN_WORDS, "․")
    .replace(BEFORE_NUMBERS, "․")
    .replace(OF_ADDRESSES, (dotted) => dotted.replace(ANY_DOT, "․"));
}

/** The addresses that may be links in the texts of a notice: the explorer's, and those of the rule itself. */
export function ownLinks({ link, links = [] }: Pick<Notice, "link" | "links">): readonly string[] {
  return [link, ...links].filter((one) => one !== null);
}

/** The notice with texts that no program turns into links, except for its own links. */
export function withoutLinks(notice: Notice): Notice {
  const own = ownLinks(notice);
  const quiet = (text: string): string => exceptOwnLinks(text, own, unlinked);
  const { headline, title, note, fields, range } = notice;
  return {
    ...notice,
    headline: quiet(headline),
    title: title === null ? null : quiet(title),
    note: note === null ? null : quiet(note),
    fields: fields.map(({ name, value }) => ({ name: quiet(name), value: quiet(value) })),
    range:
      range === null
        ? null
        : {
            ...range,
            lower: quiet(range.lower),
            upper: quiet(range.upper),
            price: quiet(range.price),
            unit: quiet(range.unit),
          },
  };
}

/** The part of our text before our own address at its end, as in the lines of a digest. */
export function splitOwnLink(
  text: string,
  own: readonly string[],
): { readonly text: string; readonly link: string } | null {
  const at = text.lastIndexOf(AT_END);
  const link = text.slice(at + AT_END.length);
  return at >= 0 && own.includes(link) ? { text: text.slice(0, at), link } : null;
}

const AT_END = " · ";

/** Where the address is only a host, the text after it must not turn it into another host. */
function hasWholeHost(link: string, after: string): boolean {
  return /^\w+:\/\/[^/?#]*[/?#]/.test(link) || /^(?:[/?#\s,;)]|[.!]?(?:\s|$))/.test(after);
}

/**
 * The text with all of it changed but the addresses that are ours. Each of these stands at the beginning
 * of a word: one that is a part of another word is not ours.
 */
export function exceptOwnLinks(
  text: string,
  own: readonly string[],
  change: (text: string) => string,
): string {
  const [link, ...others] = own;
  if (link === undefined) return change(text);
  const between = (part: string): string => exceptOwnLinks(part, others, change);
  if (webAddress(link) === null) return between(text);
  let result = "";
  let rest = text;
  for (let at = rest.indexOf(link); at >= 0; at = rest.indexOf(link)) {
    const before = result.at(-1) ?? "";
    const begins = /^$|[\s(]/u.test(at > 0 ? (rest[at - 1] ?? "") : before);
    const isOurs = begins && hasWholeHost(link, rest.slice(at + link.length));
    result += between(rest.slice(0, at)) + (isOurs ? link : change(link));
    rest = rest.slice(at + link.length);
  }
  return result + between(rest);
}

/** The daemon's page, as messages lead to it. */
export interface DaemonPage {
  /** The address at which people reach it, without a slash at its end. */
  readonly url: string;
  /** Whether alerts can be acknowledged and silenced there. */
  readonly acts: boolean;
}

/** The page of a configuration, for messages to lead there; null: it serves none, or does not say where it is reached. */
export function pageOf({ web }: Pick<Setup, "web">): DaemonPage | null {
  return web === null || web.url === null || !web.page ? null : { url: web.url, acts: web.actions };
}

export interface PageLink {
  /** The reader's possible actions there. */
  readonly text: string;
  readonly href: string;
}

/** A longer address would take the place of what a message says; names have far less. */
const LONGEST = 600;

/**
 * Where a notice is shown on the daemon's page: its alert; of a message of several its rule, or the overview.
 * Null: there is no page, or the address would be too long.
 */
export function pageLink(notice: Notice, page: DaemonPage | null): PageLink | null {
  if (page === null) return null;
  const href = page.url + placeOf(notice);
  if (href.length > LONGEST) return null;
  return {
    text: page.acts && CAN_ACT.has(notice.kind) ? "Acknowledge or silence" : "Details",
    href,
  };
}

function placeOf({ kind, rule, subject }: Notice): string {
  if (kind === "source_down" || kind === "source_up") return "/source";
  if (kind === "self" && subject?.startsWith("channel:") === true) return "/channels";
  // A subject that is no longer watched has no page.
  if (rule === null || kind === "rule_removed") return "/";
  return subject === null
    ? `/rule?${new URLSearchParams({ name: rule }).toString()}`
    : `/alert?${new URLSearchParams({ rule, subject }).toString()}`;
}

/** An end, a start or a notice about the daemon itself needs no action. */
const CAN_ACT: ReadonlySet<Notice["kind"]> = new Set([
  "fired",
  "worse",
  "reminder",
  "changed",
  "no_data",
  "flapping",
]);
