import { rangePicture, sparkline } from "../base/picture.ts";
import { cutText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import type { Room } from "./channel.ts";
import { splitOwnLink, unlinked, withoutLinks } from "./links.ts";
import { escaped, neutral, safeLink } from "./slack-text.ts";

/**
 * A notice as Slack's blocks. All text goes into plain_text objects, where no mark-up, mention or
 * emoji code is read, and with `&`, `<` and `>` escaped as Slack asks for in every text object.
 * Source: docs.slack.dev, "Formatting message text" and the reference of each block.
 */

/** Slack's limits, in characters after escaping. */
const HEADER_LIMIT = 150;
const SECTION_LIMIT = 3_000;
const FIELD_LIMIT = 2_000;
const FIELDS_A_SECTION = 10;
/** Ours: three sections of fields are more than any notice has. */
const MOST_FIELDS = 30;
const CONTEXT_LIMIT = 300;

/**
 * Beside the limits of single blocks Slack refuses messages whose blocks have more than some 13,000
 * characters together, the JSON around their texts included (`msg_blocks_too_long`). That is not
 * documented: github.com/slackapi/bolt-js, issue 2509.
 */
export const SLACK_ROOM: Room = { fields: MOST_FIELDS, characters: 8_000 };

interface PlainText {
  readonly type: "plain_text";
  readonly text: string;
  readonly emoji: false;
}

interface Mrkdwn {
  readonly type: "mrkdwn";
  readonly text: string;
  readonly verbatim: true;
}

type Block =
  | { readonly type: "header"; readonly text: PlainText }
  | { readonly type: "section"; readonly text: PlainText | Mrkdwn }
  | { readonly type: "section"; readonly fields: readonly (PlainText | Mrkdwn)[] }
  | { readonly type: "context"; readonly elements: readonly (PlainText | Mrkdwn)[] };

export interface SlackPayload {
  /** What notifications and screen readers take. */
  readonly text: string;
  readonly mrkdwn: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  readonly blocks: readonly Block[];
}

export function slackPayload(given: Notice): SlackPayload {
  const notice = withoutLinks(given);
  return {
    text: neutral(orDash(notice.headline), SECTION_LIMIT),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      headline(notice.headline),
      ...sections(notice),
      ...fields(notice),
      ...pictures(notice),
      context(notice),
    ],
  };
}

function headline(text: string): Block {
  const whole = plain(text, SECTION_LIMIT);
  // A header is short; a headline that escaping made longer is a section.
  return whole.text.length <= HEADER_LIMIT
    ? { type: "header", text: whole }
    : { type: "section", text: whole };
}

function sections({ title, note }: Notice): Block[] {
  return [title ?? "", note ?? ""]
    .filter((text) => text !== "")
    .map((text) => ({ type: "section", text: plain(text, SECTION_LIMIT) }));
}

function fields(notice: Notice): Block[] {
  const all = notice.fields
    .slice(0, MOST_FIELDS)
    .map(({ name, value }) => field(name, value, notice.links ?? []));
  const blocks: Block[] = [];
  for (let i = 0; i < all.length; i += FIELDS_A_SECTION) {
    blocks.push({ type: "section", fields: all.slice(i, i + FIELDS_A_SECTION) });
  }
  return blocks;
}

/** A line that ends with an address of ours has it as a link, which plain text need not become. */
function field(name: string, value: string, own: readonly string[]): PlainText | Mrkdwn {
  const split = splitOwnLink(value, own);
  const address = split === null ? null : safeLink(split.link, FIELD_LIMIT / 2);
  if (split === null || address === null) return plain(`${name}\n${value}`, FIELD_LIMIT);
  const link = ` · ${explorer(address)}`;
  const text = neutral(`${name}\n${split.text}`, FIELD_LIMIT - link.length);
  return { type: "mrkdwn", text: text + link, verbatim: true };
}

function explorer(address: string): string {
  return `<${address}|Block explorer>`;
}

/** The range and the recent values, in letters of equal width. */
function pictures({ range, recent }: Notice): Block[] {
  const drawn = [range === null ? "" : rangePicture(range), sparkline(recent)].filter(
    (picture) => picture !== "",
  );
  if (drawn.length === 0) return [];
  const code = escaped(drawn.join("\n\n").replaceAll("`", "'"), SECTION_LIMIT - 8);
  const text = `\`\`\`\n${code}\n\`\`\``;
  return [{ type: "section", text: { type: "mrkdwn", text, verbatim: true } }];
}

function context({ rule, id, link }: Notice): Block {
  const about = rule === null ? id : `${unlinked(cutText(rule, 100))} · ${id}`;
  const address = link === null ? null : safeLink(link, FIELD_LIMIT);
  const linked: Mrkdwn[] =
    address === null ? [] : [{ type: "mrkdwn", text: explorer(address), verbatim: true }];
  return { type: "context", elements: [plain(about, CONTEXT_LIMIT), ...linked] };
}

function plain(text: string, limit: number): PlainText {
  return { type: "plain_text", text: escaped(orDash(text), limit), emoji: false };
}

/** Slack refuses a text that is empty. */
function orDash(text: string): string {
  return text.trim() === "" ? "-" : text;
}
