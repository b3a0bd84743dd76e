import type { IncomingHttpHeaders } from "node:http";
import { type Dispatcher, EnvHttpProxyAgent, errors, Pool } from "undici";
import { type EndpointName, type EndpointSpec, KEY_PARAMETER } from "../api/endpoints.ts";
import type { Clock } from "../base/clock.ts";
import { errorCode } from "../base/error-code.ts";
import { type Proxies, proxiesFrom } from "../base/network.ts";
import type { Secret } from "../base/text.ts";
import { onAbort } from "../base/waiting.ts";
import type { Failure } from "../model/index.ts";
import { specOf } from "./plan.ts";

/** A whole answer; the body is as it was sent, perhaps compressed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No complete answer came. The message is for people and names neither address nor key. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  constructor(
    readonly reason: Extract<
      Failure["reason"],
      "timeout" | "network" | "malformed" | "too_large" | "out_of_time"
    >,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ExchangeLimits {
  /** For the whole of it, waiting for a connection included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The timer of the limit; default: Node's own. */
  readonly after?: Clock["after"] | undefined;
}

const realTime: Clock["after"] = (ms, wake) => {
  const timer = setTimeout(wake, ms);
  return () => clearTimeout(timer);
};

/**
 * One GET over a pool of connections, bounded in time and size. It stands directly on undici's
 * dispatch: without a stream for each body it is a little cheaper than `request`, and a body is
 * given up at its first byte too many. Rejects with ExchangeError only.
 */
export function exchange(
  pool: Dispatcher,
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  if (signal.aborted) return Promise.reject(outOfTime());
  return new Promise((resolve, reject) => {
    const handler = new Exchange(limits, signal, resolve, reject);
    // One timer covers the whole request, so that undici's own ones are off.
    const options = {
      origin,
      path,
      method: "GET",
      headers,
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const;
    try {
      pool.dispatch(options, handler);
    } catch (cause) {
      handler.onResponseError(undefined, cause);
    }
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  readonly #stopTimer: () => void;
  readonly #stopListening: () => void;

  constructor(
    private readonly limits: ExchangeLimits,
    signal: AbortSignal,
    private readonly resolve: (answer: HttpAnswer) => void,
    private readonly reject: (error: ExchangeError) => void,
  ) {
    const { timeoutMs, after = realTime } = limits;
    this.#stopTimer = after(timeoutMs, () => {
      this.#fail(new ExchangeError("timeout", `timed out after ${timeoutMs / 1_000} s`));
    });
    this.#stopListening = onAbort(signal, () => this.#fail(outOfTime()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It may have been given up while it waited for a connection.
    if (this.#settled) controller.abort(new Error("given up"));
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers["content-length"]) > this.limits.maxBytes) this.#tooLarge();
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.maxBytes) this.#tooLarge();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: unknown, cause: unknown): void {
    this.#fail(new ExchangeError("network", networkTrouble(cause), { cause }));
  }

  #tooLarge(): void {
    const megabytes = Math.floor(this.limits.maxBytes / 1_000_000);
    this.#fail(new ExchangeError("too_large", `the answer is larger than ${megabytes} MB`));
  }

  #fail(error: ExchangeError): void {
    if (!this.#settle()) return;
    this.reject(error);
    this.#controller?.abort(error);
  }

  /** True once: later events only repeat the first end. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#stopTimer();
    this.#stopListening();
    return true;
  }
}

function outOfTime(): ExchangeError {
  return new ExchangeError("out_of_time", "out of time");
}

const TROUBLES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host name could not be looked up",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connecting timed out",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
  UND_ERR_SOCKET: "connection closed before the whole answer came",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "connection closed before the whole answer came",
  UND_ERR_ABORTED: "the proxy refused the connection",
  UND_ERR_INVALID_ARG: "the request cannot be sent; does the API key hold line breaks?",
};

/** Error messages name hosts and addresses; codes say as much. */
function networkTrouble(cause: unknown): string {
  if (cause instanceof errors.HTTPParserError) return "the answer is not HTTP";
  if (cause instanceof errors.InvalidArgumentError && cause.message.includes("(407)")) {
    return "the proxy wants another user and password";
  }
  const code = errorCode(cause);
  if (code === null) return "the connection failed";
  return TROUBLES[code] ?? `the connection failed (${code})`;
}

/** The service's addresses: origin and optional path each; null: it has no such one. */
export type Bases = Readonly<Record<EndpointSpec["base"], string | null>>;

/** Where to send a request: to which origin, over which connections, and what precedes the endpoint's path. */
export interface Target {
  readonly origin: string;
  readonly pool: Dispatcher;
  readonly prefix: string;
}

/** The connections to each origin of the service; addresses that share an origin share them. */
export class Origins {
  readonly #pools = new Map<string, Dispatcher>();
  readonly #targets = new Map<EndpointSpec["base"], Target>();

  /** Throws TypeError when an address is no URL. */
  constructor(bases: Bases, connections: number, timeoutMs: number) {
    const proxies = proxiesFrom(process.env);
    for (const base of ["base_url", "legacy_base_url", "rpc"] as const) {
      const address = bases[base];
      if (address === null) continue;
      const { origin, pathname } = new URL(address);
      let pool = this.#pools.get(origin);
      if (pool === undefined) {
        pool = poolOf(origin, connections, timeoutMs, proxies);
        this.#pools.set(origin, pool);
      }
      this.#targets.set(base, { origin, pool, prefix: pathname.replace(/\/+$/, "") });
    }
  }

  /** Undefined: the endpoint's address is not known. */
  find(endpoint: EndpointName): Target | undefined {
    return this.#targets.get(specOf(endpoint).base);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.destroy()));
  }
}

/** Connections to an origin, through a proxy if the environment has one for it. */
function poolOf(
  origin: string,
  connections: number,
  timeoutMs: number,
  proxies: Proxies | null,
): Dispatcher {
  const options = { connections, pipelining: 1, connect: { timeout: timeoutMs } };
  if (proxies === null) return new Pool(origin, options);
  // A proxy is told what to ask for over plain HTTP, and connects to what is asked over TLS.
  return new EnvHttpProxyAgent({ ...options, ...proxies, proxyTunnel: false });
}

/**
 * The path with the key in it if the endpoint is of the earlier family. It is a secret, and made for
 * nothing but the sending.
 */
export function withKey(endpoint: EndpointName, path: string, key: Secret): string {
  if (specOf(endpoint).family !== "earlier") return path;
  const joint = path.includes("?") ? "&" : "?";
  return `${path}${joint}${KEY_PARAMETER}=${encodeURIComponent(key.reveal())}`;
}
