import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Owner } from "./program.ts";

/** A message that the bot has sent. */
export interface BotMessage {
  readonly chat_id: string;
  readonly text: string;
  readonly reply_markup?: {
    readonly inline_keyboard: readonly (readonly { text: string; callback_data: string }[])[];
  };
  readonly reply_parameters?: { readonly message_id: number };
  readonly message_thread_id?: number;
}

export interface TelegramServer {
  readonly url: string;
  readonly token: string;
  /** What was sent so far, and the words shown for presses of buttons. */
  readonly sent: readonly BotMessage[];
  readonly toasts: readonly { callback_query_id: string; text: string }[];
  /** The offsets that were asked for. */
  readonly offsets: readonly (number | null)[];
  /** Somebody writes a text; resolves to the update's number. */
  write(text: string, from?: Partial<Sender>): number;
  /** Somebody presses a button. */
  press(data: string, from?: Partial<Sender> & { readonly id?: string }): number;
  /** Any update at all. */
  put(update: Readonly<Record<string, unknown>>): number;
  /** Resolves with the first message, past or to come, that fits. */
  first(fits: (message: BotMessage) => boolean): Promise<BotMessage>;
  /** Resolves once so many more polls have begun. */
  polls(count: number): Promise<void>;
  /** Polls and answers to buttons are answered like this from now on; null: as they should be. */
  answer(how: ((method: string, response: ServerResponse) => boolean) | null): void;
  /** Updates are given again although they were confirmed. */
  forgetful: boolean;
}

interface Sender {
  readonly user: number;
  readonly chat: number;
  readonly username: string;
  /** Epoch seconds. */
  readonly date: number;
}

const TOKEN = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11";

/** A Bot API on loopback, as far as commands and messages need it; the end of the test closes it. */
export async function startTelegram(owner: Owner): Promise<TelegramServer> {
  const updates: { readonly update_id: number }[] = [];
  const sent: BotMessage[] = [];
  const toasts: { callback_query_id: string; text: string }[] = [];
  const offsets: (number | null)[] = [];
  const looking = new Set<() => void>();
  const polling = new Set<() => void>();
  let confirmed = 0;
  let next = 500;
  let message = 9_000;
  let how: ((method: string, response: ServerResponse) => boolean) | null = null;

  const told = (): void => {
    for (const look of looking) look();
  };
  const handlers: Record<
    string,
    (body: unknown, query: URLSearchParams, response: ServerResponse) => void
  > = {
    getMe: (_body, _query, response) =>
      good(response, { id: 123_456, is_bot: true, username: "tickwatch_bot" }),
    getUpdates: (_body, query, response) => {
      const given = query.get("offset");
      const offset = given === null ? null : Number(given);
      offsets.push(offset);
      if (offset !== null && !server.forgetful) confirmed = Math.max(confirmed, offset);
      const open = (): { readonly update_id: number }[] =>
        updates.filter(
          ({ update_id }) => update_id >= (server.forgetful ? (offset ?? 0) : confirmed),
        );
      const give = (): void => {
        polling.delete(give);
        clearTimeout(timer);
        good(response, open().slice(0, Number(query.get("limit"))));
      };
      // Real time: as long as a poll takes that finds nothing, much shorter than Telegram's.
      const timer = setTimeout(give, 2_000);
      response.on("close", () => {
        polling.delete(give);
        clearTimeout(timer);
      });
      if (open().length > 0) give();
      else polling.add(give);
      told();
    },
    sendMessage: (body, _query, response) => {
      const one = body as BotMessage;
      if (typeof one.text !== "string" || one.text.length === 0 || one.text.length > 4_096) {
        return bad(response, 400, "Bad Request: message text is empty or too long");
      }
      sent.push(one);
      message += 1;
      good(response, { message_id: message });
      told();
    },
    answerCallbackQuery: (body, _query, response) => {
      toasts.push(body as { callback_query_id: string; text: string });
      good(response, true);
    },
  };
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://telegram");
    const method = url.pathname.split("/").at(-1) ?? "";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (!url.pathname.startsWith(`/bot${TOKEN}/`)) return bad(response, 401, "Unauthorized");
      if (how?.(method, response) === true) return undefined;
      const text = Buffer.concat(chunks).toString("utf8");
      const handler = handlers[method];
      return handler === undefined
        ? bad(response, 404, "Not Found")
        : handler(text === "" ? null : JSON.parse(text), url.searchParams, response);
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  owner.onTestFinished(
    () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  );
  const of = (given: Partial<Sender>) => ({
    from: {
      id: given.user ?? 42,
      is_bot: false,
      first_name: "Anna",
      username: given.username ?? "anna",
    },
    chat: { id: given.chat ?? -100_777, type: "group" },
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        looking.delete(look);
        resolve();
      };
      looking.add(look);
      look();
    });
  const server: TelegramServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    token: TOKEN,
    sent,
    toasts,
    offsets,
    forgetful: false,
    write(text, from = {}) {
      message += 1;
      const date = from.date ?? Math.floor(Date.now() / 1_000);
      return server.put({ message: { message_id: message, date, text, ...of(from) } });
    },
    press(data, from = {}) {
      const { from: who, chat } = of(from);
      return server.put({
        callback_query: {
          id: from.id ?? `press-${next}`,
          from: who,
          data,
          message: { message_id: 9_000, chat },
        },
      });
    },
    put(update) {
      next += 1;
      updates.push({ update_id: next, ...update });
      for (const give of polling) give();
      return next;
    },
    async first(fits) {
      await until(() => sent.some(fits));
      const found = sent.find(fits);
      if (found === undefined) throw new Error("no such message");
      return found;
    },
    polls(count) {
      const goal = offsets.length + count;
      return until(() => offsets.length >= goal);
    },
    answer(next_) {
      how = next_;
    },
  };
  return server;
}

function good(response: ServerResponse, result: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ok: true, result }));
}

function bad(response: ServerResponse, status: number, description: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ ok: false, error_code: status, description }));
}
