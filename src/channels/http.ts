import type { Dispatcher } from "undici";
import { withDeadline } from "../base/clock.ts";
import { proxiesFrom } from "../base/proxy.ts";
import { parseRetryAfter } from "../base/waiting.ts";

/** One HTTP request, as channels and the heartbeat send it. */

/** A receiver that takes longer for the whole of a request is not answering. */
const REQUEST_LIMIT_MS = 10_000;
/** The most that is read of an answer; the words that matter are short. */
const BODY_LIMIT_BYTES = 4_096;

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The most that is read of the answer. */
  readonly limitBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The first 4 kB of the body, or as much as was asked for. */
  readonly body: string;
  /** The wait that Retry-After asks for, in milliseconds. */
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
