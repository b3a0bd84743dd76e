import { asMap } from "../../base/json.ts";
import { cleanText } from "../../base/text.ts";

/** Who has sent something. */
export interface Sender {
  readonly id: number;
  /** What the audit calls them: clean, with their number, which alone is sure. */
  readonly name: string;
}

interface Common {
  readonly update: number;
  readonly chat: string;
  readonly thread: number | null;
  /** The message's own number, for answers. */
  readonly message: number;
  readonly sender: Sender;
}

/** A text that somebody wrote. */
export interface Written extends Common {
  readonly kind: "text";
  readonly text: string;
  /** Epoch seconds, by Telegram's clock. */
  readonly date: number;
}

/** A button that somebody pressed. */
export interface Pressed extends Common {
  readonly kind: "press";
  /** Of the press itself. */
  readonly id: string;
  readonly data: string;
}

export type Incoming = Written | Pressed;

const LONGEST_TEXT = 500;
const LONGEST_NAME = 60;

/** The number of an update; null: it is none. */
export function numberOf(update: unknown): number | null {
  return wholeOf(asMap(update)?.update_id);
}

/**
 * What an update says, as far as it is a message or a press of a button by a person; null for anything else:
 * what bots, anonymous administrators and channels write, what was forwarded, what has no text.
 */
export function incomingOf(update: unknown): Incoming | null {
  const { update_id, message, callback_query } = asMap(update) ?? {};
  const number = wholeOf(update_id);
  if (number === null) return null;
  const press = asMap(callback_query);
  if (press !== null) {
    const common = commonOf(number, asMap(press.message), press.from);
    const { id, data } = press;
    if (common === null || typeof id !== "string" || typeof data !== "string") return null;
    return { ...common, kind: "press", id, data: data.slice(0, LONGEST_TEXT) };
  }
  const written = asMap(message);
  if (written === null) return null;
  const { text, date, forward_origin, forward_date, sender_chat, via_bot } = written;
  const isOwn = [forward_origin, forward_date, sender_chat, via_bot].every(
    (one) => one === undefined,
  );
  const common = commonOf(number, written, written.from);
  if (common === null || !isOwn || typeof text !== "string" || typeof date !== "number")
    return null;
  return { ...common, kind: "text", text: text.slice(0, LONGEST_TEXT), date };
}

function commonOf(update: number, message: ReturnType<typeof asMap>, from: unknown): Common | null {
  const chat = wholeOf(asMap(message?.chat)?.id);
  const id = wholeOf(message?.message_id);
  const sender = senderOf(from);
  if (chat === null || id === null || sender === null) return null;
  const isTopic = message?.is_topic_message === true;
  const thread = isTopic ? wholeOf(message?.message_thread_id) : null;
  return { update, chat: String(chat), thread, message: id, sender };
}

function senderOf(from: unknown): Sender | null {
  const { id, is_bot, username, first_name } = asMap(from) ?? {};
  const number = wholeOf(id);
  if (number === null || is_bot === true) return null;
  const given = typeof username === "string" ? username : first_name;
  const name = typeof given === "string" ? cleanText(given, LONGEST_NAME) : "";
  return { id: number, name: `${name === "" ? "user" : name} (Telegram ${number})` };
}

function wholeOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

/** What is to be done. */
export type Command =
  | { readonly kind: "help" | "status" | "firing" | "range" }
  | { readonly kind: "why"; readonly rule: string }
  | { readonly kind: "ack"; readonly rule: string; readonly subject: string | null }
  | {
      readonly kind: "silence";
      readonly rule: string;
      readonly subject: string | null;
      readonly span: string;
    }
  | { readonly kind: "wrong"; readonly usage: string };

/**
 * The command that a text is; null: it is none, or one for another bot. `bot`: our own name, empty while it is
 * not known.
 */
export function commandOf(text: string, bot: string): Command | null {
  const found = /^\/([a-z_]{1,32})(?:@(\w{1,64}))?(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (found === null) return null;
  const [, word = "", named, rest = ""] = found;
  if (named !== undefined && named.toLowerCase() !== bot.toLowerCase()) return null;
  const words = rest.split(/\s+/).filter((one) => one !== "");
  const [rule] = words;
  switch (word.toLowerCase()) {
    case "start":
    case "help":
      return { kind: "help" };
    case "status":
      return { kind: "status" };
    case "firing":
      return { kind: "firing" };
    case "range":
      return { kind: "range" };
    case "why":
      return rule === undefined ? { kind: "wrong", usage: "/why RULE" } : { kind: "why", rule };
    case "ack":
      if (rule === undefined) return { kind: "wrong", usage: "/ack RULE [SUBJECT]" };
      return { kind: "ack", rule, subject: words.slice(1).join(" ") || null };
    case "silence": {
      const span = words.at(-1);
      if (rule === undefined || span === undefined || words.length < 2) {
        return { kind: "wrong", usage: "/silence RULE [SUBJECT] 8h" };
      }
      return { kind: "silence", rule, subject: words.slice(1, -1).join(" ") || null, span };
    }
    default:
      // In a group with several bots it may be meant for another one.
      return named === undefined ? null : { kind: "help" };
  }
}
