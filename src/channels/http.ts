import type { Dispatcher } from "undici";
import { withDeadline } from "../base/clock.ts";
import { proxiesFrom } from "../base/proxy.ts";
import { parseRetryAfter } from "../base/retry-after.ts";
import type { Outcome } from "./channel.ts";

/** What the channels that post over HTTP share: one request, and what its answer means. */

/** A receiver that takes longer for the whole of a request is not answering. */
const REQUEST_LIMIT_MS = 10_000;
/** Of an answer so much is read; the words that matter are short. */
const BODY_LIMIT_BYTES = 4_096;

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the answer so much is read. */
  readonly limitBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The first 4 kB of the body, or as much as was asked for. */
  readonly body: string;
  /** What Retry-After asks for, in milliseconds. */
  readonly retryAfterMs: number | null;
}

export interface HttpClient {
  /**
   * Posts once, following no redirect. Rejects when no answer came, when the time limit is over
   * or `signal` aborts; such an error may name the URL and must not be shown.
   */
  post(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** Asks once, under the same terms. */
  get(question: HttpQuestion, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** undici is loaded with the first request. Proxies come from the environment, not for loopback. */
export function httpClient(limitMs: number = REQUEST_LIMIT_MS): HttpClient {
  let opened: Dispatcher | null = null;
  const exchange = async (
    { url, headers, limitBytes }: HttpQuestion,
    body: string | null,
    signal: AbortSignal,
  ): Promise<HttpAnswer> => {
    const { Agent, EnvHttpProxyAgent, fetch } = await import("undici");
    const proxies = proxiesFrom(process.env);
    const dispatcher = (opened ??=
      proxies === null ? new Agent() : new EnvHttpProxyAgent({ ...proxies, proxyTunnel: false }));
    const method = body === null ? "GET" : "POST";
    return await withDeadline(limitMs, signal, async (limited) => {
      const options = { method, headers, body, redirect: "manual", dispatcher } as const;
      const response = await fetch(url, { ...options, signal: limited });
      return {
        status: response.status,
        body: response.body === null ? "" : await readStart(response.body, limitBytes),
        retryAfterMs: readRetryAfter(response.headers),
      };
    });
  };
  return {
    post: ({ url, headers, body }, signal) =>
      exchange({ url, headers, limitBytes: BODY_LIMIT_BYTES }, body, signal),
    get: (question, signal) => exchange(question, null, signal),
    async close() {
      const closing = opened;
      opened = null;
      await closing?.destroy();
    },
  };
}

async function readStart(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limitBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, limitBytes).toString("utf8");
}

function readRetryAfter(headers: { get(name: string): string | null }): number | null {
  // The receiver's own clock tells what its date means, if it says what time it has.
  const now = Date.parse(headers.get("date") ?? "");
  return parseRetryAfter(headers.get("retry-after"), Number.isNaN(now) ? Date.now() : now);
}

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
    ? { status: "retry", reason: `HTTP ${status} with a web page in place of an answer` }
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
  if (names.has("TimeoutError")) return { status: "retry", reason: "no answer in time" };
  if (names.has("AbortError")) return { status: "retry", reason: "broken off" };
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
