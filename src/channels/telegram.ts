import { z } from "zod";
import { httpUrl, plainText, refuse, secretText, wholeNumber } from "../base/settings.ts";
import { formTrouble } from "../base/slips.ts";
import type { Message } from "../model/index.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import {
  asMap,
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
  readMap,
  withPatience,
} from "./http.ts";
import { TELEGRAM_ROOM, telegramMessage } from "./telegram-message.ts";

const TOKEN_EXPECTED = "a bot's token as BotFather gives it, such as 123456:ABC-DEF1234";
const CHAT_EXPECTED = "a chat's id such as -1001234567890, or @name of a public channel";

const settings = z.strictObject({
  /** It stands in the path of every request. */
  token: secretText(TOKEN_EXPECTED).superRefine((token, context) => {
    const text = token.reveal();
    if (!/^\d{1,20}:[\w-]{1,200}$/.test(text)) {
      const why = formTrouble(text, /^[\w:-]$/) ?? "the value is no bot's token";
      refuse(context, why, { expected: TOKEN_EXPECTED });
    }
  }),
  chat_id: plainText(CHAT_EXPECTED).superRefine((chat, context) => {
    if (!/^(?:-?[1-9]\d{0,18}|@[A-Za-z]\w{2,63})$/.test(chat)) {
      refuse(context, "the value is no chat's id", { expected: CHAT_EXPECTED });
    }
  }),
  message_thread_id: wholeNumber(1, 2_147_483_647).optional(),
  base_url: httpUrl().default("https://api.telegram.org"),
});

export type TelegramSettings = z.infer<typeof settings>;

/** A chat, a group or a channel in Telegram, written to by a bot. */
export const telegramKind: ChannelKind<TelegramSettings> = {
  kind: "telegram",
  settings,
  open: (read) => openTelegram(read, httpClient()),
};

/** The channel on a client of its own, which it closes. */
export function openTelegram(read: TelegramSettings, client: HttpClient): Channel {
  return {
    digests: true,
    room: TELEGRAM_ROOM,
    // Source: core.telegram.org, "Bots FAQ", on limits: one message a second in a chat, and 20 a
    // minute in a group. The ids of people are above zero.
    gapMs: /^\d/.test(read.chat_id) ? 1_000 : 3_000,
    render: (notice) => JSON.stringify(telegramMessage(notice)),
    send: (message, signal) => send(message, signal, read, client),
    close: () => client.close(),
  };
}

async function send(
  { body }: Message,
  signal: AbortSignal,
  { token, chat_id, message_thread_id, base_url }: TelegramSettings,
  client: HttpClient,
): Promise<Outcome> {
  const frozen = readMap(body);
  if (typeof frozen?.text !== "string") {
    return { status: "dead", reason: "the stored message is not readable" };
  }
  const to = message_thread_id === undefined ? { chat_id } : { chat_id, message_thread_id };
  try {
    const answer = await client.post(
      {
        url: `${base_url}/bot${token.reveal()}/sendMessage`,
        headers: { "content-type": "application/json", "user-agent": "tickwatch" },
        body: JSON.stringify({ ...frozen, ...to }),
      },
      signal,
    );
    return outcomeOf(answer);
  } catch (error) {
    return outcomeOfError(error);
  }
}

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
  const said = readMap(answer.body);
  const parameters = asMap(said?.parameters);
  const outcome = outcomeOfStatus(withPatience(answer, parameters?.retry_after), null);
  if (outcome.status === "sent") return isTaken(answer) ? outcome : notTelegram(status);
  const description = typeof said?.description === "string" ? said.description.toLowerCase() : "";
  const group = parameters?.migrate_to_chat_id;
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
