import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ENDPOINTS, type EndpointName, KEY_HEADER, KEY_PARAMETER } from "../api/endpoints.ts";
import type { Clock } from "../base/clock.ts";
import { answerOf, isServed } from "./answers.ts";
import { type Fault, faultAt, replyWith, sendText } from "./faults.ts";
import { readQuery } from "./query.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

export interface ServiceOptions {
  readonly world: World;
  /** What time the world is asked about. */
  readonly clock: Clock;
  /** The one key that is valid. It guards a simulation only, so it is plain text. */
  readonly apiKey: string;
  /** What it does wrong on purpose. */
  readonly faults?: readonly Fault[];
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** A loopback address; default 127.0.0.1. */
  readonly host?: string;
}

export interface Service {
  /**
   * `http://127.0.0.1:40123`: what a configuration's `base_url` takes, and its `legacy_base_url`, for
   * both families are served at one address.
   */
  readonly baseUrl: string;
  /** How many requests have arrived, refused ones included. */
  requests(): number;
  /** Stops listening and drops the connections that are open. */
  close(): Promise<void>;
}

/** Connections of a client that polls once a minute stay open. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Serves the world as the specification's service over HTTP, all endpoints of both families, and those
 * beyond them if the world has them.
 * Resolves once it listens; rejects if the address is taken. No request is logged anywhere.
 *
 * Where the specification is silent, faults are `{"error": {"code", "message"}}`:
 *
 * - 404 `not_found`: no such path; 405 `method_not_allowed`: not GET.
 * - 401 `missing_key`, `invalid_key`: of the header (current family) or `apikey` (earlier family);
 *   the other family's way does not count. Verifying a wrong key is no fault: it answers
 *   `{"valid": false}`.
 * - 400 `missing_parameter` (of the earlier family all are required that have no default),
 *   `unknown_parameter`, `duplicate_parameter`, `too_many_values`, `bad_value` (wrong form, over a
 *   limit, `from` after `to`), `range_too_long`.
 * - 400 `unsupported_chain`: an unknown chain, or, of the current family's token endpoints, one
 *   without the stablecoin.
 * - 404 `unknown_token`, `unknown_pool`: where the question is about one. Where it is about many,
 *   an unknown one is left out of the answer, so that it spoils nobody else's.
 * - 404 `not_indexed`, `not_countable`: the world knows the subject and cannot answer this about it.
 * - 503 `chain_unavailable`: the world cannot answer about this chain now.
 *
 * Lists of the earlier family begin with the newest entry or the richest holder, daily and hourly
 * ones of the current family with the oldest.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  let requests = 0;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    requests += 1;
    request.resume();
    void reply(response, options, request);
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

/** Never rejects. */
async function reply(
  response: ServerResponse,
  options: ServiceOptions,
  request: IncomingMessage,
): Promise<void> {
  try {
    const fault = faultOf(request, options);
    if (fault === null) send(response, 200, await answer(request, options, 0));
    else await replyWith(fault, response, (lagMs) => answer(request, options, lagMs));
  } catch (fault) {
    if (!(fault instanceof Refusal)) {
      // A slip in the world is told to the caller: the service has no log of its own.
      send(response, 500, { error: { code: "internal", message: String(fault) } });
      return;
    }
    if (fault.status === 405) response.setHeader("allow", "GET");
    send(response, fault.status, { error: { code: fault.code, message: fault.message } });
  }
}

function faultOf(request: IncomingMessage, options: ServiceOptions): Fault | null {
  const { faults = [], clock, world } = options;
  const name = BY_PATH.get(splitTarget(request).path);
  return name === undefined ? null : faultAt(faults, name, clock.now() - world.start);
}

function splitTarget({ url = "" }: IncomingMessage): { path: string; query: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark) };
}

/** The body of a good answer, as it was `lagMs` ago; rejects with Refusal for any other. */
async function answer(
  request: IncomingMessage,
  { world, clock, apiKey }: ServiceOptions,
  lagMs: number,
): Promise<unknown> {
  const { path, query: text } = splitTarget(request);
  const name = BY_PATH.get(path);
  if (name === undefined || !isServed(name, world)) {
    throw new Refusal("not_found", "there is no such path");
  }
  if (request.method !== "GET") {
    throw new Refusal("method_not_allowed", "only GET is allowed");
  }
  const search = new URLSearchParams(text);
  const key = keyOf(request, name, search);
  const valid = key === apiKey;
  if (!valid && name !== "verify_key") {
    throw new Refusal("invalid_key", "the key is not valid");
  }
  const query = readQuery(ENDPOINTS[name], search, apiKey);
  return name === "verify_key" ? { valid } : answerOf(name, world, query, clock.now() - lagMs);
}

/** The key as its family sends it; that of the query string is taken out of it. */
function keyOf(request: IncomingMessage, name: EndpointName, search: URLSearchParams): string {
  const { family } = ENDPOINTS[name];
  if (family === "current") {
    const key = request.headers[KEY_HEADER];
    if (typeof key === "string" && key !== "") return key;
    throw new Refusal("missing_key", `the header ${KEY_HEADER} is missing`);
  }
  const [key, ...more] = search.getAll(KEY_PARAMETER);
  search.delete(KEY_PARAMETER);
  if (key === undefined || key === "") {
    throw new Refusal("missing_key", `the parameter ${KEY_PARAMETER} is missing`);
  }
  if (more.length === 0) return key;
  throw new Refusal("duplicate_parameter", `${KEY_PARAMETER} takes one value`);
}

const BY_PATH: ReadonlyMap<string, EndpointName> = new Map(
  Object.keys(ENDPOINTS)
    .filter(isEndpoint)
    .map((name) => [ENDPOINTS[name].path, name]),
);

function isEndpoint(name: string): name is EndpointName {
  return Object.hasOwn(ENDPOINTS, name);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body));
}

/**
 * The key that the embedded service takes in the demo. It opens nothing but a simulated market on
 * loopback and is no secret; the prefix says so wherever it turns up.
 */
export const DEMO_KEY = "twk_demo_5f1c9be27a4d80364e9b";
