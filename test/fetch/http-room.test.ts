import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import type { Request, Source } from "../../src/fetch/source.ts";
import type { Ask } from "../../src/model/index.ts";
import { faultServer, json } from "./fault-server.ts";

const never = new AbortController().signal;
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function requestOf(source: Source, n: number): Request {
  const id = `0x${n.toString(16).padStart(64, "0")}`;
  const ask: Ask = { key: `v4_pool:1:${id}`, record: "v4_pool", chainId: 1, id };
  const [request] = source.plan([ask]);
  if (request === undefined) throw new Error("no request");
  return request;
}

/** A server that leaves answering to the test, and a source that may send `concurrency` at once. */
async function open(concurrency: number): Promise<{
  source: Source;
  /** The next request's response, once it has come. */
  next: () => Promise<ServerResponse>;
}> {
  const came: ServerResponse[] = [];
  const waiting: ((response: ServerResponse) => void)[] = [];
  const server = await faultServer((_, response) => {
    const first = waiting.shift();
    if (first === undefined) came.push(response);
    else first(response);
  });
  const source = createHttpSource({
    baseUrl: server.url,
    apiKey: new Secret("key"),
    timeoutMs: 5_000,
    concurrency,
    requestsPerSecond: 1_000,
    retryMs: 4_000,
  });
  closing.push(server.close, () => source.close());
  const next = (): Promise<ServerResponse> => {
    const response = came.shift();
    if (response !== undefined) return Promise.resolve(response);
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  };
  return { source, next };
}

describe("room for another request", () => {
  it("is there while fewer are under way than may be, and again when one has ended", async () => {
    const { source, next } = await open(3);
    const { signal } = new AbortController();
    await source.room(requestOf(source, 9), never);
    const first = source.fetch(requestOf(source, 1), signal);
    await source.room(requestOf(source, 9), never);
    const second = source.fetch(requestOf(source, 2), signal);
    const [one, other] = [await next(), await next()];
    let room = false;
    const asked = source.room(requestOf(source, 9), never).then(() => {
      room = true;
    });
    await turn();
    expect(room).toBe(false);
    json(one, []);
    await asked;
    json(other, []);
    expect(await Promise.all([first, second])).toEqual([
      [{ status: "absent" }],
      [{ status: "absent" }],
    ]);
  });

  it("is kept for other endpoints, however many requests hang at one", async () => {
    const { source, next } = await open(4);
    const stop = new AbortController();
    const hanging = [1, 2, 3, 4, 5].map((n) => source.fetch(requestOf(source, n), stop.signal));
    for (let n = 0; n < 3; n += 1) await next();
    const ask: Ask = {
      key: "gas",
      record: "gas_hour",
      chainId: 1,
      id: "",
      from: "2026-11-27",
      to: "2026-11-28",
    };
    const [other] = source.plan([ask]);
    if (other === undefined) throw new Error("no request");
    await source.room(other, never);
    const fetched = source.fetch(other, stop.signal);
    json(await next(), []);
    expect(await fetched).toEqual([{ status: "absent" }]);
    stop.abort();
    await Promise.all(hanging);
  });

  it("is left by a request that waits for its retry", async () => {
    const { source, next } = await open(1);
    const stop = new AbortController();
    const fetched = source.fetch(requestOf(source, 1), stop.signal);
    const response = await next();
    response.writeHead(503).end();
    await source.room(requestOf(source, 9), never);
    stop.abort();
    expect(await fetched).toMatchObject([{ failure: { reason: "out_of_time" } }]);
  });

  it("is not waited for when the time of the round is over, and nothing is sent or counted", async () => {
    const told: unknown[] = [];
    const server = await faultServer((_, response) => json(response, []));
    const source = createHttpSource({
      baseUrl: server.url,
      apiKey: new Secret("key"),
      timeoutMs: 5_000,
      concurrency: 2,
      requestsPerSecond: 1,
      onRequest: (_, failure) => told.push(failure),
    });
    closing.push(server.close, () => source.close());
    const over = AbortSignal.abort();
    await source.room(requestOf(source, 1), over);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => source.fetch(requestOf(source, n), over)),
    );
    for (const [answer] of answers) {
      expect(answer).toMatchObject({ failure: { reason: "out_of_time", detail: "out of time" } });
    }
    expect(source.sent?.(over)).toBe(0);
    // Whoever comes next finds the rate as it was, and the endpoint well: fifty turns would be fifty seconds.
    const begun = performance.now();
    expect(await source.fetch(requestOf(source, 1), never)).toEqual([{ status: "absent" }]);
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(server.requests).toHaveLength(1);
    expect(told).toEqual([null]);
  });
});
