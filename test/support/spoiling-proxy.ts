import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { baseOf, clonesOf } from "./clones.ts";
import { CONTRACT, ContractJournal } from "./contract-journal.ts";

/** One request, and what a service in good order answers to it. */
export interface Asked {
  readonly endpoint: string;
  readonly params: URLSearchParams;
  /** JSON as the embedded service writes it. */
  readonly text: string;
  /** How often this very request was sent in this round, itself included. */
  readonly attempt: number;
  readonly request: IncomingMessage;
}

/** Sends what a fault makes of an answer. */
export type Spoil = (asked: Asked, response: ServerResponse, elsewhere: string) => void;

/** Good answers by time and request: equal in every world of one market. */
export type AnswerCache = Map<string, Promise<{ readonly status: number; readonly text: string }>>;

export interface SpoilingProxyOptions {
  /** The embedded service. */
  readonly service: string;
  readonly key: string;
  readonly now: () => number;
  readonly cache: AnswerCache;
  /** What is done to answers at a time; null: nothing. */
  readonly spoilAt: (now: number) => Spoil | null;
  /** Told after each answer that is spoilt. */
  readonly onSpoilt: () => void;
}

/**
 * Stands between the daemon and the embedded service: writes every request down, and spoils the
 * answers. It knows endpoints from `contract.json` alone.
 */
export class SpoilingProxy {
  readonly journal: ContractJournal;
  /** Requests that were sent where a redirect led to. */
  strays = 0;
  readonly #options: SpoilingProxyOptions;
  readonly #sockets = new Set<Socket>();
  readonly #attempts = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#reply(request, response));
  readonly #elsewhere = createServer((_, response) => {
    this.strays += 1;
    response.end("[]");
  });

  private constructor(options: SpoilingProxyOptions) {
    this.#options = options;
    this.journal = new ContractJournal(options.key, options.now);
  }

  static async start(options: SpoilingProxyOptions): Promise<SpoilingProxy> {
    const proxy = new SpoilingProxy(options);
    for (const server of [proxy.#server, proxy.#elsewhere]) {
      server.on("connection", (socket) => {
        proxy.#sockets.add(socket);
        socket.on("close", () => proxy.#sockets.delete(socket));
        // A client that gives up resets the connection.
        socket.on("error", () => {});
      });
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve);
      });
    }
    return proxy;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  async close(): Promise<void> {
    const servers = [this.#server, this.#elsewhere];
    const closed = servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
        }),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { now, spoilAt, onSpoilt } = this.#options;
    request.resume();
    const arrival = this.journal.take(request);
    response.on("close", () => {
      arrival.status = response.headersSent ? response.statusCode : null;
      this.journal.done();
    });
    const { endpoint, url, params, at } = arrival;
    if (endpoint === null) {
      response.writeHead(404).end();
      return;
    }
    const attempt = (this.#attempts.get(`${at} ${url}`) ?? 0) + 1;
    this.#attempts.set(`${at} ${url}`, attempt);
    const spoil = spoilAt(now());
    const { status, text } = await this.#good(endpoint, params);
    if (status === 200 && spoil !== null) {
      const asked = { endpoint, params, text, attempt, request };
      spoil(asked, response, urlOf(this.#elsewhere));
      onSpoilt();
      return;
    }
    // The embedded service is stricter than any: what it refuses is a deviation.
    if (status !== 200) this.journal.deviations.push(`${url}: ${status} ${text}`);
    sendJson(response, text, status);
  }

  async #good(
    endpoint: string,
    params: URLSearchParams,
  ): Promise<{ status: number; text: string }> {
    const { cache, now } = this.#options;
    const base = baseOf(endpoint, params);
    const name = `${now()} ${endpoint}?${base}`;
    let answer = cache.get(name);
    if (answer === undefined) {
      answer = this.#ask(endpoint, base);
      cache.set(name, answer);
    }
    const { status, text } = await answer;
    return { status, text: status === 200 ? clonesOf(endpoint, params, text) : text };
  }

  async #ask(endpoint: string, params: URLSearchParams): Promise<{ status: number; text: string }> {
    const { service, key } = this.#options;
    const { family, path } = CONTRACT.endpoints[endpoint] ?? { family: "current", path: "" };
    const { current, earlier } = CONTRACT.auth;
    const query = new URLSearchParams(params);
    if (family === "earlier") query.set(earlier.query, key);
    const headers = family === "current" ? { [current.header]: key } : {};
    const answer = await fetch(`${service}${path}?${query}`, { headers });
    return { status: answer.status, text: await answer.text() };
  }
}

export function sendJson(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

function urlOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
