import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import { MINUTE, SECOND } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import type { WebConfig } from "../../model/index.ts";
import type { DaemonView } from "./meter.ts";
import type { Metrics } from "./metrics.ts";

export interface WebParts {
  readonly config: WebConfig;
  readonly metrics: Metrics;
  readonly view: DaemonView;
  readonly health: Health;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface Health {
  /** What would be missed if nobody looked; none: all is well. */
  troubles(): readonly string[];
  /** Rules that had no round yet. */
  waiting(): readonly string[];
}

export interface Web {
  /** Such as `http://127.0.0.1:9464`; null while it cannot listen. */
  url(): string | null;
  /** Answers what is under way, for a second at most. */
  stop(): Promise<void>;
}

/** Monitors are few; whoever opens more connections gets none. */
const MOST_CONNECTIONS = 32;
const LARGEST_HEADER = 8 * 1_024;
const STOP_GRACE_MS = SECOND;
/** A list of names is for a person to read. */
const MOST_NAMES = 20;

/**
 * Serves health and metrics. An address that cannot be had is no reason not to watch: it is tried
 * again every minute, and said in the log. Never rejects.
 */
export async function startWeb(parts: WebParts): Promise<Web> {
  const { config, clock, log } = parts;
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEADER,
      headersTimeout: 5 * SECOND,
      requestTimeout: 10 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      keepAliveTimeout: 5 * SECOND,
    },
    answerer(parts),
  );
  server.maxConnections = MOST_CONNECTIONS;
  // Also who reads too slowly is left.
  server.setTimeout(15 * SECOND);
  let cancel = (): void => {};
  let stopping = false;
  let said = false;

  const listen = async (): Promise<void> => {
    const problem = await listenOn(server, config);
    if (problem === null) log.info({ url: urlOf(server) }, "metrics and health are served");
    else if (!said) {
      said = true;
      const { host, port } = config;
      log.error({ host, port, problem }, "cannot listen on web.listen; trying again every minute");
    }
    if (problem !== null && !stopping) cancel = clock.after(MINUTE, () => void listen());
  };
  await listen();
  // Whatever befalls it later must not end the daemon.
  server.on("error", (error) => log.error({ err: error }, "the web listener failed"));

  return {
    url: () => urlOf(server),
    async stop() {
      stopping = true;
      cancel();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

/** Resolves to what kept it from listening, or null. */
function listenOn(server: Server, { host, port }: WebConfig): Promise<string | null> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => {
      server.off("listening", succeed);
      resolve("code" in error ? String(error.code) : error.message);
    };
    const succeed = (): void => {
      server.off("error", fail);
      resolve(null);
    };
    server.once("error", fail);
    server.once("listening", succeed);
    server.listen({ host, port });
  });
}

function urlOf(server: Server): string | null {
  const address = server.address();
  if (address === null || typeof address === "string") return null;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function answerer(parts: WebParts): (request: IncomingMessage, response: ServerResponse) => void {
  const guard = createGuard(parts.config);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let answer: Answer;
    try {
      answer = await answerTo(request, guard(request), parts);
    } catch (error) {
      parts.log.error({ err: error }, "a web request could not be answered");
      answer = { status: 500, body: "internal error; see the log\n" };
    }
    const { status, type = "text/plain; charset=utf-8", body, headers = {} } = answer;
    response.writeHead(status, {
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      // Who is refused, or sends what nobody reads, need not stay.
      ...(status >= 400 && status !== 503 ? { connection: "close" } : {}),
      ...headers,
    });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  return (request, response) => void respond(request, response);
}

async function answerTo(
  { method, url = "" }: IncomingMessage,
  refusal: ReturnType<ReturnType<typeof createGuard>>,
  { metrics, view, health }: WebParts,
): Promise<Answer> {
  if (refusal === "host") {
    return { status: 403, body: "the Host header names another machine; see web.hosts\n" };
  }
  if (refusal === "token") {
    const headers = { "www-authenticate": 'Bearer realm="tickwatch"' };
    return { status: 401, body: "the token of web.token is missing or wrong\n", headers };
  }
  if (method !== "GET" && method !== "HEAD") {
    return { status: 405, body: "only GET and HEAD\n", headers: { allow: "GET, HEAD" } };
  }
  switch (url.split("?", 1)[0]) {
    case "/healthz": {
      const reasons = health.troubles();
      const healthy = reasons.length === 0;
      return json(healthy ? 200 : 503, healthy ? { healthy } : { healthy, reasons });
    }
    case "/readyz": {
      const waiting = health.waiting();
      const ready = waiting.length === 0;
      const rules = { count: waiting.length, first: waiting.slice(0, MOST_NAMES) };
      return json(ready ? 200 : 503, ready ? { ready } : { ready, waiting: rules });
    }
    case "/metrics":
      return { status: 200, type: metrics.contentType, body: await metrics.render(view) };
    default:
      return { status: 404, body: "not found; try /healthz, /readyz or /metrics\n" };
  }
}

function json(status: number, value: unknown): Answer {
  return { status, type: "application/json; charset=utf-8", body: `${JSON.stringify(value)}\n` };
}

/** Why a request is not answered; null: it is. */
export type Refusal = "host" | "token" | null;

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i;

/**
 * Who may ask. The Host header must name this machine: a page in a browser here, whose own name
 * someone has made to resolve to 127.0.0.1, sends that name. Where there is a token, it must be sent.
 */
function createGuard({ host, hosts, token }: WebConfig): (request: IncomingMessage) => Refusal {
  const names = new Set(["localhost", "127.0.0.1", "[::1]", bracketed(host), ...hosts]);
  const expected = token === null ? null : digest(token.reveal());

  const isKnown = (name: string, { localAddress }: IncomingMessage["socket"]): boolean => {
    if (names.has(name) || name.endsWith(".localhost")) return true;
    // Behind a wildcard the address that was called is one that is listened on; no page's name is.
    const own = localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
    return own !== undefined && name === bracketed(own);
  };

  return (request) => {
    const name = HOST.exec(request.headers.host ?? "")?.[1]?.toLowerCase();
    if (name === undefined || !isKnown(name, request.socket)) return "host";
    if (expected === null) return null;
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    return timingSafeEqual(digest(sent), expected) ? null : "token";
  };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
