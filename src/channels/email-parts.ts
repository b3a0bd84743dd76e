import { rangePicture, sparkline } from "../base/picture.ts";
import { cleanText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import { safeLine, webAddress } from "./lines.ts";
import { unlinked, withoutLinks } from "./links.ts";
import { type Tone, toneOf } from "./tone.ts";

/** A notice's parts in the order in which a mail shows them, clean. */
export interface MailParts {
  readonly headline: string;
  readonly tone: Tone;
  readonly paragraphs: readonly string[];
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** Pictures made of characters, each of one or more lines. */
  readonly pictures: readonly string[];
  readonly link: string | null;
  /** `Rule my-range · notice 0123456789abcdef` */
  readonly source: string;
}

const LONGEST_SUBJECT = 200;
const LONGEST_TEXT = 1_000;
/** All of a message of many notices. */
const MOST_FIELDS = 250;

export function partsOf(notice: Notice): MailParts {
  const { headline, title, note, fields, range, recent, rule, id, link } = withoutLinks(notice);
  const pictures = [range === null ? "" : rangePicture(range), sparkline(recent)];
  const from = rule === null ? "" : `Rule ${unlinked(cleanText(rule, 100))} · `;
  return {
    // A mail without a subject is what filters take for junk.
    headline: cleanText(headline, LONGEST_SUBJECT) || "tickwatch",
    tone: toneOf(notice),
    paragraphs: filled([title, note].map((text) => cleanText(text ?? "", LONGEST_TEXT))),
    fields: fields.slice(0, MOST_FIELDS).map(({ name, value }) => ({
      name: cleanText(name, LONGEST_TEXT),
      value: cleanText(value, LONGEST_TEXT),
    })),
    pictures: filled(pictures.map((picture) => picture.split("\n").map(safeLine).join("\n"))),
    link: link === null ? null : webAddress(link),
    source: `${from}notice ${cleanText(id, 100)}`,
  };
}

export function filled(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== "");
}
