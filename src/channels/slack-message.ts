import { asMap, type JsonMap } from "../base/json.ts";
import { cutText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import type { Room } from "./channel.ts";
import {
  type DaemonPage,
  pageLink,
  rangePicture,
  sparkline,
  splitOwnLink,
  unlinked,
  webAddress,
  withoutLinks,
} from "./text.ts";

/**
 * A notice as Slack's blocks. All text goes into plain_text objects, where no mark-up, mention or
 * emoji code is read, and with `&`, `<` and `>` escaped as Slack asks for in every text object.
 * Source: docs.slack.dev, "Formatting message text" and the reference of each block.
 */

/** Slack's limits, in characters after escaping. */
const HEADER_LIMIT = 150;
const SECTION_LIMIT = 3_000;
const FIELD_LIMIT = 2_000;
const FIELDS_A_SECTION = 10;
/** Ours: three sections of fields are more than any notice has. */
const MOST_FIELDS = 30;
const CONTEXT_LIMIT = 300;

/**
 * Beside the limits of single blocks, Slack rejects messages whose blocks have more than about 13,000
 * characters together, the JSON around their texts included (`msg_blocks_too_long`). That is not
 * documented: github.com/slackapi/bolt-js, issue 2509.
 */
export const SLACK_ROOM: Room = { fields: MOST_FIELDS, characters: 8_000 };

interface PlainText {
  readonly type: "plain_text";
  readonly text: string;
  readonly emoji: false;
}

interface Mrkdwn {
  readonly type: "mrkdwn";
  readonly text: string;
  readonly verbatim: true;
}

type Block =
  | { readonly type: "header"; readonly text: PlainText }
  | { readonly type: "section"; readonly text: PlainText | Mrkdwn }
  | { readonly type: "section"; readonly fields: readonly (PlainText | Mrkdwn)[] }
  | { readonly type: "context"; readonly elements: readonly (PlainText | Mrkdwn)[] };

export interface SlackPayload {
  /** The text for notifications and screen readers. */
  readonly text: string;
  readonly mrkdwn: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  readonly blocks: readonly Block[];
}

/** `page`: the daemon's page, on which the notice is shown; null: there is none. */
export function slackPayload(given: Notice, page: DaemonPage | null = null): SlackPayload {
  const notice = withoutLinks(given);
  return {
    text: neutral(orDash(notice.headline), SECTION_LIMIT),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      headline(notice.headline),
      ...sections(notice),
      ...fieldBlocks(notice),
      ...pictures(notice),
      context(notice, page),
    ],
  };
}

function headline(text: string): Block {
  const whole = plain(text, SECTION_LIMIT);
  // A header is short; a headline that escaping made longer is a section.
  return whole.text.length <= HEADER_LIMIT
    ? { type: "header", text: whole }
    : { type: "section", text: whole };
}

function sections({ title, note }: Notice): Block[] {
  return [title ?? "", note ?? ""]
    .filter((text) => text !== "")
    .map((text) => ({ type: "section", text: plain(text, SECTION_LIMIT) }));
}

function fieldBlocks(notice: Notice): Block[] {
  const all = notice.fields
    .slice(0, MOST_FIELDS)
    .map(({ name, value }) => field(name, value, notice.links ?? []));
  const blocks: Block[] = [];
  for (let i = 0; i < all.length; i += FIELDS_A_SECTION) {
    blocks.push({ type: "section", fields: all.slice(i, i + FIELDS_A_SECTION) });
  }
  return blocks;
}

/** A line that ends with an address of ours has it as a link, which plain text need not become. */
function field(name: string, value: string, own: readonly string[]): PlainText | Mrkdwn {
  const split = splitOwnLink(value, own);
  const address = split === null ? null : safeLink(split.link, FIELD_LIMIT / 2);
  if (split === null || address === null) return plain(`${name}\n${value}`, FIELD_LIMIT);
  const link = ` · ${explorer(address)}`;
  const text = neutral(`${name}\n${split.text}`, FIELD_LIMIT - link.length);
  return { type: "mrkdwn", text: text + link, verbatim: true };
}

function explorer(address: string): string {
  return `<${address}|Block explorer>`;
}

/** The range and the recent values, in letters of equal width. */
function pictures({ range, recent }: Notice): Block[] {
  const drawn = [range === null ? "" : rangePicture(range), sparkline(recent)].filter(
    (picture) => picture !== "",
  );
  if (drawn.length === 0) return [];
  const code = escaped(drawn.join("\n\n").replaceAll("`", "'"), SECTION_LIMIT - 8);
  const text = `\`\`\`\n${code}\n\`\`\``;
  return [{ type: "section", text: { type: "mrkdwn", text, verbatim: true } }];
}

function context(notice: Notice, page: DaemonPage | null): Block {
  const { rule, id, link } = notice;
  const about = rule === null ? id : `${unlinked(cutText(rule, 100))} · ${id}`;
  const address = link === null ? null : safeLink(link, FIELD_LIMIT);
  const linked: Mrkdwn[] =
    address === null ? [] : [{ type: "mrkdwn", text: explorer(address), verbatim: true }];
  const own = pageLink(notice, page);
  const there = own === null ? null : safeLink(own.href, FIELD_LIMIT);
  const shown: Mrkdwn[] =
    own === null || there === null
      ? []
      : [{ type: "mrkdwn", text: `<${there}|${own.text}>`, verbatim: true }];
  return { type: "context", elements: [plain(about, CONTEXT_LIMIT), ...shown, ...linked] };
}

function plain(text: string, limit: number): PlainText {
  return { type: "plain_text", text: escaped(orDash(text), limit), emoji: false };
}

/** Slack refuses a text that is empty. */
function orDash(text: string): string {
  return text.trim() === "" ? "-" : text;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Escaped as Slack asks for in every text object, and cut between characters so that what is left has
 * at most `limit` of them.
 */
function escaped(text: string, limit: number): string {
  let result = "";
  for (const character of text.toWellFormed()) {
    const next = ENTITIES[character] ?? character;
    if (result.length + next.length > limit - 1) return `${result}…`;
    result += next;
  }
  return result;
}

/** Text of a text object without its entities, such as `2,310 > 2,250`. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Look-alikes of the characters that format text. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { "*": "∗", "~": "∼", "`": "ˋ" };

/**
 * Text for a place that reads mrkdwn: escaped, with look-alikes for the signs of bold, struck and
 * code, for underscores at the edge of a word (italics), and for the colons of an emoji code.
 */
function neutral(text: string, limit: number): string {
  return escaped(quiet(text), limit);
}

function quiet(text: string): string {
  return text
    .replace(/[*~`]/g, (sign) => LOOK_ALIKES[sign] ?? "")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "ˍ")
    .replace(/:([^:\s]*[a-z+][^:\s]*|-1):/gi, "꞉$1꞉");
}

/**
 * The address as it may stand between `<` and `|`; null for anything but a web address of at most
 * `limit` characters.
 */
function safeLink(link: string, limit: number): string | null {
  const href = webAddress(link);
  if (href === null) return null;
  const quoted = href
    .replace(/[<>|*~`]/g, (sign) => encodeURIComponent(sign))
    .replaceAll("&", "&amp;");
  return quoted.length > limit ? null : quoted;
}

/** The message as plain text, sent when Slack refuses its blocks: the same texts, line by line. */
export interface SlackPlainPayload {
  readonly text: string;
  readonly mrkdwn: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/** Source: docs.slack.dev, "Truncating content": a text is cut beyond 40,000 characters. */
const TEXT_LIMIT = 40_000;
const LINE_LIMIT = 3_000;

/** Null if the frozen payload has no blocks, so that there is nothing else to say. */
export function plainPayload(payload: JsonMap): SlackPlainPayload | null {
  if (!Array.isArray(payload.blocks)) return null;
  const lines = payload.blocks.flatMap(textsOf).flatMap(lineOf);
  let text = "";
  for (const line of lines) {
    const longer = text === "" ? line : `${text}\n${line}`;
    if (longer.length > TEXT_LIMIT) break;
    text = longer;
  }
  if (text === "") return null;
  return { text, mrkdwn: false, unfurl_links: false, unfurl_media: false };
}

function textsOf(block: unknown): readonly unknown[] {
  const { text, fields, elements } = asMap(block) ?? {};
  const lists: readonly unknown[] = [[text], fields, elements];
  return lists.flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
}

/** One line, or none: pictures need letters of equal width, and say what the fields say, too. */
function lineOf(object: unknown): readonly string[] {
  const { type, text } = asMap(object) ?? {};
  if (typeof text !== "string") return [];
  if (type === "plain_text") return [neutral(unescaped(text).replace("\n", ": "), LINE_LIMIT)];
  const [, before = "", address] = /^([^<>]*)<(https?:[^<>|]*)\|[^<>]*>$/.exec(text) ?? [];
  return address === undefined ? [] : [before.replace("\n", ": ") + address];
}
