import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Request } from "../../src/fetch/source.ts";
import { RECORDS } from "../../src/model/index.ts";
import { askFor } from "./asks.ts";
import { ask, closeAll, isEarlier, KEY, open, searchOf, sourceAt } from "./families.ts";
import { type Handler, json } from "./fault-server.ts";
import { goodAnswer } from "./good-answer.ts";

const never = new AbortController().signal;
afterEach(closeAll);

/** A service in good order, for the requests that a source has planned. */
function served(requests: readonly Request[]): Handler {
  return ({ url = "" }, response) => {
    const path = url.replace(/[?&]apikey=[^&]*$/, "");
    const request = requests.find((one) => path.endsWith(one.path));
    if (request === undefined) json(response, { error: `no ${path}` }, 404);
    else json(response, goodAnswer(request));
  };
}

describe("the key", () => {
  it("goes into the header or into the URL, as the family has it, and never into both", async () => {
    const asks = RECORDS.map((record) => askFor(record));
    const requests: Request[] = [];
    const current = await open((request, response) => served(requests)(request, response, 0));
    const earlier = await open((request, response) => served(requests)(request, response, 0));
    const source = sourceAt(`${current.url}/a`, `${earlier.url}/b/c`, { rpc: {} });
    requests.push(...source.plan(asks));
    const answers = await ask(source, asks);
    expect(answers.map(({ status }) => status)).toEqual(asks.map(() => "ok"));
    for (const { path: url, headers } of [...current.requests, ...earlier.requests]) {
      const header = headers["x-api-key"];
      const parameter = searchOf({ url }).getAll("apikey");
      if (isEarlier({ url })) expect([header, parameter]).toEqual([undefined, [KEY]]);
      else expect([header, parameter]).toEqual([KEY, []]);
    }
    expect(current.requests.map(({ path }) => path.split("?")[0])).toContain("/a/dexv3/pool/swaps");
    expect(earlier.requests.map(({ path }) => path.split("?")[0])).toContain(
      "/b/c/api/tokens/info",
    );
    for (const { path } of earlier.requests) expect(path).toMatch(/^\/b\/c\/api\//);
  });

  it("stands in nothing that a source gives away", async () => {
    const said: unknown[] = [];
    const tell = (...words: unknown[]): void => void said.push(words);
    const server = await open(({ url, headers }, response) => {
      response.writeHead(404);
      response.end(`Cannot GET ${url} of ${headers["x-api-key"]}`);
    });
    const source = sourceAt(server.url, server.url, { log: tell, warn: tell });
    const asks = RECORDS.map((record) => askFor(record));
    said.push(source.plan(asks), await ask(source, asks), await source.verify(never), source);
    const text = inspect(said, { depth: 20, showHidden: true, maxArrayLength: null });
    expect(text).toContain("[redacted]");
    expect(text).not.toMatch(/s3cret/i);
  });

  it("is taken out of a good answer that repeats the URL", async () => {
    const server = await open(({ url = "" }, response) =>
      json(response, { chain_id: 1, symbol: `https://x${url}`, decimals: 6 }),
    );
    const [answer] = await ask(sourceAt(null, server.url), [askFor("token_info")]);
    expect(answer).toMatchObject({ status: "ok", records: [{ decimals: 6 }] });
    expect(JSON.stringify(answer)).toContain("apikey=[redacted]");
  });

  it.each([
    ["as it is", KEY],
    ["cut", KEY.slice(0, -3)],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["in hexadecimal digits", `0x${Buffer.from(KEY).toString("hex")}`],
  ])("is taken out of every text of a good answer, of either family: %s", async (_, form) => {
    let requests: readonly Request[] = [];
    const spoil = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(spoil);
      if (typeof value !== "object" || value === null) return value;
      const texts = /^(?:symbol|name|logo_url|hash|transaction_hash|salt|amount0)$/;
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, texts.test(key) ? form : spoil(one)]),
      );
    };
    const server = await open(({ url = "" }, response) => {
      const path = url.replace(/[?&]apikey=[^&]*$/, "");
      const request = requests.find((one) => path.endsWith(one.path));
      json(response, request === undefined ? [] : spoil(goodAnswer(request)));
    });
    const source = sourceAt(server.url, server.url);
    const asks = (["v4_pool", "token_info", "v4_swap", "v4_liquidity"] as const).map((record) =>
      askFor(record),
    );
    requests = source.plan(asks);
    const answers = await ask(source, asks);
    expect(answers.map(({ status }) => status)).toEqual(asks.map(() => "ok"));
    const text = JSON.stringify(answers.slice(1));
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(form);
    // A number that is none is read as one that lacks, and not remembered.
    expect(JSON.stringify(answers[0])).toMatch(/"symbol":"(?:0x)?\[redacted\]/);
  });

  it.each([301, 302, 303, 307, 308])("is not carried elsewhere by a %i", async (status) => {
    const elsewhere = await open((_, response) => json(response, {}));
    const server = await open(({ url = "" }, response) => {
      response.writeHead(status, { location: `${elsewhere.url}${url}` });
      response.end(`moved to ${elsewhere.url}${url}`);
    });
    const answers = await ask(sourceAt(server.url, server.url), [
      askFor("token_info"),
      askFor("v3_pool"),
    ]);
    expect(answers).toMatchObject([
      { failure: { reason: "refused" } },
      { failure: { reason: "refused" } },
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/s3cret/i);
    expect(elsewhere.requests).toEqual([]);
  });

  it("that no URL can hold is a failure like any other", async () => {
    const server = await open((_, response) => json(response, {}));
    const source = sourceAt(server.url, server.url, { apiKey: new Secret("broken\ud800key") });
    expect(await ask(source, [askFor("token_info"), askFor("v4_pool")])).toMatchObject([
      { failure: { reason: "network" } },
      { failure: { reason: "network" } },
    ]);
    expect(server.requests).toEqual([]);
  });

  it("that one family refuses is tried once a minute, not by the other at once", async () => {
    let now = 0;
    const warned: string[] = [];
    const warn = (message: string): void => void warned.push(message);
    const server = await open((request, response) => {
      if (isEarlier(request)) json(response, { error: "no" }, 403);
      else json(response, goodAnswer({ endpoint: "v4_pool", asks: [askFor("v4_pool")] }));
    });
    const source = sourceAt(server.url, server.url, { now: () => now, warn });
    expect(await ask(source, [askFor("token_info")])).toMatchObject([
      { failure: { reason: "unauthorized" } },
    ]);
    expect(await ask(source, [askFor("v4_pool")])).toMatchObject([
      { failure: { reason: "unauthorized" } },
    ]);
    expect(server.requests).toHaveLength(1);
    now += 56_000;
    expect(await ask(source, [askFor("v4_pool")])).toMatchObject([{ status: "ok" }]);
    // The key is good, and only the other family does not take it.
    await ask(source, [askFor("token_info")]);
    expect(await ask(source, [askFor("v4_pool")])).toMatchObject([{ status: "ok" }]);
    expect(warned).toHaveLength(2);
  });
});
