import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Clock } from "../base/clock.ts";
import { MINUTE, SECOND } from "../base/duration.ts";
import { errorCode } from "../base/error-code.ts";
import type { Log } from "../base/log.ts";
import type { WebConfig } from "../model/index.ts";
import type { Api } from "./api/api.ts";
import { createWebApp } from "./app.ts";
import { createHostCheck } from "./guard.ts";
import { isMonitored, type Monitor } from "./monitor.ts";

export interface WebParts {
  readonly config: WebConfig;
  readonly monitor: Monitor;
  /** Null: health and metrics alone are served. */
  readonly api: Api | null;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface Web {
  /** Such as `http://127.0.0.1:9464`; null while it cannot listen. */
  url(): string | null;
  /** Answers what is under way, for a second at most. */
  stop(): Promise<void>;
}

/** Monitors and open pages are few; whoever opens more connections gets none. */
const MOST_CONNECTIONS = 256;
/** Beyond those, for health and metrics alone: who watches the watcher is not kept out by open pages. */
const MOST_OF_MONITORS = 64;
const LARGEST_HEADER = 8 * 1_024;
const STOP_GRACE_MS = SECOND;

/**
 * Serves the page, the API, health and metrics. An address that cannot be had is no reason not to watch: it
 * is tried again every minute, and said in the log. Never rejects.
 */
export async function startWeb(parts: WebParts): Promise<Web> {
  const { config, clock, log } = parts;
  const app = createWebApp(parts);
  const isOwnHost = createHostCheck(config);
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    hostname: "localhost",
    errorHandler: (error) => {
      // What is no HTTP at all, such as an address without a host.
      log.debug({ err: error }, "a web request could not be read");
      return new Response("bad request\n", { status: 400, headers: { connection: "close" } });
    },
  });
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEADER,
      headersTimeout: 5 * SECOND,
      requestTimeout: 10 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      keepAliveTimeout: 5 * SECOND,
    },
    (request, response) => {
      if (hostsOf(request) > 1) refuse(response, 400, "there is more than one Host header");
      else if (!isOwnHost(request)) {
        refuse(response, 403, "the Host header names another machine; see web.hosts");
      } else if (beyond.has(request.socket) && !isMonitored(pathOf(request))) {
        const detail = `${MOST_CONNECTIONS} connections are open already; close some pages`;
        refuse(response, 503, detail);
      } else void listener(request, response);
    },
  );
  server.maxConnections = MOST_CONNECTIONS + MOST_OF_MONITORS;
  const beyond = new WeakSet<Socket>();
  let open = 0;
  server.on("connection", (socket) => {
    open += 1;
    if (open > MOST_CONNECTIONS) beyond.add(socket);
    socket.once("close", () => {
      open -= 1;
    });
  });
  // Also who reads too slowly is left; a stream of events says something more often.
  server.setTimeout(15 * SECOND);
  let cancel = (): void => {};
  let stopping = false;
  let said = false;
  const before = parts.api === null ? "" : config.page ? "the page, its API, " : "the API, ";
  const served = `${before}metrics and health`;

  const listen = async (): Promise<void> => {
    const problem = await listenOn(server, config);
    if (problem === null) log.info({ url: urlOf(server) }, `${served} are served`);
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
      resolve(errorCode(error) ?? error.message);
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

/** How many Host headers there are; Node itself shows the first alone. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

/** Before anything is made of the request. */
function refuse(response: ServerResponse, status: 400 | 403 | 503, detail: string): void {
  const body = `${detail}\n`;
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    connection: "close",
  });
  response.end(body);
}
