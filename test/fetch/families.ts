import type { IncomingMessage } from "node:http";
import { Secret } from "../../src/base/text.ts";
import { createHttpSource, type HttpSourceOptions } from "../../src/fetch/http.ts";
import type { Source } from "../../src/fetch/source.ts";
import type { Answer, Ask } from "../../src/model/index.ts";
import { type FaultServer, faultServer, type Handler } from "./fault-server.ts";

/** Full of what a URL must have encoded. */
export const KEY = "twk_S3cret-Key+42 /&?#=%";
/** Another one in each test: `afterEach(closeAll)`. */
const closing: (() => Promise<void>)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}

export async function open(handler: Handler): Promise<FaultServer> {
  const server = await faultServer(handler);
  closing.push(server.close);
  return server;
}

export function sourceAt(
  baseUrl: string | null,
  legacyBaseUrl: string | null,
  options: Partial<HttpSourceOptions> = {},
): Source {
  const source = createHttpSource({
    baseUrl,
    legacyBaseUrl,
    apiKey: new Secret(KEY),
    timeoutMs: 60_000,
    concurrency: 8,
    requestsPerSecond: 10_000,
    retryMs: 1,
    ...options,
  });
  closing.push(() => source.close());
  return source;
}

export async function ask(
  source: Source,
  asks: readonly Ask[],
  signal = new AbortController().signal,
): Promise<Answer[]> {
  const requests = source.plan(asks);
  return (await Promise.all(requests.map((one) => source.fetch(one, signal)))).flat();
}

export const searchOf = ({ url = "" }: Pick<IncomingMessage, "url">) =>
  new URL(url, "http://x").searchParams;
export const isEarlier = ({ url = "" }: Pick<IncomingMessage, "url">): boolean =>
  /\/(?:api|dexv3)\//.test(url) && !url.includes("/v1/x/");
