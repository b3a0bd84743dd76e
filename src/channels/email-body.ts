import { createHash } from "node:crypto";
import type { Notice } from "../model/index.ts";
import { emailHtml } from "./email-html.ts";
import { filled, type MailParts, partsOf } from "./email-parts.ts";

/** A mail as it is frozen before the first send: all but the addresses and the message's own id. */
export interface Mail {
  readonly notice: string;
  readonly at: number;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for all mails about one alert. */
  readonly thread: string;
}

/** Names of fields are padded to one width, but not beyond this. */
const WIDEST_NAME = 24;

export function freezeMail(notice: Notice): Mail {
  const parts = partsOf(notice);
  return {
    notice: notice.id,
    at: notice.at,
    subject: parts.headline,
    text: plainPart(parts),
    html: emailHtml(parts),
    thread: threadOf(notice),
  };
}

/** Reads what was frozen; null if it is no mail. */
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
  return texts.every((key) => typeof fields[key] === "string") && Number.isFinite(fields.at);
}

function plainPart({ headline, paragraphs, fields, pictures, link, source }: MailParts): string {
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
    filled([link ?? "", source]).join("\n"),
  ];
  return `${filled(blocks).join("\n\n")}\n`;
}

/** An alert is a rule on a subject; what a rule says as a whole has a thread of its own. */
function threadOf({ rule, subject }: Notice): string {
  const facts = JSON.stringify([rule, subject]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 24);
}
