import type { Outcome } from "./channel.ts";
import type { HttpAnswer } from "./http.ts";

/** Refusals of this one message: 400 Bad Request, 413 Content Too Large, 422 Unprocessable. */
const OF_THE_MESSAGE: ReadonlySet<number> = new Set([400, 413, 422]);
/** Passing trouble below 500: Request Timeout, Too Early, Too Many Requests. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * What a status means for a delivery; `word` is the receiver's own word for it, if one that is
 * known to be harmless. A refusal that is not surely of the message is of the channel, where
 * nothing is lost.
 */
export function outcomeOfStatus(
  { status, retryAfterMs }: HttpAnswer,
  word: string | null,
): Outcome {
  if (status >= 200 && status < 300) return { status: "sent" };
  const reason = word === null ? `HTTP ${status}` : `HTTP ${status}, ${word}`;
  if (status >= 500 || PASSING.has(status)) {
    return retryAfterMs === null
      ? { status: "retry", reason }
      : { status: "retry", reason, afterMs: retryAfterMs };
  }
  if (status >= 300 && status < 400) {
    return { status: "parked", reason: `${reason}: redirects are not followed` };
  }
  return OF_THE_MESSAGE.has(status) ? { status: "dead", reason } : { status: "parked", reason };
}

/**
 * A page for people is what a captive portal or a proxy's error says, with 200: that is no delivery.
 */
export function unlessPage(outcome: Outcome, { status, body }: HttpAnswer): Outcome {
  return outcome.status === "sent" && body.trimStart().startsWith("<")
    ? { status: "retry", reason: `HTTP ${status} with a web page instead of an answer` }
    : outcome;
}

/** The answer with what its body asks for, in seconds, where that is longer than its header says. */
export function withPatience(answer: HttpAnswer, seconds: unknown): HttpAnswer {
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < 1e9)) return answer;
  const asked = Math.ceil(seconds * 1_000);
  return { ...answer, retryAfterMs: Math.max(asked, answer.retryAfterMs ?? 0) };
}

/** No answer came. The error itself may name the URL, so only its kind is told. */
export function outcomeOfError(error: unknown): Outcome {
  const names = new Set(causes(error).map(({ name }) => name));
  if (names.has("TimeoutError")) return { status: "retry", reason: "timed out" };
  if (names.has("AbortError")) return { status: "retry", reason: "interrupted" };
  const code = causes(error)
    .map((cause) => ("code" in cause ? String(cause.code) : ""))
    .find((text) => KNOWN_CODES.has(text));
  return { status: "retry", reason: code === undefined ? "no answer" : `no answer (${code})` };
}

const KNOWN_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** An error and the errors behind it, the outermost first. */
function causes(error: unknown): readonly Error[] {
  const found: Error[] = [];
  let next = error;
  while (next instanceof Error && found.length < 8) {
    found.push(next);
    next = next.cause;
  }
  return found;
}
