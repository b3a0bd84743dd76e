/** The service and the receiver of a soak: values that come and go, answers that fail, a sink that refuses. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { API_KEY } from "./pools.ts";
import { recordParts } from "./record.ts";

export interface SoakService {
  readonly serviceUrl: string;
  readonly sinkUrl: string;
  /** What arrived and what failed so far. */
  counts(): { readonly requests: number; readonly failed: number; readonly notices: number };
  stop(): void;
}

/** Every so many requests one fails, each time in another way. */
const FAILS_EVERY = 1_500;
/** Every so many requests the service is out for some. */
const OUT_EVERY = 7_000;
const OUT_FOR = 20;
const SINK_FAILS_EVERY = 400;
/** So many answers make a full turn of a value, up and down. */
const TURN = 700;

type Fault = (response: ServerResponse, body: string) => void;

const FAULTS: readonly Fault[] = [
  (response) => void response.writeHead(503).end("busy"),
  (response, body) => void response.writeHead(200).end(body.slice(0, body.length / 2)),
  (response) => void response.destroy(),
  (response) => void response.writeHead(429, { "retry-after": "0" }).end(),
  (response) => void response.writeHead(200).end("[]"),
];

export async function startSoakService(): Promise<SoakService> {
  const asked = new Map<string, number>();
  let requests = 0;
  let failed = 0;
  let posts = 0;
  let notices = 0;

  function record(chainId: number, id: string): string {
    const key = `${chainId}:${id}`;
    const count = (asked.get(key) ?? Number.parseInt(id.slice(-4), 16) % TURN) + 1;
    asked.set(key, count);
    const dollars = Math.round(1_000_000 + 300_000 * Math.sin((2 * Math.PI * count) / TURN));
    const [first, second, third] = recordParts(chainId, id);
    return `${first}${dollars}.25${second}${1_795_000_000 + count}${third}`;
  }

  const service = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (request.headers["x-api-key"] !== API_KEY) return void response.writeHead(401).end();
    if (url.pathname !== "/v1/dexv4/pool")
      return void response.writeHead(200).end('{"valid":true}');
    requests += 1;
    const chainId = Number(url.searchParams.get("chain_id"));
    const ids = url.searchParams.getAll("pool_ids");
    const body = `[${ids.map((id) => record(chainId, id)).join(",")}]`;
    const out = requests % OUT_EVERY < OUT_FOR && requests > OUT_EVERY;
    const fault =
      requests % FAILS_EVERY === 0 ? FAULTS[(requests / FAILS_EVERY) % FAULTS.length] : null;
    if (out || (fault !== null && fault !== undefined)) {
      failed += 1;
      return out ? void response.writeHead(500).end("out") : fault?.(response, body);
    }
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });

  const sink = createServer((request, response) => {
    request.resume().once("end", () => {
      posts += 1;
      if (posts % SINK_FAILS_EVERY === 0) return void response.writeHead(503).end();
      notices += 1;
      response.writeHead(204).end();
    });
  });

  return {
    serviceUrl: await listen(service),
    sinkUrl: await listen(sink),
    counts: () => ({ requests, failed, notices }),
    stop() {
      for (const server of [service, sink]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function listen(server: Server): Promise<string> {
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}
