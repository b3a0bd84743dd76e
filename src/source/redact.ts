import type { Secret } from "../base/secret.ts";

const HIDDEN = "[redacted]";
/** A shorter key could be part of what is told, and so could one of hexadecimal digits only. */
const SHORTEST = 8;
const HEX_ONLY = /^[0-9a-f]*$/i;

/** Patterns that find a key in a text; kept, since making one costs more than using it. */
const patterns = new WeakMap<Secret, RegExp | null>();

/**
 * The text without the key, however a service repeats it: in any letter case, percent-encoded (once
 * or several times, as a whole or in part), with the escapes of JSON or of HTML, and with gaps where
 * something was cleaned away.
 */
export function withoutKey(text: string, key: Secret): string {
  const pattern = patternOf(key);
  return pattern === null ? text : text.replaceAll(pattern, HIDDEN);
}

/**
 * The body of a good answer without the key. A service that was sent it in a URL may well repeat
 * that URL; but numbers stay what they are, so that keys that could be part of one are let be.
 */
export function bodyWithoutKey(body: string, key: Secret): string {
  const secret = key.reveal();
  return secret.length < SHORTEST || HEX_ONLY.test(secret) ? body : withoutKey(body, key);
}

/** The longest form in which a key is found, in characters. */
export function longestForm(key: Secret): number {
  return key.reveal().length * LONGEST_LETTER;
}

/** Nine characters for each of the four bytes of a letter, and a gap. */
const LONGEST_LETTER = 40;

function patternOf(key: Secret): RegExp | null {
  let pattern = patterns.get(key);
  if (pattern === undefined) {
    const letters = Array.from(key.reveal(), formsOf);
    pattern = letters.length === 0 ? null : new RegExp(letters.join(" ?"), "giu");
    patterns.set(key, pattern);
  }
  return pattern;
}

const NAMED: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** The ways in which one letter may be written; all are bounded, so that no text takes long. */
function formsOf(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const percent = Array.from(
    new TextEncoder().encode(letter),
    (byte) => `%(?:25){0,3}${hex(byte)}`,
  );
  const units = Array.from({ length: letter.length }, (_, i) => letter.charCodeAt(i));
  const forms = [
    String.raw`\\{0,4}\u{${hex(code)}}`,
    percent.join(""),
    units.map((unit) => String.raw`\\{1,4}u${hex(unit).padStart(4, "0")}`).join(""),
    `&#0{0,4}${code};`,
    `&#x0{0,4}${hex(code)};`,
  ];
  if (code < 256) forms.push(String.raw`\\{1,4}x${hex(code).padStart(2, "0")}`);
  if (letter === " ") forms.push(String.raw`\+`);
  const named = NAMED[letter];
  if (named !== undefined) forms.push(`&${named};`);
  return `(?:${forms.join("|")})`;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}
