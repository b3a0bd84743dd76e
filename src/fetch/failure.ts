import { longestForm, withoutKey } from "../base/redact.ts";
import { cleanText, cutText, type Secret } from "../base/text.ts";
import type { Failure } from "../model/index.ts";

/** How much of an error body helps a person who reads it in a notice. */
const EXCERPT = 120;
/** The excerpt is made from the start of a text; the rest is not worth cleaning. */
const LOOKED_AT = 4_096;
/** A larger body is not an error object. */
const LARGEST_OBJECT = 65_536;

/** The failure that an HTTP status other than 2xx stands for. */
export function statusFailure(status: number, body: string, key: Secret): Failure {
  return {
    reason: reasonOf(status),
    detail: `answered ${status}${afterColon(excerpt(body, key))}`,
  };
}

function reasonOf(status: number): Failure["reason"] {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "server_error" : "refused";
}

/** An answer of status 2xx that does not say what was asked. */
export function malformed(problem: string, body: string, key: Secret): Failure {
  return { reason: "malformed", detail: `${problem}${afterColon(excerpt(body, key))}` };
}

function afterColon(text: string): string {
  return text === "" ? "" : `: ${text}`;
}

/**
 * What a body says, in one clean line: the message of an error object, the text of an HTML page,
 * or its beginning. A service that repeats the key it was sent does not get it into our notices.
 */
function excerpt(body: string, key: Secret): string {
  const text = startOf(messageIn(body) ?? body, key)
    .replace(/<(style|script)\b[^]*?(?:<\/\1\s*>|$)/gi, " ")
    .replace(/<[/!?a-z][^>]*>/gi, " ");
  return cutText(withoutKey(cleanText(text, LOOKED_AT), key), EXCERPT);
}

/** The beginning of a text without the key, nor the part of one on which the cut fell. */
function startOf(text: string, key: Secret): string {
  const margin = longestForm(key);
  const clean = withoutKey(text.slice(0, LOOKED_AT + margin), key);
  const kept = text.length > LOOKED_AT + margin ? clean.slice(0, -margin || undefined) : clean;
  return kept.slice(0, LOOKED_AT);
}

/** The text of `{"error": "…"}` and its relatives; null for any other body. */
function messageIn(body: string): string | null {
  if (body.length > LARGEST_OBJECT) return null;
  try {
    return findMessage(JSON.parse(body), 0);
  } catch {
    return null;
  }
}

function findMessage(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth > 2) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (!/^(?:errors?|message|detail|reason|title)$/i.test(name)) continue;
    const found = findMessage(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
