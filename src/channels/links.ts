import type { Notice, Setup } from "../model/index.ts";
import { webAddress } from "./lines.ts";

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

/** Text of which no program makes a link. */
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

/** The notice with texts of which no program makes a link, but of its own links. */
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

/** Where the address is no more than a host, what comes after it must not make it another's. */
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
