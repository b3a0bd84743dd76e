import { z } from "zod";
import { readMap } from "../base/json.ts";
import { cleanText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import type { HttpAnswer, Outcome, Room } from "./channel.ts";
import { httpChannel, outcomeOfStatus, withPatience } from "./http-channel.ts";
import { secretUrl } from "./http-settings.ts";
import {
  cutUnits,
  type DaemonPage,
  exceptOwnLinks,
  isoTime,
  ownLinks,
  pageLink,
  rangePicture,
  safeLine,
  sparkline,
  splitOwnLink,
  TONES,
  toneOf,
  webAddress,
} from "./text.ts";

const settings = z.strictObject({
  url: secretUrl("the webhook's address, such as https://discord.com/api/webhooks/…"),
});

/** A webhook of a channel in Discord. */
export const discordKind = httpChannel({
  kind: "discord",
  settings,
  open: ({ url }, { page = () => null }) => ({
    digests: true,
    room: DISCORD_ROOM,
    // Ours: Discord names no number ("Rate Limits": they are not to be hard-coded) and says with
    // 429 how long to wait. This keeps a burst from getting that far.
    gapMs: 2_000,
    body: (notice) => discordMessage(notice, page()),
    requests(frozen, { message }) {
      if (!Array.isArray(frozen.embeds)) return null;
      // Without it Discord answers before it has looked at the message.
      const waiting = new URL(url.reveal());
      waiting.searchParams.set("wait", "true");
      return [{ url: waiting.href, body: message.body }];
    },
    outcome: outcomeOf,
  }),
});

/**
 * Codes that come with 400 and yet are about the webhook or its channel: 10003 unknown channel, 10015
 * unknown webhook, 50027 a wrong token, 50083 an archived thread, 220001 to 220004 a forum that
 * wants a thread or refuses one. Source: docs.discord.com, "Opcodes and Status Codes", JSON.
 */
const OF_THE_CHANNEL: ReadonlySet<number> = new Set([
  10_003, 10_015, 50_027, 50_083, 220_001, 220_002, 220_003, 220_004,
]);

function outcomeOf(answer: HttpAnswer): Outcome {
  const { status } = answer;
  const said = readMap(answer.body);
  const outcome = outcomeOfStatus(withPatience(answer, said?.retry_after), null);
  if (outcome.status === "sent") {
    // The answer repeats the message, so that its end may be missing.
    const isDiscord = status === 204 || answer.body.trimStart().startsWith("{");
    return isDiscord
      ? outcome
      : { status: "retry", reason: `HTTP ${status} without the message that Discord has made` };
  }
  const code = typeof said?.code === "number" ? said.code : null;
  if (code === null || !Number.isSafeInteger(code) || outcome.status === "retry") return outcome;
  const reason = `${outcome.reason}, Discord's error ${code}`;
  return OF_THE_CHANNEL.has(code) ? { status: "parked", reason } : { ...outcome, reason };
}

/**
 * A notice as a Discord message: the headline as its content, which a phone shows, and the rest as
 * one embed. Source: docs.discord.com, "Webhook Resource", Execute Webhook (content of 2,000
 * characters) and "Message Resource", Embed Limits. Characters are counted as UTF-16 units here,
 * which are never fewer.
 */
export interface DiscordMessage {
  readonly content: string;
  readonly embeds: readonly [DiscordEmbed];
  /** No text can mention anybody. */
  readonly allowed_mentions: { readonly parse: readonly [] };
}

export interface DiscordEmbed {
  /** The line at its top: where the notice is shown on the daemon's page. */
  readonly author?: { readonly name: string; readonly url: string };
  readonly title?: string;
  readonly description?: string;
  readonly color: number;
  readonly timestamp: string;
  readonly fields: readonly DiscordField[];
  readonly footer: { readonly text: string };
}

interface DiscordField {
  readonly name: string;
  readonly value: string;
  readonly inline: boolean;
}

const TOTAL_LIMIT = 6_000;
const TITLE_LIMIT = 256;
const DESCRIPTION_LIMIT = 4_096;
const MOST_FIELDS = 25;
const NAME_LIMIT = 256;
const VALUE_LIMIT = 1_024;
/** Ours, far below Discord's 2,000 and 2,048. */
const CONTENT_LIMIT = 300;
const FOOTER_LIMIT = 200;
const NOTE_LIMIT = 1_000;
const PICTURE_LIMIT = 400;
/** An embed with a longer link in its description would have no room for anything else. */
const LINK_LIMIT = 1_000;
/** Name and value of the last field, which counts those that found no place. */
const MORE_LIMIT = 40;
/** Three fields that are no longer stand beside each other. */
const INLINE_LIMIT = 40;

/** `Acknowledge or silence`; its address counts among no text. */
const PAGE_LIMIT = 22;

/** Beside the footer, the link to the page and the field that counts. */
export const DISCORD_ROOM: Room = {
  fields: MOST_FIELDS,
  characters: TOTAL_LIMIT - MORE_LIMIT - FOOTER_LIMIT - PAGE_LIMIT,
};

export function discordMessage(notice: Notice, page: DaemonPage | null = null): DiscordMessage {
  const { headline, rule, id, at } = notice;
  const title = cutUnits(neutral(notice.title ?? "", ownLinks(notice)), TITLE_LIMIT);
  const description = cutUnits(descriptionOf(notice), DESCRIPTION_LIMIT);
  const source = rule === null ? `notice ${id}` : `Rule ${cleanText(rule, 100)} · notice ${id}`;
  // A footer reads no mark-up.
  const footer = cutUnits(cleanText(source, FOOTER_LIMIT), FOOTER_LIMIT);
  const there = pageLink(notice, page);
  const room =
    TOTAL_LIMIT - MORE_LIMIT - PAGE_LIMIT - title.length - description.length - footer.length;
  return {
    content: orDash(cutUnits(neutral(headline), CONTENT_LIMIT)),
    embeds: [
      {
        ...(there === null ? {} : { author: { name: there.text, url: there.href } }),
        ...(title === "" ? {} : { title }),
        ...(description === "" ? {} : { description }),
        color: Number.parseInt(TONES[toneOf(notice)].slice(1), 16),
        timestamp: isoTime(at),
        fields: fieldsOf(notice, room),
        footer: { text: orDash(footer) },
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

function descriptionOf(notice: Notice): string {
  const { note, range, recent, link } = notice;
  const pictures = [range === null ? "" : rangePicture(range), sparkline(recent)]
    .map((picture) => picture.replaceAll("`", "'").split("\n").map(safeLine).join("\n"))
    .filter((picture) => picture !== "")
    .map((picture) => `\`\`\`\n${cutUnits(picture, PICTURE_LIMIT)}\n\`\`\``);
  const text = cutUnits(neutral(note ?? "", ownLinks(notice)), NOTE_LIMIT);
  return [text, ...pictures, linkText(link)].filter((part) => part !== "").join("\n");
}

/** An address without what would end it, or nothing. */
function linkText(link: string | null): string {
  const href = link === null ? null : webAddress(link);
  if (href === null) return "";
  const quoted = href.replace(/[<>()[\]\\*_~`|]/g, percent);
  return quoted.length > LINK_LIMIT ? "" : `[Block explorer](<${quoted}>)`;
}

function percent(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function fieldsOf({ fields, links }: Notice, room: number): readonly DiscordField[] {
  const shown: DiscordField[] = [];
  const most = fields.length > MOST_FIELDS ? MOST_FIELDS - 1 : MOST_FIELDS;
  let left = room;
  for (const field of fields.slice(0, most)) {
    const name = orDash(cutUnits(neutral(field.name), NAME_LIMIT));
    const value = orDash(valueOf(field.value, links ?? []));
    left -= name.length + value.length;
    if (left < 0) break;
    shown.push({ name, value, inline: value.length <= INLINE_LIMIT });
  }
  const more = fields.length - shown.length;
  if (more === 0) return shown;
  return [...shown, { name: "More", value: `and ${more} more`, inline: false }];
}

/** A line that ends with an address of ours has it as a link. */
function valueOf(value: string, own: readonly string[]): string {
  const split = splitOwnLink(value, own);
  const link = split === null ? "" : linkText(split.link);
  if (split === null || link === "") return cutUnits(neutral(value), VALUE_LIMIT);
  return `${cutUnits(neutral(split.text), VALUE_LIMIT - link.length - 3)} · ${link}`;
}

function orDash(text: string): string {
  return text === "" ? "-" : text;
}

/** Look-alikes of the signs that format text, escape, mention or hide. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "*": "∗",
  "~": "∼",
  "`": "ˋ",
  "|": "∣",
  "\\": "∖",
  "@": "＠",
};

/**
 * One clean line in which Discord reads no mark-up: look-alikes for the signs of bold, struck,
 * hidden and code, for underscores at the edge of a word, for what begins a heading, a quotation or
 * a list, for `<` before a mention, for the brackets of a link, the colons of an emoji and of an
 * address that is not of the rule itself. A phone's notification shows the text as it is, so nothing is escaped with backslashes.
 */
function neutral(text: string, own: readonly string[] = []): string {
  return exceptOwnLinks(cleanText(text, 2_000), own, withoutMarkup);
}

function withoutMarkup(text: string): string {
  return text
    .replace(/[*~`|\\@]/g, (sign) => LOOK_ALIKES[sign] ?? "")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "ˍ")
    .replaceAll("__", "ˍˍ")
    .replaceAll("://", "꞉//")
    .replace(/<(?=\S)/g, "＜")
    .replaceAll("](", "] (")
    .replace(/:([^:\s]*[a-z+][^:\s]*|-1):/gi, "꞉$1꞉")
    .replace(/^#/, "＃")
    .replace(/^>/, "＞")
    .replace(/^[-+](?=[\s#])/, "‐");
}
