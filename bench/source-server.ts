/**
 * A service with V4 pool records for any pool id, in a process of its own so that its CPU is not
 * counted. A settable share of the pools has another value in every answer.
 *
 * Messages to the parent: `{port}` once; for each list of pool ids that the parent sends, `{requests,
 * repeated, firstRequestAt, lastAnswerAt}` since the last one. These pools, and only these, have little in them from then on.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { API_KEY } from "./pools.ts";
import { recordParts } from "./record.ts";

interface Kept {
  readonly parts: readonly [string, string, string];
  readonly changes: boolean;
  asked: number;
  /** In which it was asked for last. */
  period: number;
}

const share = Number(process.argv[2] ?? "0.2");
const records = new Map<string, Kept>();
let poor: ReadonlySet<string> = new Set();
let requests = 0;
let repeated = 0;
let firstRequestAt = 0;
let lastAnswerAt = 0;
/** Raised whenever the parent asks. */
let period = 1;

function recordText(chainId: number, id: string): string {
  const key = `${chainId}:${id}`;
  let kept = records.get(key);
  if (kept === undefined) {
    // The last bytes of an id are as good as chance, and the same in every run.
    const chance = Number.parseInt(id.slice(-8), 16) / 2 ** 32;
    kept = { parts: recordParts(chainId, id), changes: chance < share, asked: 0, period: 0 };
    records.set(key, kept);
  }
  kept.asked += 1;
  if (kept.period === period) repeated += 1;
  kept.period = period;
  const isPoor = poor.has(id);
  const step = kept.changes || isPoor ? kept.asked : 0;
  const [first, second, third] = kept.parts;
  const cents = String((step * 37) % 100).padStart(2, "0");
  return `${first}${(isPoor ? 187_000 : 18_700_000) + step}.${cents}1${second}${1_795_000_000 + step}${third}`;
}

function answer(response: ServerResponse, status: number, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.byteLength,
  });
  response.end(bytes);
  lastAnswerAt = Date.now();
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (request.headers["x-api-key"] !== API_KEY) {
    answer(response, 401, '{"error":"invalid key"}');
  } else if (url.pathname === "/v1/api-key/verify") {
    answer(response, 200, '{"valid":true}');
  } else if (url.pathname === "/v1/dexv4/pool") {
    const ids = url.searchParams.getAll("pool_ids");
    const chainId = Number(url.searchParams.get("chain_id"));
    if (requests === 0) firstRequestAt = Date.now();
    requests += 1;
    if (ids.length === 0 || ids.length > 20 || !Number.isInteger(chainId)) {
      answer(response, 400, '{"error":"1 to 20 pool_ids and a chain_id"}');
    } else {
      answer(response, 200, `[${ids.map((id) => recordText(chainId, id)).join(",")}]`);
    }
  } else {
    answer(response, 404, '{"error":"not found"}');
  }
});

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on("message", (ids: readonly string[]) => {
  poor = new Set(ids);
  process.send?.({ requests, repeated, firstRequestAt, lastAnswerAt });
  requests = 0;
  repeated = 0;
  period += 1;
});
// The parent is gone: so is the reason to serve.
process.on("disconnect", () => process.exit(0));
