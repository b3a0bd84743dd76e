import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { systemClock, withDeadline } from "../../base/clock.ts";
import { errorCode } from "../../base/error-code.ts";
import { proxiesFrom } from "../../base/network.ts";
import type { Secret } from "../../base/text.ts";
import { parseRetryAfter } from "../../base/waiting.ts";

/** The largest answer that is read. */
const LARGEST_ANSWER = 16_000_000;
/** Requests to one node at one time. */
const CONNECTIONS = 8;

export interface PostAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | null;
}

/** Why no answer came: it is too large, or a few words that name nothing of the URL. */
export class PostError extends Error {
  override readonly name = "PostError";
  constructor(
    readonly isTooLarge: boolean,
    message: string,
  ) {
    super(message);
  }
}

/** The connections to one URL. Proxies are those of the environment. */
export class Poster {
  readonly #pool: Dispatcher;
  readonly #origin: string;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws TypeError where it is no URL. */
  constructor(url: Secret, timeoutMs: number) {
    const { origin, pathname, search, username, password } = new URL(url.reveal());
    const options = {
      connections: CONNECTIONS,
      pipelining: 1,
      connect: { timeout: timeoutMs },
      maxResponseSize: LARGEST_ANSWER,
    };
    const proxies = proxiesFrom(process.env);
    this.#pool =
      proxies === null
        ? new Pool(origin, options)
        : new EnvHttpProxyAgent({ ...options, ...proxies, proxyTunnel: false });
    this.#origin = origin;
    this.#path = pathname + search;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers = {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "tickwatch",
      ...(user === ":" ? {} : { authorization: `Basic ${Buffer.from(user).toString("base64")}` }),
    };
  }

  /** One POST, bounded in time (real milliseconds) and size. Rejects with PostError only. */
  async post(body: string, timeoutMs: number, signal: AbortSignal): Promise<PostAnswer> {
    try {
      return await withDeadline(timeoutMs, signal, async (inner) => {
        const answer = await this.#pool.request({
          origin: this.#origin,
          path: this.#path,
          method: "POST",
          headers: this.#headers,
          body,
          signal: inner,
        });
        const text = await answer.body.text();
        const after = parseRetryAfter(answer.headers["retry-after"], systemClock().now());
        return { status: answer.statusCode, text, retryAfterMs: after };
      });
    } catch (error) {
      throw postError(error, timeoutMs);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const TROUBLES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "connecting timed out",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
  UND_ERR_SOCKET: "the connection closed before the whole answer came",
};

/** Error messages name hosts and paths; codes say as much. */
function postError(error: unknown, timeoutMs: number): PostError {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return new PostError(false, `no answer within ${timeoutMs / 1_000} s`);
  }
  const code = errorCode(error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return new PostError(true, `the answer is larger than ${LARGEST_ANSWER / 1_000_000} MB`);
  }
  return new PostError(false, TROUBLES[code ?? ""] ?? "the connection failed");
}
