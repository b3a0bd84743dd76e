import { webAddress } from "./lines.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Escaped as Slack asks for in every text object, and cut between characters so that what is left has
 * at most `limit` of them.
 */
export function escaped(text: string, limit: number): string {
  let result = "";
  for (const character of text.toWellFormed()) {
    const next = ENTITIES[character] ?? character;
    if (result.length + next.length > limit - 1) return `${result}…`;
    result += next;
  }
  return result;
}

/** Text of a text object without its entities, such as `2,310 > 2,250`. */
export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Look-alikes of the characters that format text. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { "*": "∗", "~": "∼", "`": "ˋ" };

/**
 * Text for a place that reads mrkdwn: escaped, with look-alikes for the signs of bold, struck and
 * code, for underscores at the edge of a word (italics), and for the colons of an emoji code.
 */
export function neutral(text: string, limit: number): string {
  return escaped(quiet(text), limit);
}

function quiet(text: string): string {
  return text
    .replace(/[*~`]/g, (sign) => LOOK_ALIKES[sign] ?? "")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "ˍ")
    .replace(/:([^:\s]*[a-z+][^:\s]*|-1):/gi, "꞉$1꞉");
}

/**
 * The address as it may stand between `<` and `|`; null for anything but a web address of at most
 * `limit` characters.
 */
export function safeLink(link: string, limit: number): string | null {
  const href = webAddress(link);
  if (href === null) return null;
  const quoted = href
    .replace(/[<>|*~`]/g, (sign) => encodeURIComponent(sign))
    .replaceAll("&", "&amp;");
  return quoted.length > limit ? null : quoted;
}
