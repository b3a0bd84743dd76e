import { rangePicture, sparkline } from "../base/picture.ts";
import { cleanText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import type { Room } from "./channel.ts";
import { cutUnits, safeLine, webAddress } from "./lines.ts";
import { splitOwnLink, unlinked, withoutLinks } from "./links.ts";

/**
 * A notice as a Telegram message. What is bold, a picture or a link is said by places in the text
 * (`entities`), not by marks in it, so that no text of anybody's can be read as mark-up.
 * Source: core.telegram.org, "Bot API", sendMessage and MessageEntity: 4,096 characters, places in
 * UTF-16 units. They are counted in UTF-16 units here, which are never fewer than characters.
 */
export interface TelegramMessage {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
  readonly link_preview_options: { readonly is_disabled: true };
}

export interface TelegramEntity {
  readonly type: "bold" | "pre" | "text_link";
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

const TEXT_LIMIT = 4_096;
const HEADLINE_LIMIT = 200;
const TITLE_LIMIT = 300;
const NOTE_LIMIT = 1_000;
const PICTURE_LIMIT = 400;
/** A line of a message of many notices, with its rule and its title. */
const FIELD_LIMIT = 700;
const SOURCE_LIMIT = 150;
/** An address is no part of the text; a longer one is no use to anybody. */
const LINK_LIMIT = 2_000;
/** `… and 12 more` */
const MORE_LIMIT = 30;

/** Beside the headline, the source and the line that counts; a message has some 40 lines then. */
export const TELEGRAM_ROOM: Room = {
  fields: 100,
  characters: TEXT_LIMIT - MORE_LIMIT - HEADLINE_LIMIT - SOURCE_LIMIT - 10,
};

interface Part {
  readonly text: string;
  readonly type?: TelegramEntity["type"];
  readonly url?: string;
}

export function telegramMessage(given: Notice): TelegramMessage {
  const notice = withoutLinks(given);
  const { headline, title, note, rule, id } = notice;
  const source = rule === null ? `notice ${id}` : `Rule ${cleanText(rule, 100)} · notice ${id}`;
  const head: readonly Part[] = [
    { text: orDash(cutUnits(neutral(headline), HEADLINE_LIMIT)), type: "bold" },
    { text: cutUnits(neutral(title ?? ""), TITLE_LIMIT) },
    { text: cutUnits(neutral(note ?? ""), NOTE_LIMIT) },
  ];
  const tail = [
    ...pictures(notice),
    ...link(notice),
    { text: cutUnits(neutral(source), SOURCE_LIMIT) },
  ];
  const room = TEXT_LIMIT - MORE_LIMIT - lengthOf(head) - lengthOf(tail);
  return joined([...head, { text: fieldLines(notice, room) }, ...tail]);
}

/** The notice's fields as lines in so many UTF-16 units; what finds no place is counted. */
function fieldLines({ fields, links }: Notice, room: number): string {
  const lines: string[] = [];
  let left = room;
  for (const { name, value } of fields) {
    const line = `${cutUnits(neutral(name), TITLE_LIMIT)}: ${valueOf(value, links ?? [])}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const more = fields.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}

/** Telegram makes a link of the address of ours that ends a line. */
function valueOf(value: string, own: readonly string[]): string {
  const split = splitOwnLink(value, own);
  const href = split === null ? null : webAddress(split.link);
  if (split === null || href === null || href.length > FIELD_LIMIT / 2) {
    return cutUnits(neutral(value), FIELD_LIMIT);
  }
  return `${cutUnits(neutral(split.text), FIELD_LIMIT / 2)} · ${href}`;
}

/** The range and the recent values, in letters of equal width. */
function pictures({ range, recent }: Notice): readonly Part[] {
  return [range === null ? "" : rangePicture(range), sparkline(recent)]
    .map((picture) => cutUnits(picture.split("\n").map(safeLine).join("\n"), PICTURE_LIMIT))
    .map((text) => ({ text, type: "pre" }));
}

function link(notice: Notice): readonly Part[] {
  const url = notice.link === null ? null : webAddress(notice.link);
  if (url === null || url.length > LINK_LIMIT) return [];
  return [{ text: "Block explorer", type: "text_link", url }];
}

const GAP = "\n\n";

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { text }) => sum + text.length + GAP.length, 0);
}

/** The parts that are not empty, one below the other. */
function joined(parts: readonly Part[]): TelegramMessage {
  let text = "";
  const entities: TelegramEntity[] = [];
  for (const part of parts) {
    if (part.text === "") continue;
    if (text !== "") text += GAP;
    if (part.type !== undefined) {
      const place = { type: part.type, offset: text.length, length: part.text.length };
      entities.push(part.url === undefined ? place : { ...place, url: part.url });
    }
    text += part.text;
  }
  return { text, entities, link_preview_options: { is_disabled: true } };
}

function orDash(text: string): string {
  return text === "" ? "-" : text;
}

/**
 * One clean line without what Telegram makes links of by itself, wherever it stands: names of people
 * (`@name`), commands (`/name`), addresses with and without `https://`. Their signs become
 * look-alikes; a number's point and a rule's name stay as they are.
 */
function neutral(text: string): string {
  return unlinked(cleanText(text, 2_000))
    .replaceAll("@", "＠")
    .replace(/(^|[^\p{L}\p{N}/])\/(?=[\p{L}\p{N}_])/gu, "$1∕");
}
