import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints.ts";
import type { Request } from "../../src/fetch/source.ts";
import type { Failure } from "../../src/model/index.ts";
import { json } from "./fault-server.ts";
import { entriesOf, goodAnswer, type Json, withEntries } from "./good-answer.ts";

/** What should come of a fault: a failure, or an answer of one kind or the other. */
export type Expected = Failure["reason"] | "ok" | "absent" | "ok or absent";

export interface Fault {
  readonly name: string;
  /** Sends the answer to a request that a source has planned. */
  readonly answer: (request: Request, response: ServerResponse, incoming: IncomingMessage) => void;
  readonly expected: Expected | ((endpoint: EndpointName) => Expected);
}

const NAMES = ["token_address", "pool_id", "pool_address", "nft_id", "chain_id"];
/** These name nothing of what they are about. */
const NAMELESS: ReadonlySet<EndpointName> = new Set([
  "supply_history",
  "balance_history",
  "gas_hourly",
]);

function status(code: number, expected: Expected, headers: Record<string, string> = {}): Fault {
  return {
    name: [`${code}`, ...Object.values(headers)].join(" "),
    expected,
    answer: (_, response, { url, headers: sent }) => {
      // A service that says what it was asked says the key as well.
      response.writeHead(code, { "content-type": "text/html", ...headers });
      response.end(`<h1>Oops</h1>GET ${url} ${sent["x-api-key"]} ${encodeURIComponent(url ?? "")}`);
    },
  };
}

function body(name: string, expected: Fault["expected"], text: (good: string) => string): Fault {
  return {
    name,
    expected,
    answer: (request, response) => response.end(text(JSON.stringify(goodAnswer(request)))),
  };
}

function spoilt(
  name: string,
  expected: Fault["expected"],
  spoil: (entries: Json[], endpoint: EndpointName) => unknown,
): Fault {
  return {
    name,
    expected,
    answer: (request, response) => {
      const { endpoint } = request;
      const good = goodAnswer(request);
      json(response, withEntries(endpoint, good, spoil(entriesOf(endpoint, good), endpoint)));
    },
  };
}

/** Everything that names what a record is about says something else. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  const changes = NAMES.filter((name) => name in value).map((name) => [name, "0xbad"]);
  return { ...value, ...Object.fromEntries(changes) };
}

function headersSent(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100000" });
}

function isArray(array: Expected, other: Expected): (endpoint: EndpointName) => Expected {
  return (endpoint) => (ENDPOINTS[endpoint].shape === "array" ? array : other);
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** One of each shape; more of them would say no more and take long. */
const STREAMED: ReadonlySet<EndpointName> = new Set(["v4_pool", "v3_pool", "v4_swaps"]);

let bomb: Buffer | null = null;

export const FAULTS: readonly Fault[] = [
  { name: "nothing at all", expected: "timeout", answer: () => {} },
  {
    name: "headers, and then nothing",
    expected: "timeout",
    answer: (_, response) => {
      headersSent(response);
      response.flushHeaders();
    },
  },
  {
    name: "a dripping body",
    expected: "timeout",
    answer: (_, response) => {
      headersSent(response);
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    },
  },
  {
    name: "a reset before the headers",
    expected: "network",
    answer: (_, response) => void response.socket?.resetAndDestroy(),
  },
  {
    name: "a reset after the headers",
    expected: "network",
    answer: (_, response) => {
      headersSent(response);
      response.write("[", () => response.socket?.resetAndDestroy());
    },
  },
  {
    name: "half a body",
    expected: "network",
    answer: (request, response) => {
      const text = JSON.stringify(goodAnswer(request));
      response.writeHead(200, { "content-length": String(text.length) });
      response.write(text.slice(0, text.length / 2), () => response.socket?.end());
    },
  },
  {
    name: "no HTTP",
    expected: "network",
    answer: (_, response) => void response.socket?.end("220 mail.example.org ESMTP\r\n"),
  },
  body("an empty body", "malformed", () => ""),
  body("truncated JSON", "malformed", (good) => good.slice(0, -2)),
  body("JSON with more behind it", "malformed", (good) => `${good}${good}`),
  body("HTML", "malformed", () => "<!doctype html><title>Log in</title><script>x()</script>"),
  body("NaN where numbers should be", "malformed", (good) => good.replace("{", '{"n":NaN,')),
  body("null", "malformed", () => "null"),
  body("a number", "malformed", () => "42"),
  body("text", "malformed", () => '"OK"'),
  body("endless brackets", "malformed", () => "[".repeat(200_000)),
  body("deep nesting", isArray("absent", "malformed"), () => nested(50_000)),
  body("deep nesting within", "ok", (good) => good.replace("{", `{"n":${nested(5_000)},`)),
  body("huge numbers", "ok", (good) => good.replaceAll(/:7\b/g, `:${"7".repeat(5_000)}`)),
  body("numbers beyond all doubles", "ok", (good) => good.replaceAll(/:7\b/g, ":1e999")),
  body("a byte order mark", "ok", (good) => `\ufeff${good}`),
  body("keys with a meaning of their own", "ok", (good) =>
    good.replace("{", '{"__proto__":{"chain_id":9},"constructor":1,"toString":null,'),
  ),
  {
    name: "an error object",
    expected: "malformed",
    answer: (_, response, { url }) => json(response, { error: { code: 7, message: `at ${url}` } }),
  },
  {
    name: "a message",
    expected: "malformed",
    answer: (_, response) => json(response, { message: "indexer is behind", status: 500 }),
  },
  {
    name: "a list for an object, and an object for a list",
    expected: "malformed",
    answer: (request, response) => {
      const good = goodAnswer(request);
      json(response, Array.isArray(good) ? { data: good } : [good]);
    },
  },
  {
    name: "another thing's record",
    expected: (endpoint) => (NAMELESS.has(endpoint) ? "ok" : "absent"),
    answer: (request, response) => json(response, renamed(goodAnswer(request))),
  },
  {
    name: "nothing but nulls",
    expected: (endpoint) => (endpoint === "gas_hourly" ? "ok" : "ok or absent"),
    answer: (request, response) => {
      const nulls = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(nulls);
        if (typeof value !== "object" || value === null) return null;
        const nothing: Json = {};
        for (const [name, inner] of Object.entries(value as Json)) {
          nothing[name] = Array.isArray(inner) || NAMES.includes(name) ? inner : null;
        }
        return nothing;
      };
      json(response, nulls(goodAnswer(request)));
    },
  },
  spoilt("everything twice", "ok", (entries) => [...entries, ...entries]),
  spoilt("strangers before it", "ok", (entries) => [renamed(entries[0]), null, 7, ...entries]),
  status(301, "refused", { location: "http://127.0.0.1:1/elsewhere" }),
  status(400, "refused"),
  status(401, "unauthorized"),
  status(403, "unauthorized"),
  status(404, "refused"),
  status(413, "refused"),
  status(418, "refused"),
  status(429, "rate_limited", { "retry-after": "3600" }),
  status(429, "rate_limited", { "retry-after": "Fri, 01 Jan 2100 00:00:00 GMT" }),
  status(429, "rate_limited", { "retry-after": "soon" }),
  status(500, "server_error"),
  status(502, "server_error"),
  status(503, "server_error"),
  status(504, "server_error"),
  {
    name: "50 MB, as it says",
    expected: "too_large",
    answer: (_, response) => {
      response.writeHead(200, { "content-length": "50000000" });
      response.write("[");
    },
  },
  {
    name: "50 MB, piece by piece",
    expected: "too_large",
    answer: ({ endpoint }, response) => {
      if (!STREAMED.has(endpoint)) response.writeHead(200, { "content-length": "50000000" });
      const piece = Buffer.alloc(STREAMED.has(endpoint) ? 1_000_000 : 1, 32);
      let left = STREAMED.has(endpoint) ? 50 : 1;
      const send = (): void => {
        left -= 1;
        if (left >= 0 && !response.destroyed) response.write(piece, send);
      };
      send();
    },
  },
  {
    name: "a gzip bomb",
    expected: "too_large",
    answer: (_, response) => {
      bomb ??= gzipSync(Buffer.alloc(50_000_000, 32), { level: 1 });
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(bomb);
    },
  },
  {
    name: "gzip that is none",
    expected: "malformed",
    answer: (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end("[]");
    },
  },
  {
    name: "an unknown compression",
    expected: "malformed",
    answer: (_, response) => {
      response.writeHead(200, { "content-encoding": "zip" });
      response.end("[]");
    },
  },
  {
    name: "a wrong content type",
    expected: "ok",
    answer: (request, response) => {
      response.writeHead(200, { "content-type": "image/png; charset=ebcdic" });
      response.end(JSON.stringify(goodAnswer(request)));
    },
  },
  {
    name: "a connection closed behind it",
    expected: "ok",
    answer: (request, response) => {
      response.setHeader("connection", "close");
      json(response, goodAnswer(request));
    },
  },
];
