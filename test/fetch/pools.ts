import type { IncomingMessage } from "node:http";
import { Secret } from "../../src/base/text.ts";
import { createHttpSource, type HttpSourceOptions } from "../../src/fetch/http.ts";
import type { Source } from "../../src/fetch/source.ts";
import type { Answer, Ask } from "../../src/model/index.ts";
import { type FaultServer, faultServer, type Handler } from "./fault-server.ts";

const idOf = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;

export function pool(n: number, chainId = 1): Ask {
  const id = idOf(n);
  return { key: `v4_pool:${chainId}:${id}`, record: "v4_pool", chainId, id };
}

export const pools = (count: number, chainId = 1): Ask[] =>
  Array.from({ length: count }, (_, n) => pool(n, chainId));

export function gas(chainId: number): Ask {
  const key = `gas_hour:${chainId}`;
  return { key, record: "gas_hour", chainId, id: "", from: "2026-11-26", to: "2026-11-27" };
}

/** The pools that a request asks for. */
export function asked({ url = "" }: Pick<IncomingMessage, "url">): number[] {
  const ids = new URL(url, "http://localhost").searchParams.getAll("pool_ids");
  return ids.map(Number);
}

export function chainOf({ url = "" }: Pick<IncomingMessage, "url">): number {
  return Number(new URL(url, "http://localhost").searchParams.get("chain_id"));
}

/** Good records for all that is asked; a pool's TVL is its number. */
export function records(request: IncomingMessage): object[] {
  const chain_id = chainOf(request);
  return asked(request).map((n) => ({ pool_id: idOf(n), chain_id, tvl_usd: n }));
}

export interface Served {
  readonly server: FaultServer;
  readonly source: Source;
  /** What it warned of. */
  readonly warned: string[];
  /** Moves the clock that waits between tries run on. */
  readonly advance: (ms: number) => void;
  /** One round: everything is asked under one signal; TVLs, or the failures' `reason: detail`. */
  readonly round: (asks: readonly Ask[], signal?: AbortSignal) => Promise<unknown[]>;
  readonly close: () => Promise<void>;
}

/** A source whose own clock stands still, before a real server that answers as the test says. */
export async function serve(
  handler: Handler,
  options: Partial<HttpSourceOptions> = {},
): Promise<Served> {
  const server = await faultServer(handler);
  const warned: string[] = [];
  let time = 1_000;
  const source = createHttpSource({
    baseUrl: server.url,
    apiKey: new Secret("s3cret-0f-the-service"),
    timeoutMs: 5_000,
    concurrency: 8,
    requestsPerSecond: 10_000,
    retryMs: 1,
    now: () => time,
    warn: (message) => warned.push(message),
    ...options,
  });
  return {
    server,
    source,
    warned,
    advance: (ms) => {
      time += ms;
    },
    round: async (asks, signal = new AbortController().signal) => {
      const answers = await Promise.all(source.plan(asks).map((r) => source.fetch(r, signal)));
      return answers.flat().map(told);
    },
    close: async () => {
      await source.close();
      await server.close();
    },
  };
}

function told(answer: Answer): unknown {
  if (answer.status === "ok") return answer.records[0]?.["tvl_usd"] ?? "ok";
  if (answer.status === "absent") return "absent";
  return `${answer.failure.reason}: ${answer.failure.detail}`;
}
