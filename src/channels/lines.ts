import { cleanText, cutText } from "../base/text.ts";

const LONGEST_LINE = 1_000;

/** One line of plain text, clean, with the spaces at its beginning and between its columns kept. */
export function safeLine(line: string): string {
  const clean = line
    .split(/( {2,})/)
    .map((part) => (/^ *$/.test(part) ? part : cleanText(part, LONGEST_LINE)))
    .join("");
  return cutText(clean, LONGEST_LINE);
}

/** A web address in its normal form; null for anything else, such as `javascript:…`. */
export function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : null;
}
