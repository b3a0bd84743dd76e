import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { cleanText, Secret } from "../../src/base/text.ts";
import { createHttpSource, type HttpSourceOptions } from "../../src/fetch/http.ts";
import type { Source } from "../../src/fetch/source.ts";
import type { Answer, Ask, Failure } from "../../src/model/index.ts";
import { type FaultServer, faultServer, type Handler, json } from "./fault-server.ts";

const KEY = "twk_S3cret-Key+42";
const never = new AbortController().signal;

const poolId = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
const pool = (n: number): Ask => ({
  key: `v4_pool:1:${poolId(n)}`,
  record: "v4_pool",
  chainId: 1,
  id: poolId(n),
});
const entry = (n: number): object => ({ pool_id: poolId(n), chain_id: 1, tvl_usd: n });
const GAS: Ask = {
  key: "gas_hour:1",
  record: "gas_hour",
  chainId: 1,
  id: "",
  from: "2026-11-26",
  to: "2026-11-27",
};

const closing: (() => Promise<void>)[] = [];
/** Every failure that any test has seen. */
const failures: Failure[] = [];
/** Everything that was logged. */
const logged: string[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(
  handler: Handler,
  options: Partial<HttpSourceOptions> = {},
): Promise<{ server: FaultServer; source: Source }> {
  const server = await faultServer(handler);
  const source = createHttpSource({
    baseUrl: server.url,
    apiKey: new Secret(KEY),
    timeoutMs: 5_000,
    concurrency: 8,
    requestsPerSecond: 10_000,
    retryMs: 2,
    log: (message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`),
    ...options,
  });
  closing.push(server.close, () => source.close());
  return { server, source };
}

async function ask(source: Source, asks: readonly Ask[], signal = never): Promise<Answer[]> {
  const answers = await Promise.all(source.plan(asks).map((r) => source.fetch(r, signal)));
  for (const answer of answers.flat())
    if (answer.status === "failed") failures.push(answer.failure);
  return answers.flat();
}

/** The failure of a request for one id, and how many requests it took. */
async function failureOf(
  handler: Handler,
  options: Partial<HttpSourceOptions> = {},
): Promise<{ reason: string; detail: string; requests: number }> {
  const { server, source } = await serve(handler, options);
  const answers = await ask(source, [pool(1)]);
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  if (answer?.status !== "failed") throw new Error(`no failure: ${JSON.stringify(answer)}`);
  return { ...answer.failure, requests: server.requests.length };
}

async function values(source: Source, ...numbers: number[]): Promise<unknown[]> {
  const answers = await ask(source, numbers.map(pool));
  return answers.map((a) => (a.status === "ok" ? a.records[0]?.tvl_usd : a.status));
}

describe("a good answer", () => {
  it("gives each ask its record, in the order of the asks", async () => {
    const { server, source } = await serve((_, response) => json(response, [entry(2), entry(1)]));
    expect(await values(source, 1, 2)).toEqual([1, 2]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.path).toBe(
      `/v1/dexv4/pool?chain_id=1&pool_ids=${poolId(1)}&pool_ids=${poolId(2)}`,
    );
    expect(server.requests[0]?.headers).toMatchObject({
      "x-api-key": KEY,
      "accept-encoding": "identity",
    });
  });

  it("keeps the path of the base URL", async () => {
    const server = await faultServer((_, response) => json(response, [entry(1)]));
    closing.push(server.close);
    for (const path of ["/proxy/chain", "/proxy/chain/"]) {
      const source = createHttpSource({
        baseUrl: server.url + path,
        apiKey: new Secret(KEY),
        timeoutMs: 5_000,
        concurrency: 1,
        requestsPerSecond: 100,
      });
      closing.push(() => source.close());
      expect(await values(source, 1)).toEqual([1]);
    }
    for (const { path } of server.requests) expect(path).toMatch(/^\/proxy\/chain\/v1\/dexv4\//);
  });

  it("may come in another order and letter case, with strangers, twice, or not at all", async () => {
    const upper = { ...entry(10), pool_id: poolId(10).toUpperCase() };
    const strangers = [entry(99), null, "x", { ...entry(3), chain_id: 137 }];
    const list = [...strangers, entry(4), upper, { ...entry(4), tvl_usd: 0 }];
    const { source } = await serve((_, response) => json(response, list));
    expect(await values(source, 10, 3, 4, 5)).toEqual([10, "absent", 4, "absent"]);
    expect(logged.at(-1)).toContain("entries of an answer were ignored");
  });

  it("keeps nulls and swapped types for the reading of fields to judge", async () => {
    const odd = { pool_id: poolId(1), chain_id: "1", tvl_usd: null, fee: "500", token0: 7 };
    const { source } = await serve((_, response) => json(response, [odd]));
    expect(await ask(source, [pool(1)])).toEqual([{ status: "ok", records: [odd] }]);
  });

  it("keeps every digit of numbers that a double does not hold", async () => {
    const body = `[{"pool_id":"${poolId(1)}","tvl_usd":9007199254740993,"price0":0.12345678901234567891}]`;
    const { source } = await serve((_, response) => response.end(body));
    const [answer] = await ask(source, [pool(1)]);
    expect(answer).toMatchObject({
      records: [{ tvl_usd: "9007199254740993", price0: "0.12345678901234567891" }],
    });
  });

  it("of gas is the whole list, and absent when that is empty", async () => {
    const hours = [{ hour: "2026-11-27T13:00:00Z" }, { hour: "2026-11-27T14:00:00Z" }];
    const { source } = await serve((_, response, n) => json(response, n === 1 ? hours : []));
    expect(await ask(source, [GAS])).toEqual([{ status: "ok", records: hours }]);
    expect(await ask(source, [GAS])).toEqual([{ status: "absent" }]);
  });

  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("is read although it was compressed with %s", async (coding, compress) => {
    const { source } = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": coding });
      response.end(compress(JSON.stringify([entry(1)])));
    });
    expect(await values(source, 1)).toEqual([1]);
  });

  it("is read behind a byte order mark and in many pieces", async () => {
    const body = Buffer.from(`\ufeff${JSON.stringify([{ ...entry(1), name: "Ξ€→" }])}`);
    const { source } = await serve((_, response) => {
      for (const byte of body) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await ask(source, [pool(1)])).toMatchObject([{ records: [{ name: "Ξ€→" }] }]);
  });

  it("comes over one connection that is kept, or over new ones if the server closes them", async () => {
    const kept = await serve((_, response) => json(response, [entry(1)]), { concurrency: 1 });
    for (let i = 0; i < 5; i++) expect(await values(kept.source, 1)).toEqual([1]);
    expect(kept.server.connections()).toBe(1);
    const closed = await serve((_, response) => {
      response.setHeader("connection", "close");
      json(response, [entry(1)]);
    });
    for (let i = 0; i < 5; i++) expect(await values(closed.source, 1)).toEqual([1]);
    expect(closed.server.connections()).toBe(5);
  });
});

describe("an answer that is none", () => {
  it.each([
    ["an HTML page", "<html><title>Oops</title><style>a{}</style><p>Try <b>later</b></html>"],
    ["truncated JSON", '[{"pool_id":"0x12'],
    ["nothing", ""],
    ["text", "ok"],
  ])("is malformed when it is %s, and not asked for again", async (_, body) => {
    const failure = await failureOf((_r, response) => response.end(body));
    expect(failure).toMatchObject({ reason: "malformed", requests: 1 });
    expect(failure.detail).toMatch(/^the answer is not JSON/);
    expect(failure.detail).not.toMatch(/[<>]/);
  });

  it.each([
    ["an error object", { error: { code: 7, message: "indexer is behind" } }, "indexer is behind"],
    ["a bare object", { pools: [] }, '{"pools":[]}'],
    ["null", null, "null"],
    ["a number", 7, "7"],
  ])("is malformed when it is %s where a list was expected", async (_, body, excerpt) => {
    const failure = await failureOf((_r, response) => json(response, body));
    expect(failure).toEqual({
      reason: "malformed",
      detail: `no list in the answer: ${excerpt}`,
      requests: 1,
    });
  });

  it.each([
    [400, "refused", 1],
    [404, "refused", 1],
    [408, "timeout", 3],
    [401, "unauthorized", 1],
    [403, "unauthorized", 1],
    [500, "server_error", 1],
    [501, "server_error", 1],
    [502, "server_error", 3],
    [503, "server_error", 3],
    [504, "server_error", 3],
    [429, "rate_limited", 3],
  ])("of status %i is %s after %i requests", async (status, reason, requests) => {
    const failure = await failureOf((_, response) => json(response, { message: "no" }, status));
    expect(failure).toEqual({ reason, detail: `answered ${status}: no`, requests });
  });

  it.each([301, 302, 307, 308])(
    "of status %i leads nowhere, the key least of all",
    async (status) => {
      const elsewhere = await faultServer((_, response) => json(response, [entry(1)]));
      closing.push(elsewhere.close);
      const failure = await failureOf((_, response) => {
        response.writeHead(status, { location: `${elsewhere.url}/?k=${KEY}` });
        response.end();
      });
      expect(failure).toEqual({ reason: "refused", detail: `answered ${status}`, requests: 1 });
      expect(elsewhere.requests).toEqual([]);
    },
  );

  it("does not carry the key into the failure, however the service repeats it", async () => {
    const spread = [...KEY].join("\u200b");
    const echoes = [
      JSON.stringify({ error: `bad key ${KEY}` }),
      `<p>bad key <b>${KEY.toUpperCase()}</b></p>`,
      `bad key ${encodeURIComponent(KEY)}`,
      `bad key ${spread}`,
      `bad key ${KEY.slice(0, 5)}<i></i>${KEY.slice(5)}`,
      `${"x".repeat(110)}${KEY}`,
    ];
    for (const body of echoes) {
      const { detail } = await failureOf((_, response) => {
        response.writeHead(403);
        response.end(body);
      });
      expect(detail).toMatch(/^answered 403: /);
      expect(detail.replaceAll(" ", "").toLowerCase()).not.toContain("s3cret");
    }
  });

  it("is cleaned and cut before people see it", async () => {
    const hostile = `\u001b[31m\u202edown\n\n<!channel> ${"y".repeat(5_000)}`;
    const { detail } = await failureOf((_, response) => json(response, { error: hostile }, 400));
    expect(detail).toMatch(/^answered 400: \[31mdown y+…$/);
    expect([...detail].length).toBe("answered 400: ".length + 120);
  });
});

describe("an answer that is too large", () => {
  const piece = Buffer.alloc(1_000_000, 32);

  it("is given up at its announcement", async () => {
    const failure = await failureOf((_, response) => {
      response.writeHead(200, { "content-length": 50_000_000 });
      response.write("[");
    });
    expect(failure).toEqual({
      reason: "too_large",
      detail: "the answer is larger than 16 MB",
      requests: 1,
    });
  });

  it("is given up on the way", async () => {
    let sent = 0;
    const failure = await failureOf((_, response) => {
      const more = (): void => {
        while (sent < 50 && !response.destroyed) {
          sent += 1;
          if (!response.write(piece)) {
            response.once("drain", more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    expect(failure).toMatchObject({ reason: "too_large", requests: 1 });
    expect(sent).toBeLessThan(50);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("is given up while it unpacks from %s", async (coding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000, 32));
    expect(bomb.length).toBeLessThan(100_000);
    const failure = await failureOf((_, response) => {
      response.writeHead(200, { "content-encoding": coding });
      response.end(bomb);
    });
    expect(failure).toMatchObject({
      reason: "too_large",
      detail: "the answer unpacks to over 16 MB",
    });
  });

  it.each([
    ["gzip", "no gzip at all", "the answer cannot be decompressed"],
    ["zstd", "[]", "the answer has an unknown compression"],
  ])("or compressed with %s that cannot be read is malformed", async (coding, body, detail) => {
    const failure = await failureOf((_, response) => {
      response.writeHead(200, { "content-encoding": coding });
      response.end(body);
    });
    expect(failure).toEqual({ reason: "malformed", detail, requests: 1 });
  });
});

describe("a connection that fails", () => {
  it.each<[string, Handler]>([
    ["never answers", () => {}],
    ["stops after the headers", (_, response) => response.writeHead(200).flushHeaders()],
    ["stops within the body", (_, response) => response.writeHead(200).write("[")],
  ])("times out when the server %s, and is tried three times", async (_, handler) => {
    const failure = await failureOf(handler, { timeoutMs: 250 });
    expect(failure).toEqual({ reason: "timeout", detail: "timed out after 0.25 s", requests: 3 });
  });

  it.each<[string, Handler]>([
    ["before the headers", (request) => request.socket.resetAndDestroy()],
    ["by an orderly end before the headers", (request) => request.socket.destroy()],
    [
      "within the body",
      (request, response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("[", () => request.socket.resetAndDestroy());
      },
    ],
    [
      "within a chunked body",
      (request, response) => response.write("[", () => request.socket.destroy()),
    ],
    ["with something that is not HTTP", (request) => request.socket.end("hello\r\n\r\n")],
  ])("is a network failure when it breaks %s, and is tried three times", async (_, handler) => {
    const failure = await failureOf(handler);
    expect(failure).toMatchObject({ reason: "network", requests: 3 });
    expect(failure.detail).toMatch(/^(connection (reset|closed .*)|the answer is not HTTP)$/);
  });

  it("is refused where nobody listens", async () => {
    const { server, source } = await serve(() => {});
    await server.close();
    const [answer] = await ask(source, [pool(1)]);
    const failure = { reason: "network", detail: "connection refused" };
    expect(answer).toEqual({ status: "failed", failure });
  });

  it("says so when the key cannot be sent", async () => {
    const failure = await failureOf(() => {}, { apiKey: new Secret("line\nbreak") });
    expect(failure).toMatchObject({ reason: "network", requests: 0 });
    expect(failure.detail).toContain("does the API key hold line breaks?");
  });

  it("spoils no other request", async () => {
    const { source } = await serve((request, response) => {
      if (request.url?.includes("chain_id=137")) request.socket.resetAndDestroy();
      else json(response, [entry(1)]);
    });
    const other: Ask = { ...pool(1), key: "v4_pool:137:x", chainId: 137 };
    const answers = await ask(source, [pool(1), other]);
    expect(answers.map((a) => a.status)).toEqual(["ok", "failed"]);
  });
});

describe("a service that recovers", () => {
  it.each<[string, Handler]>([
    ["503", (_, response) => json(response, {}, 503)],
    ["a reset", (request) => request.socket.resetAndDestroy()],
    ["429 with seconds", (_, r) => json(r.setHeader("retry-after", "0"), {}, 429)],
    [
      "429 with a date",
      (_, r) => json(r.setHeader("retry-after", new Date(0).toUTCString()), {}, 429),
    ],
  ])("is asked again after %s", async (_, fault) => {
    const { server, source } = await serve((request, response, attempt) => {
      if (attempt < 3) fault(request, response, attempt);
      else json(response, [entry(1)]);
    });
    expect(await values(source, 1)).toEqual([1]);
    expect(server.requests).toHaveLength(3);
  });

  it.each(["3600", new Date(Date.now() + 3_600_000).toUTCString()])(
    "is not waited for when it says Retry-After: %s",
    async (retryAfter) => {
      const failure = await failureOf((_, response) => {
        json(response.setHeader("retry-after", retryAfter), { error: "slow down" }, 429);
      });
      expect(failure).toEqual({
        reason: "rate_limited",
        detail: "answered 429: slow down",
        requests: 1,
      });
    },
  );

  it("is asked again no sooner than it said", async () => {
    const times: number[] = [];
    const { source } = await serve((_, response, attempt) => {
      times.push(performance.now());
      if (attempt === 1) json(response.setHeader("retry-after", "1"), {}, 429);
      else json(response, [entry(1)]);
    });
    expect(await values(source, 1)).toEqual([1]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
  });
});

describe("a round whose time is over", () => {
  const outOfTime = { reason: "out_of_time", detail: "out of time" };

  it("sends nothing when it was over before", async () => {
    const { server, source } = await serve((_, response) => json(response, [entry(1)]));
    const answers = await ask(source, [pool(1)], AbortSignal.abort());
    expect(answers).toEqual([{ status: "failed", failure: outOfTime }]);
    expect(server.requests).toEqual([]);
  });

  it("gives up what is under way and what waits for a slot", async () => {
    const abort = new AbortController();
    const { server, source } = await serve(() => abort.abort(), { concurrency: 1 });
    const many = Array.from({ length: 100 }, (_, n) => pool(n));
    const answers = await ask(source, many, abort.signal);
    expect(answers).toHaveLength(100);
    for (const answer of answers) expect(answer).toEqual({ status: "failed", failure: outOfTime });
    expect(server.requests).toHaveLength(1);
  });

  it("does not wait for a retry, and says what went wrong before", async () => {
    const abort = new AbortController();
    const { server, source } = await serve(
      (_, response) => {
        json(response.setHeader("retry-after", "4"), { error: "busy" }, 503);
      },
      { log: () => abort.abort() },
    );
    const [answer] = await ask(source, [pool(1)], abort.signal);
    expect(answer).toMatchObject({
      failure: { reason: "out_of_time", detail: "out of time after: answered 503: busy" },
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the limits", () => {
  it("keep to so many requests at one time, and to three quarters of them for one endpoint", async () => {
    // Nothing is answered before so many wait, and then a little later, in which more might come.
    let least = 3;
    const waiting: ServerResponse[] = [];
    const { server, source } = await serve(
      (_, response) => {
        waiting.push(response);
        if (server.mostOpen() < least) return;
        setTimeout(() => {
          for (const one of waiting.splice(0)) json(one, []);
        }, 50);
      },
      { concurrency: 4 },
    );
    const pools = Array.from({ length: 400 }, (_, n) => pool(n));
    await ask(source, pools);
    expect(server.requests).toHaveLength(20);
    expect(server.mostOpen()).toBe(3);
    const hours = [1, 137, 143, 13371, 43114, 747474].map((chainId): Ask => {
      const key = `gas_hour:${chainId}`;
      return { key, record: "gas_hour", chainId, id: "", from: "2026-11-27", to: "2026-11-28" };
    });
    least = 4;
    await ask(source, [...pools, ...hours]);
    expect(server.mostOpen()).toBe(4);
  });

  it("keep to so many requests a second", async () => {
    const times: number[] = [];
    const { source } = await serve(
      (_, response) => {
        times.push(performance.now());
        json(response, []);
      },
      { requestsPerSecond: 30 },
    );
    const began = performance.now();
    await ask(
      source,
      Array.from({ length: 640 }, (_, n) => pool(n)),
    );
    expect(times).toHaveLength(32);
    // From before the first was sent, which may arrive late on a busy machine.
    expect((times[30] ?? 0) - began).toBeGreaterThan(950);
  });
});

describe("the key", () => {
  async function verify(handler: Handler): Promise<"valid" | "invalid" | Failure> {
    const { server, source } = await serve(handler);
    const verdict = await source.verify(never);
    if (typeof verdict === "object") failures.push(verdict);
    expect(server.requests[0]).toMatchObject({
      path: "/v1/api-key/verify",
      headers: { "x-api-key": KEY },
    });
    return verdict;
  }

  it("is valid or not as the service says", async () => {
    expect(await verify((_, r) => json(r, { valid: true }))).toBe("valid");
    expect(await verify((_, r) => json(r, { valid: false }))).toBe("invalid");
    expect(await verify((_, r) => json(r, {}, 401))).toBe("invalid");
    expect(await verify((_, r) => json(r, {}, 403))).toBe("invalid");
  });

  it("is not known while the service does not say", async () => {
    expect(await verify((_, r) => json(r, {}, 500))).toMatchObject({ reason: "server_error" });
    expect(await verify((_, r) => json(r, { valid: "yes" }))).toMatchObject({
      reason: "malformed",
    });
    expect(await verify((_, r) => r.end("<html>"))).toMatchObject({ reason: "malformed" });
    expect(await verify((_, r) => json(r, null))).toMatchObject({ reason: "malformed" });
  });
});

describe("whatever went wrong in the tests before", () => {
  it("was told in short clean text without key or address", () => {
    expect(failures.length).toBeGreaterThan(50);
    expect(logged.length).toBeGreaterThan(20);
    for (const text of [...failures.map((f) => f.detail), ...logged]) {
      expect(text.toLowerCase()).not.toContain(KEY.toLowerCase());
      expect(text).not.toContain(encodeURIComponent(KEY));
      expect(text).not.toContain("127.0.0.1");
      expect(cleanText(text, 3_000)).toBe(text);
    }
    for (const { detail } of failures) expect(detail.length).toBeLessThan(200);
  });
});
