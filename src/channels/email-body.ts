import { createHash } from "node:crypto";
import { asMap } from "../base/json.ts";
import { cleanText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import { drawPicture, PICTURE_WIDTH, type Picture } from "./email-pictures.ts";
import {
  type PageLink,
  rangePicture,
  safeLine,
  sparkline,
  TONES,
  type Tone,
  toneOf,
  unlinked,
  webAddress,
  withoutLinks,
} from "./text.ts";

/** A mail as it is frozen before the first send: all but the addresses and the message's own id. */
export interface Mail {
  readonly notice: string;
  readonly at: number;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for all mails about one alert. */
  readonly thread: string;
  /** The pictures of the HTML, by their ids; absent: none. */
  readonly images?: readonly MailImage[];
}

interface MailImage {
  /** Unique within the mail. */
  readonly id: string;
  /** The PNG file in base64. */
  readonly png: string;
}

/** Names of fields are padded to one width, but not beyond this. */
const WIDEST_NAME = 24;

/** `there`: where the notice is shown on the daemon's page. */
export function freezeMail(notice: Notice, there: PageLink | null = null): Mail {
  const parts = partsOf(notice, there);
  const images = parts.fields.flatMap(({ image }) =>
    image === null ? [] : [{ id: image.id, png: image.png }],
  );
  return {
    notice: notice.id,
    at: notice.at,
    subject: parts.headline,
    text: plainPart(parts),
    html: emailHtml(parts),
    thread: threadOf(notice),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Reads what was frozen; null if it is not a mail. */
export function readMail(body: string): Mail | null {
  try {
    const mail: unknown = JSON.parse(body);
    return isMail(mail) ? mail : null;
  } catch {
    return null;
  }
}

function isMail(value: unknown): value is Mail {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["notice", "subject", "text", "html", "thread"] as const;
  const fields: Partial<Record<string, unknown>> = { ...value };
  if (fields.images !== undefined && !isImages(fields.images)) return false;
  return texts.every((key) => typeof fields[key] === "string") && Number.isFinite(fields.at);
}

function isImages(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((one: unknown) => {
    const { id, png } = asMap(one) ?? {};
    return typeof id === "string" && typeof png === "string";
  });
}

function plainPart(parts: MailParts): string {
  const { headline, paragraphs, fields, pictures, link, there, source } = parts;
  const longest = Math.max(0, ...fields.map(({ name }) => [...name].length));
  const width = Math.min(longest, WIDEST_NAME);
  const listed = fields.map(({ name, value }) => {
    const padding = " ".repeat(Math.max(0, width - [...name].length));
    return `${name}${padding}  ${value}`;
  });
  const blocks = [
    headline,
    ...paragraphs,
    listed.join("\n"),
    ...pictures,
    filled([there === null ? "" : `${there.text}: ${there.href}`, link ?? "", source]).join("\n"),
  ];
  return `${filled(blocks).join("\n\n")}\n`;
}

/** An alert is a rule on a subject; what a rule says as a whole has a thread of its own. */
function threadOf({ rule, subject }: Notice): string {
  const facts = JSON.stringify([rule, subject]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 24);
}

/** A notice's parts in the order in which a mail shows them, clean. */
export interface MailParts {
  readonly headline: string;
  readonly tone: Tone;
  readonly paragraphs: readonly string[];
  readonly fields: readonly MailField[];
  /** Pictures made of characters, each of one or more lines. */
  readonly pictures: readonly string[];
  readonly link: string | null;
  readonly there: PageLink | null;
  /** `Rule my-range · notice 0123456789abcdef` */
  readonly source: string;
}

interface MailField {
  readonly name: string;
  readonly value: string;
  readonly image: (Picture & { readonly id: string; readonly alt: string }) | null;
}

const LONGEST_SUBJECT = 200;
const LONGEST_TEXT = 1_000;
/** All of a message of many notices. */
const MOST_FIELDS = 250;

export function partsOf(notice: Notice, there: PageLink | null = null): MailParts {
  const { headline, title, note, fields, range, recent, rule, id, link } = withoutLinks(notice);
  const pictures = [range === null ? "" : rangePicture(range), sparkline(recent)];
  const from = rule === null ? "" : `Rule ${unlinked(cleanText(rule, 100))} · `;
  return {
    // A mail without a subject is what filters take for junk.
    headline: cleanText(headline, LONGEST_SUBJECT) || "tickwatch",
    tone: toneOf(notice),
    paragraphs: filled([title, note].map((text) => cleanText(text ?? "", LONGEST_TEXT))),
    fields: fields.slice(0, MOST_FIELDS).map(({ name, value }, place) => ({
      name: cleanText(name, LONGEST_TEXT),
      value: cleanText(value, LONGEST_TEXT),
      image: imageOf(notice, place),
    })),
    pictures: filled(pictures.map((picture) => picture.split("\n").map(safeLine).join("\n"))),
    link: link === null ? null : webAddress(link),
    there,
    source: `${from}notice ${cleanText(id, 100)}`,
  };
}

/** The drawing beside a field. */
function imageOf({ id, pictures = [] }: Notice, place: number): MailField["image"] {
  const given = pictures[place] ?? null;
  const picture = given === null ? null : drawPicture(given);
  if (given === null || picture === null) return null;
  const name = createHash("sha256").update(`${id} ${place}`).digest("hex").slice(0, 24);
  return { ...picture, id: `${name}@tickwatch`, alt: unlinked(cleanText(given.alt, LONGEST_TEXT)) };
}

function filled(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== "");
}

/**
 * The HTML part of a mail: no scripts, nothing that is loaded, and no images but those that come with it. Colours of text and ground
 * are left to the reader's program, light or dark; those that are ours suit both, and the style
 * sheet, which some programs drop, only betters them.
 */
export function emailHtml(parts: MailParts): string {
  const { headline, tone, paragraphs, fields, pictures, link, there, source } = parts;
  const rows = fields.map(
    ({ name, value, image }) =>
      `<tr><th scope="row" class="name" style="${NAME}">${escaped(name)}</th><td style="${CELL}">${escaped(value)}${imageHtml(image)}</td></tr>`,
  );
  const body = [
    `<h1 style="${HEADLINE}border-left:4px solid ${TONES[tone]}">${escaped(headline)}</h1>`,
    ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    ...(rows.length === 0 ? [] : [`<table style="${TABLE}">`, ...rows, "</table>"]),
    ...pictures.map((picture) => `<pre style="${PICTURE}">${escaped(picture)}</pre>`),
    ...(there === null
      ? []
      : [`<p><a href="${escaped(there.href)}">${escaped(there.text)}</a></p>`]),
    ...(link === null ? [] : [`<p><a href="${escaped(link)}">Block explorer</a></p>`]),
    `<p class="source" style="${SOURCE}">${escaped(source)}</p>`,
  ];
  return `${[...HEAD, ...body, "</body>", "</html>"].join("\n")}\n`;
}

function imageHtml(image: MailField["image"]): string {
  if (image === null) return "";
  const { id, alt, height } = image;
  return `<br><img src="cid:${id}" alt="${escaped(alt)}" width="${PICTURE_WIDTH}" height="${height}" style="${IMAGE}">`;
}

const HEAD = [
  "<!DOCTYPE html>",
  '<html lang="en">',
  "<head>",
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width">',
  '<meta name="color-scheme" content="light dark">',
  '<meta name="supported-color-schemes" content="light dark">',
  "<title>tickwatch</title>",
  "<style>",
  ":root{color-scheme:light dark}",
  "@media (prefers-color-scheme:dark){",
  "body{background:#16181d;color:#e6e6e6}",
  ".name,.source{color:#a0a4ab!important}",
  "a{color:#8ab4f8}",
  "}",
  "</style>",
  "</head>",
  '<body style="font-family:system-ui,-apple-system,Segoe UI,sans-serif;font-size:15px;line-height:1.45">',
];

// A grey that can be read on white and on black.
const GREY = "color:#767b84;";
const HEADLINE = "font-size:18px;line-height:1.3;margin:0 0 16px;padding-left:10px;";
const TABLE = "border-collapse:collapse;margin:0 0 16px";
const NAME = `${GREY}font-weight:normal;text-align:left;vertical-align:top;padding:2px 16px 2px 0`;
const CELL = "vertical-align:top;padding:2px 0;overflow-wrap:anywhere";
const PICTURE = "font-family:ui-monospace,Menlo,Consolas,monospace;line-height:1.2;overflow-x:auto";
const IMAGE = "display:block;border:0;margin:4px 0 10px";
const SOURCE = `${GREY}font-size:13px`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");
}
