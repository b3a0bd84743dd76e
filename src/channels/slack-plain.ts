import { asMap } from "./http.ts";
import { neutral, unescaped } from "./slack-text.ts";

/** What a message says once more when Slack refuses its blocks: the same texts, line by line. */
export interface SlackPlainPayload {
  readonly text: string;
  readonly mrkdwn: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/** Source: docs.slack.dev, "Truncating content": a text is cut beyond 40,000 characters. */
const TEXT_LIMIT = 40_000;
const LINE_LIMIT = 3_000;

/** Null if the frozen payload has no blocks, so that there is nothing else to say. */
export function plainPayload(
  payload: Readonly<Partial<Record<string, unknown>>>,
): SlackPlainPayload | null {
  if (!Array.isArray(payload.blocks)) return null;
  const lines = payload.blocks.flatMap(textsOf).flatMap(lineOf);
  let text = "";
  for (const line of lines) {
    const longer = text === "" ? line : `${text}\n${line}`;
    if (longer.length > TEXT_LIMIT) break;
    text = longer;
  }
  if (text === "") return null;
  return { text, mrkdwn: false, unfurl_links: false, unfurl_media: false };
}

function textsOf(block: unknown): readonly unknown[] {
  const { text, fields, elements } = asMap(block) ?? {};
  const lists: readonly unknown[] = [[text], fields, elements];
  return lists.flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
}

/** One line, or none: pictures need letters of equal width, and say what the fields say, too. */
function lineOf(object: unknown): readonly string[] {
  const { type, text } = asMap(object) ?? {};
  if (typeof text !== "string") return [];
  if (type === "plain_text") return [neutral(unescaped(text).replace("\n", ": "), LINE_LIMIT)];
  const [, before = "", address] = /^([^<>]*)<(https?:[^<>|]*)\|[^<>]*>$/.exec(text) ?? [];
  return address === undefined ? [] : [before.replace("\n", ": ") + address];
}
