import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RawRecord } from "../../src/model/index.ts";
import { gasHour, poolRecord, positionRecord } from "../kinds/records.ts";
import type { Owner } from "./program.ts";

export interface Asked {
  readonly endpoint: "pool" | "position" | "gas" | "supply" | "verify";
  readonly query: URLSearchParams;
  readonly key: string | undefined;
}

/** How one request is answered: by a list of records, or by a hand on the response. */
export type Reply = readonly unknown[] | ((response: ServerResponse) => void);

/** The service as a test wants it, over real HTTP on loopback. */
export interface ScriptedService {
  readonly baseUrl: string;
  /** What has been asked so far, the key's verification included. */
  readonly asked: readonly Asked[];
  /** How requests are answered from now on; null: as a good service does. */
  answer(how: ((asked: Asked) => Reply | null) | null): void;
  /** Resolves once `count` more requests have come that fit; all but `verify` unless told. */
  requests(count: number, fits?: (asked: Asked) => boolean): Promise<void>;
  close(): Promise<void>;
}

const ENDPOINTS: Readonly<Record<string, Asked["endpoint"]>> = {
  "/v1/dexv4/pool": "pool",
  "/v1/dexv4/position": "position",
  "/v1/gas/blocks/hourly": "gas",
  "/v1/erc20/supply": "supply",
  "/v1/api-key/verify": "verify",
};

/** Starts it on `port`, 0 for any; the end of the test closes it. */
export async function startScriptedService(owner: Owner, port = 0): Promise<ScriptedService> {
  const asked: Asked[] = [];
  const waiting = new Set<(one: Asked) => void>();
  let how: ((asked: Asked) => Reply | null) | null = null;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://service");
    const endpoint = ENDPOINTS[url.pathname];
    if (endpoint === undefined) {
      response.writeHead(404).end();
      return;
    }
    const key = request.headers["x-api-key"];
    const one = { endpoint, query: url.searchParams, key: Array.isArray(key) ? key[0] : key };
    asked.push(one);
    reply(response, how?.(one) ?? goodAnswer(one));
    for (const look of waiting) look(one);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  owner.onTestFinished(close);
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next) {
      how = next;
    },
    requests: (count, fits = ({ endpoint }) => endpoint !== "verify") =>
      new Promise((resolve) => {
        let left = count;
        const look = (one: Asked): void => {
          if (!fits(one)) return;
          left -= 1;
          if (left > 0) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      }),
    close,
  };
}

function reply(response: ServerResponse, answer: Reply): void {
  if (typeof answer === "function") return answer(response);
  sendJson(response, 200, answer);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Every record that is asked for, as the fixtures have it. */
function goodAnswer({ endpoint, query }: Asked): Reply {
  const chain = Number(query.get("chain_id"));
  switch (endpoint) {
    case "verify":
      return (response) => sendJson(response, 200, { valid: true });
    case "gas": {
      const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000);
      return [gasHour(hour.toISOString())];
    }
    case "supply":
      return query
        .getAll("token")
        .map((token) => ({ chain_id: chain, token_address: token, total_supply: "1000000" }));
    case "pool":
      return poolsOf(query, { chain_id: chain });
    case "position":
      return query
        .getAll("nft_ids")
        .map((id) =>
          positionRecord({ nft_id: id, chain_id: chain, protocol: query.get("protocol") }),
        );
  }
}

/** The pools of a query, all with the same changes. */
export function poolsOf(query: URLSearchParams, changes: RawRecord): RawRecord[] {
  return query.getAll("pool_ids").map((id) => poolRecord({ pool_id: id, ...changes }));
}
