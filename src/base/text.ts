import { createHash } from "node:crypto";
import { inspect } from "node:util";

/**
 * Text that comes from a chain is hostile: a symbol may hold line breaks, terminal escapes,
 * right-to-left overrides, zero-width characters or a novel. It is cleaned once, here, on entry;
 * each output then escapes for itself.
 */

// Controls, format characters (bidi, zero-width, soft hyphen, tags), private use, surrogates
// without a partner, and the fillers that look like nothing. The joiner inside an emoji goes too:
// a family of three is three faces, and two names that look alike are alike.
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffd]/gu;
const SPACE = /[\s\p{Z}]+/gu;
/** Marks that pile up over one letter: three are enough for any script. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** A mark without a letter would sit on whatever is printed before it. */
const LEADING_MARKS = /^[\p{M} ]+/u;

/** Printable ASCII in single spaces, as most text is: there is nothing to clean. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** Names longer than this are cut; the longest that people use are far shorter. */
export const LONGEST_NAME = 64;

/** One line of visible characters, at most `limit` of them, ending in `…` when it was cut. */
export function cleanText(text: string, limit = LONGEST_NAME): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  const visible = text
    .slice(0, limit * 16)
    .toWellFormed()
    .replace(SPACE, " ")
    .replace(INVISIBLE, "")
    .replace(SPACE, " ")
    .replace(PILED_MARKS, "$1")
    .replace(LEADING_MARKS, "")
    .trimEnd();
  return cutText(visible, limit);
}

/** Cuts to `limit` characters as people count them (code points), the last one being `…`. */
export function cutText(text: string, limit: number): string {
  const characters = [...text];
  if (characters.length <= limit) return text;
  return `${characters
    .slice(0, Math.max(0, limit - 1))
    .join("")
    .trimEnd()}…`;
}

/** `0x21c67e…ca27`: enough to recognise an id by. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** `1 rule`, `3 rules`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first of some names, and how many more there are: `a, b and 3 more`. */
export function someNames(names: readonly string[], most: number): string {
  const some = names.slice(0, most).join(", ");
  return names.length > most ? `${some} and ${names.length - most} more` : some;
}

/** A size as people read it: kB rounded up, or MB and GB with one decimal place. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/**
 * The id of the message that tells a channel of these notices, in this order: the same for the same
 * ones, so that freezing them twice makes one message. 24 hexadecimal digits.
 */
export function messageId(channel: string, notices: readonly string[]): string {
  const facts = JSON.stringify([channel, ...notices]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 24);
}

/**
 * A value that must not be printed. Whatever turns it into text, JSON or a debug view gets
 * `[redacted]`; only `reveal()` gives it away, at the place that sends it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [inspect.custom](): string {
    return "[redacted]";
  }
}
