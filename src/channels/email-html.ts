import type { MailParts } from "./email-parts.ts";
import { TONES } from "./tone.ts";

/**
 * The HTML part of a mail: no images, no scripts, nothing that is loaded. Colours of text and ground
 * are left to the reader's program, light or dark; those that are ours suit both, and the style
 * sheet, which some programs drop, only betters them.
 */
export function emailHtml(parts: MailParts): string {
  const { headline, tone, paragraphs, fields, pictures, link, source } = parts;
  const rows = fields.map(
    ({ name, value }) =>
      `<tr><th scope="row" class="name" style="${NAME}">${escaped(name)}</th><td style="${CELL}">${escaped(value)}</td></tr>`,
  );
  const body = [
    `<h1 style="${HEADLINE}border-left:4px solid ${TONES[tone]}">${escaped(headline)}</h1>`,
    ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    ...(rows.length === 0 ? [] : [`<table style="${TABLE}">`, ...rows, "</table>"]),
    ...pictures.map((picture) => `<pre style="${PICTURE}">${escaped(picture)}</pre>`),
    ...(link === null ? [] : [`<p><a href="${escaped(link)}">Block explorer</a></p>`]),
    `<p class="source" style="${SOURCE}">${escaped(source)}</p>`,
  ];
  return `${[...HEAD, ...body, "</body>", "</html>"].join("\n")}\n`;
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
