import { z } from "zod";
import { asMap, readMap } from "../base/json.ts";
import { httpUrl, plainText, refuse, secretText, wholeNumber } from "../base/settings.ts";
import { formTrouble } from "../base/slips.ts";
import { cleanText, type Secret } from "../base/text.ts";
import type { ChannelConfig, Notice } from "../model/index.ts";
import type { HttpAnswer, Outcome, Room } from "./channel.ts";
import { httpChannel, outcomeOfStatus, withPatience } from "./http-channel.ts";
import { buttonsOf } from "./telegram-buttons.ts";
import {
  cutUnits,
  type DaemonPage,
  exceptOwnLinks,
  ownLinks,
  pageLink,
  rangePicture,
  safeLine,
  sparkline,
  splitOwnLink,
  unlinked,
  webAddress,
  withoutLinks,
} from "./text.ts";

const TOKEN_EXPECTED = "a bot's token as BotFather gives it, such as 123456:ABC-DEF1234";
const CHAT_EXPECTED = "a chat's id such as -1001234567890, or @name of a public channel";

const USERS_EXPECTED = "a list of users' numbers such as [123456789]";

/** Who may give commands in the chat. */
const commands = z.strictObject({
  users: z.array(wholeNumber(1, 999_999_999_999_999)).superRefine((users, context) => {
    if (users.length === 0) refuse(context, "empty", "is empty", USERS_EXPECTED);
  }),
});

const settings = z
  .strictObject({
    /** It stands in the path of every request. */
    token: secretText(TOKEN_EXPECTED).superRefine((token, context) => {
      const text = token.reveal();
      if (!/^\d{1,20}:[\w-]{1,200}$/.test(text)) {
        const why = formTrouble(text, /^[\w:-]$/) ?? "the value is not a bot's token";
        refuse(context, "bad-setting", why, TOKEN_EXPECTED);
      }
    }),
    chat_id: plainText(CHAT_EXPECTED).superRefine((chat, context) => {
      if (!/^(?:-?[1-9]\d{0,18}|@[A-Za-z]\w{2,63})$/.test(chat)) {
        refuse(context, "bad-setting", "the value is not a chat id", CHAT_EXPECTED);
      }
    }),
    message_thread_id: wholeNumber(1, 2_147_483_647).optional(),
    base_url: httpUrl().default("https://api.telegram.org"),
    commands: commands.optional(),
  })
  .superRefine(({ chat_id, commands: given }, context) => {
    if (given === undefined || !chat_id.startsWith("@")) return;
    context.addIssue({
      code: "custom",
      path: ["chat_id"],
      message: "commands are not read in a public channel, where nobody is known by name",
      params: { code: "bad-setting", expected: "the number of a chat or group" },
    });
  });

/** How the commands of a chat are read; absent: nobody may give any. */
export interface TelegramCommands {
  readonly baseUrl: string;
  readonly token: Secret;
  readonly chat: string;
  readonly users: readonly number[];
}

/** The commands of a configured channel; null: it is of another kind, or has none. */
export function telegramCommands({
  kind,
  settings: given,
}: ChannelConfig): TelegramCommands | null {
  if (kind !== "telegram") return null;
  // A value that was read once reads the same again.
  const { base_url, token, chat_id, commands: its } = settings.parse(given);
  return its === undefined ? null : { baseUrl: base_url, token, chat: chat_id, users: its.users };
}

/** A chat, a group or a channel in Telegram, written to by a bot. */
export const telegramKind = httpChannel({
  kind: "telegram",
  settings,
  open: (
    { token, chat_id, message_thread_id, base_url, commands: given },
    { page = () => null },
  ) => ({
    digests: true,
    room: TELEGRAM_ROOM,
    // Source: core.telegram.org, "Bots FAQ", on limits: one message a second in a chat, and 20 a
    // minute in a group. The ids of people are above zero.
    gapMs: /^\d/.test(chat_id) ? 1_000 : 3_000,
    body: (notice) => {
      const buttons = given === undefined ? null : buttonsOf(notice);
      const message = telegramMessage(notice, page());
      return buttons === null ? message : { ...message, reply_markup: buttons };
    },
    requests(frozen) {
      if (typeof frozen.text !== "string") return null;
      const to = message_thread_id === undefined ? { chat_id } : { chat_id, message_thread_id };
      const url = `${base_url}/bot${token.reveal()}/sendMessage`;
      return [{ url, body: JSON.stringify({ ...frozen, ...to }) }];
    },
    outcome: outcomeOf,
  }),
});

/**
 * Words of refusals that come with 400 and yet are about the chat or what the bot may do there, in
 * small letters. Source: the errors of the Bot API's server, github.com/tdlib/telegram-bot-api.
 */
const OF_THE_CHAT: readonly string[] = [
  "chat not found",
  "user not found",
  "peer_id_invalid",
  "chat_id is empty",
  "chat_id_invalid",
  "chat_write_forbidden",
  "chat_restricted",
  "chat_admin_required",
  "chat_send_plain_forbidden",
  "channel_private",
  "not enough rights",
  "have no rights",
  "need administrator rights",
  "message thread not found",
  "topic_closed",
  "topic_deleted",
  "group chat was deactivated",
  "group chat was deleted",
  "bot was blocked",
  "bot was kicked",
  "bot is not a member",
  "user is deactivated",
];

function outcomeOf(answer: HttpAnswer): Outcome {
  const { status } = answer;
  const said = readMap(answer.body) ?? {};
  const parameters = asMap(said.parameters) ?? {};
  const outcome = outcomeOfStatus(withPatience(answer, parameters.retry_after), null);
  if (outcome.status === "sent") return isTaken(answer) ? outcome : notTelegram(status);
  const description = typeof said.description === "string" ? said.description.toLowerCase() : "";
  const group = parameters.migrate_to_chat_id;
  if (outcome.status === "dead" && typeof group === "number" && Number.isSafeInteger(group)) {
    const reason = `HTTP ${status}, the group has become a supergroup: its chat_id is now ${group}`;
    return { status: "parked", reason };
  }
  const word = OF_THE_CHAT.find((one) => description.includes(one));
  if (word === undefined || outcome.status === "retry") return outcome;
  return { status: "parked", reason: `HTTP ${status}, ${word}` };
}

/** The answer repeats the message, so that its end may be missing. */
function isTaken({ body }: HttpAnswer): boolean {
  return readMap(body)?.ok === true || /^\s*\{\s*"ok"\s*:\s*true\b/.test(body);
}

function notTelegram(status: number): Outcome {
  return { status: "retry", reason: `HTTP ${status} without Telegram's word that it was taken` };
}

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
/** The longest address; it is not part of the text. */
const LINK_LIMIT = 2_000;
/** `Acknowledge or silence`, and the gap before it; the address is not part of the text. */
const PAGE_LIMIT = 30;
/** `… and 12 more` */
const MORE_LIMIT = 30;

/** Beside the headline, the link to the page, the source and the line that counts; a message has some 40 lines then. */
export const TELEGRAM_ROOM: Room = {
  fields: 100,
  characters: TEXT_LIMIT - MORE_LIMIT - HEADLINE_LIMIT - PAGE_LIMIT - SOURCE_LIMIT - 10,
};

interface Part {
  readonly text: string;
  readonly type?: TelegramEntity["type"];
  readonly url?: string;
}

export function telegramMessage(given: Notice, page: DaemonPage | null = null): TelegramMessage {
  const notice = withoutLinks(given);
  const { headline, title, note, rule, id } = notice;
  const own = ownLinks(notice);
  const source = rule === null ? `notice ${id}` : `Rule ${cleanText(rule, 100)} · notice ${id}`;
  const head: readonly Part[] = [
    { text: orDash(cutUnits(neutral(headline), HEADLINE_LIMIT)), type: "bold" },
    { text: cutUnits(neutral(title ?? "", own), TITLE_LIMIT) },
    { text: cutUnits(neutral(note ?? "", own), NOTE_LIMIT) },
  ];
  const tail = [
    ...pictures(notice),
    ...linksOf(notice, page),
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

function linksOf(notice: Notice, page: DaemonPage | null): readonly Part[] {
  const there = pageLink(notice, page);
  return [
    linkTo(there?.href ?? null, there?.text ?? ""),
    linkTo(notice.link, "Block explorer"),
  ].flat();
}

function linkTo(address: string | null, text: string): readonly Part[] {
  const url = address === null ? null : webAddress(address);
  return url === null || url.length > LINK_LIMIT ? [] : [{ text, type: "text_link", url }];
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
 * look-alikes; a number's point, a rule's name and addresses of our own stay as they are.
 */
export function neutral(text: string, own: readonly string[] = []): string {
  return exceptOwnLinks(cleanText(text, 2_000), own, (part) =>
    unlinked(part)
      .replaceAll("@", "＠")
      .replace(/(^|[^\p{L}\p{N}/])\/(?=[\p{L}\p{N}_])/gu, "$1∕"),
  );
}
