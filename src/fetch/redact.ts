import type { Secret } from "../base/secret.ts";
import { KeyParts, type Part } from "./key-parts.ts";

const HIDDEN = "[redacted]";
/** A shorter key may be part of an ordinary word, and is one only where it stands alone. */
const SHORTEST = 8;
/** What is even shorter is no secret worth the name, and stands in everything. */
const SHORTEST_ALONE = 4;

/** Patterns that find a key in a text; kept, since making one costs more than using it. */
const patterns = new WeakMap<Secret, RegExp | null>();

const allParts = new WeakMap<Secret, KeyParts>();

/**
 * The text without the key, however a service repeats it: in any letter case, percent-encoded (once
 * or several times, as a whole or in part), with the escapes of JSON or of HTML, with gaps where
 * something was cleaned away, and without what is left of it after a cut or in another encoding.
 */
export function withoutKey(text: string, key: Secret): string {
  const pattern = patternOf(key);
  return withoutParts(pattern === null ? text : text.replaceAll(pattern, HIDDEN), key);
}

/** The text without parts of the key. */
function withoutParts(text: string, key: Secret): string {
  let parts = allParts.get(key);
  if (parts === undefined) {
    parts = new KeyParts(key.reveal());
    allParts.set(key, parts);
  }
  let clean = "";
  let from = 0;
  for (const { start, end } of joined(parts.find(text))) {
    clean += `${text.slice(from, start)}${HIDDEN}`;
    from = end;
  }
  return clean + text.slice(from);
}

/** In their order, those that touch as one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const found: Part[] = [];
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last === undefined || start > last.end) found.push({ start, end });
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return found;
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
    pattern = makePattern(key.reveal());
    patterns.set(key, pattern);
  }
  return pattern;
}

function makePattern(key: string): RegExp | null {
  if (key.length < SHORTEST_ALONE) return null;
  const written = Array.from(key, formsOf).join(" ?");
  const alone = key.length < SHORTEST;
  return new RegExp(
    alone ? String.raw`(?<![\p{L}\p{N}])${written}(?![\p{L}\p{N}])` : written,
    "giu",
  );
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
