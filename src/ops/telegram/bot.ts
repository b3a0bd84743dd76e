import { asMap, listOf, readMap } from "../../base/json.ts";
import type { HttpAnswer, HttpClient } from "../../channels/channel.ts";
import { outcomeOfError, withPatience } from "../../channels/http-channel.ts";

/** Where messages of a bot go, and its token, which stands in the path of every request. */
export interface BotAddress {
  readonly baseUrl: string;
  readonly token: string;
}

export type Asked<T> =
  | { readonly ok: true; readonly value: T }
  /** `status`: of the answer; null: none came. `description`: Telegram's own word for it. */
  | {
      readonly ok: false;
      readonly status: number | null;
      readonly description: string;
      readonly waitMs: number | null;
    };

export interface Reply {
  readonly chat: string;
  readonly thread: number | null;
  /** The message that is answered; null: none. */
  readonly to: number | null;
  readonly text: string;
}

/** The Bot API as far as commands need it. Source: core.telegram.org/bots/api. No method rejects. */
export interface Bot {
  /** The name that people call it by in a group. */
  name(signal: AbortSignal): Promise<Asked<string>>;
  /** Waits up to half a minute for updates from `offset` on; null: from the earliest that Telegram has. */
  updates(offset: number | null, signal: AbortSignal): Promise<Asked<readonly unknown[]>>;
  send(reply: Reply, signal: AbortSignal): Promise<Asked<null>>;
  /** Answers a press of a button with a few words. `status` 400 is one that is too old. */
  answer(press: string, text: string, signal: AbortSignal): Promise<Asked<null>>;
}

const LONG_POLL_S = 30;
/** A batch of messages, each with what it answers, is smaller than this. */
const LARGEST_ANSWER = 4 * 1_024 * 1_024;
const MOST_UPDATES = 50;
const AGENT = { "user-agent": "tickwatch" };
/** Source: "answerCallbackQuery": 0 to 200 characters. */
const LONGEST_TOAST = 190;

export function createBot({ baseUrl, token }: BotAddress, client: HttpClient): Bot {
  const base = `${baseUrl}/bot${token}`;
  const ask = async (request: Promise<HttpAnswer>): Promise<Asked<unknown>> => {
    try {
      return read(await request);
    } catch (error) {
      const outcome = outcomeOfError(error);
      const description = "reason" in outcome ? outcome.reason : "no answer";
      return { ok: false, status: null, description, waitMs: null };
    }
  };
  const post = (method: string, body: object, signal: AbortSignal): Promise<Asked<unknown>> =>
    ask(
      client.post(
        {
          url: `${base}/${method}`,
          headers: { ...AGENT, "content-type": "application/json" },
          body: JSON.stringify(body),
        },
        signal,
      ),
    );
  const get = (path: string, signal: AbortSignal): Promise<Asked<unknown>> =>
    ask(client.get({ url: `${base}/${path}`, headers: AGENT, limitBytes: LARGEST_ANSWER }, signal));
  return {
    async name(signal) {
      const asked = await get("getMe", signal);
      if (!asked.ok) return asked;
      const { username } = asMap(asked.value) ?? {};
      return { ok: true, value: typeof username === "string" ? username : "" };
    },
    async updates(offset, signal) {
      const query = new URLSearchParams({
        timeout: String(LONG_POLL_S),
        limit: String(MOST_UPDATES),
        allowed_updates: JSON.stringify(["message", "callback_query"]),
        ...(offset === null ? {} : { offset: String(offset) }),
      });
      const asked = await get(`getUpdates?${query.toString()}`, signal);
      return asked.ok ? { ok: true, value: listOf(asked.value) } : asked;
    },
    async send({ chat, thread, to, text }, signal) {
      const body = {
        chat_id: chat,
        text,
        link_preview_options: { is_disabled: true },
        ...(thread === null ? {} : { message_thread_id: thread }),
        // The message may have been deleted meanwhile.
        ...(to === null
          ? {}
          : { reply_parameters: { message_id: to, allow_sending_without_reply: true } }),
      };
      const asked = await post("sendMessage", body, signal);
      return asked.ok ? { ok: true, value: null } : asked;
    },
    async answer(press, text, signal) {
      const words = { callback_query_id: press, text: text.slice(0, LONGEST_TOAST) };
      const asked = await post("answerCallbackQuery", words, signal);
      return asked.ok ? { ok: true, value: null } : asked;
    },
  };
}

function read(given: HttpAnswer): Asked<unknown> {
  const said = readMap(given.body);
  const { retry_after } = asMap(said?.parameters) ?? {};
  const { status, retryAfterMs } = withPatience(given, retry_after);
  // Of a message that was sent the answer repeats the text, and its end may be missing.
  const isTaken = said?.ok === true || /^\s*\{\s*"ok"\s*:\s*true\b/.test(given.body);
  if (status === 200 && isTaken) return { ok: true, value: said?.result };
  const description = typeof said?.description === "string" ? said.description : `HTTP ${status}`;
  return { ok: false, status, description, waitMs: retryAfterMs };
}
