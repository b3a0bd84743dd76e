import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import { ENDPOINTS, KEY_HEADER } from "../contract/endpoints.ts";
import { ANSWERS, type MarketEndpoint } from "./answers.ts";
import type { Market } from "./market.ts";
import { readQuery } from "./query.ts";
import { Refusal } from "./refusal.ts";

export interface ServiceOptions {
  readonly market: Market;
  /** What time the market is asked about. */
  readonly clock: Clock;
  /** The one key that is valid. It guards a simulation only, so it is plain text. */
  readonly apiKey: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** A loopback address; default 127.0.0.1. */
  readonly host?: string;
}

export interface Service {
  /** `http://127.0.0.1:40123`: what a configuration's `base_url` takes. */
  readonly baseUrl: string;
  /** How many requests have arrived, refused ones included. */
  requests(): number;
  /** Stops listening and drops the connections that are open. */
  close(): Promise<void>;
}

/** Connections of a client that polls once a minute stay open. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Serves what the market has of the specification's current family over HTTP. Resolves once it
 * listens; rejects if the address is taken.
 *
 * Where the specification is silent: faults are `{"error": {"code", "message"}}` with 400, 401 (no
 * key, or a wrong one), 404 (no such path) or 405 (not GET). Verifying a wrong key is no fault: it
 * answers `{"valid": false}`. An unknown pool, position or token is left out of an answer, so that
 * it spoils nobody else's; an unknown chain, or one without tokens, is a fault (400).
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  let requests = 0;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    requests += 1;
    request.resume();
    reply(response, options, request);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, options.host ?? "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    baseUrl: `http://${host}:${address.port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, options: ServiceOptions, request: IncomingMessage): void {
  try {
    send(response, 200, answer(request, options));
  } catch (fault) {
    if (!(fault instanceof Refusal)) {
      // A slip in the market is told to the caller: the service has no log of its own.
      send(response, 500, { error: { code: "internal", message: String(fault) } });
      return;
    }
    if (fault.status === 405) response.setHeader("allow", "GET");
    send(response, fault.status, { error: { code: fault.code, message: fault.message } });
  }
}

/** The body of a good answer; throws Refusal for any other. */
function answer(request: IncomingMessage, { market, clock, apiKey }: ServiceOptions): unknown {
  const target = request.url ?? "";
  const mark = target.indexOf("?");
  const name = BY_PATH.get(mark < 0 ? target : target.slice(0, mark));
  if (name === undefined) throw new Refusal(404, "not_found", "there is no such path");
  if (request.method !== "GET") {
    throw new Refusal(405, "method_not_allowed", "only GET is allowed");
  }
  const key = request.headers[KEY_HEADER];
  if (key === undefined || key === "") {
    throw new Refusal(401, "missing_key", `the header ${KEY_HEADER} is missing`);
  }
  const valid = key === apiKey;
  if (!valid && name !== "verify_key")
    throw new Refusal(401, "invalid_key", "the key is not valid");
  const query = readQuery(ENDPOINTS[name], new URLSearchParams(mark < 0 ? "" : target.slice(mark)));
  return name === "verify_key" ? { valid } : ANSWERS[name](market, query, clock.now());
}

/** What is served; the other endpoints of the specification are not found. */
type ServedEndpoint = "verify_key" | MarketEndpoint;

const BY_PATH: ReadonlyMap<string, ServedEndpoint> = new Map(
  Object.keys(ENDPOINTS)
    .filter(isServed)
    .map((name) => [ENDPOINTS[name].path, name]),
);

function isServed(name: string): name is ServedEndpoint {
  return name === "verify_key" || Object.hasOwn(ANSWERS, name);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
