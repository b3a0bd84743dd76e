import { afterEach, describe, expect, it } from "vitest";
import { ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import type { Source } from "../../src/fetch/source.ts";
import { RECORDS } from "../../src/model/index.ts";
import { isOfNodes } from "../support/of-nodes.ts";
import { address, askFor } from "./asks.ts";
import { ask, closeAll, isEarlier, open, searchOf, sourceAt } from "./families.ts";
import { type Handler, json } from "./fault-server.ts";

const never = new AbortController().signal;
afterEach(closeAll);

describe("a service on two origins", () => {
  const both = [...Array(12).keys()].flatMap((n) => [
    askFor("token_info", { n: n + 1 }),
    askFor("holder", { n: n + 1 }),
  ]);

  it("has one bound for what is under way", async () => {
    const waiting: (() => void)[] = [];
    const most = { open: 0, ever: 0 };
    const handler: Handler = (_, response) => {
      most.open += 1;
      most.ever = Math.max(most.ever, most.open);
      waiting.push(() => {
        most.open -= 1;
        response.end("[]");
      });
      // Nothing is answered before three wait, and then a little later, in which more might come.
      if (most.ever < 3) return;
      setTimeout(() => {
        for (const answer of waiting.splice(0)) answer();
      }, 10);
    };
    const [one, other] = [await open(handler), await open(handler)];
    await ask(sourceAt(one.url, other.url, { concurrency: 3 }), both);
    expect(one.requests.length + other.requests.length).toBe(24);
    expect(Math.min(one.requests.length, other.requests.length)).toBe(12);
    expect(most.ever).toBe(3);
  });

  it("has one rate for all requests", async () => {
    const times: number[] = [];
    const handler: Handler = (_, response) => {
      times.push(performance.now());
      response.end("[]");
    };
    const [one, other] = [await open(handler), await open(handler)];
    const source = sourceAt(one.url, other.url, { requestsPerSecond: 20 });
    const began = performance.now();
    await ask(source, both);
    expect(times).toHaveLength(24);
    // From before the first was sent, which may arrive late on a busy machine.
    expect((times[23] ?? 0) - began).toBeGreaterThan(950);
  });

  it("that are one shares its connections", async () => {
    const server = await open((request, response) =>
      json(response, isEarlier(request) ? { chain_id: 1, decimals: 6 } : []),
    );
    const source = sourceAt(`${server.url}/new`, `${server.url}/old`, { concurrency: 1 });
    for (let i = 0; i < 3; i++) await ask(source, [askFor("token_info"), askFor("holder")]);
    expect(server.requests).toHaveLength(6);
    expect(server.connections()).toBe(1);
  });
});

describe("an address that is not configured", () => {
  const OF_NODES = RECORDS.filter((record) => ENDPOINTS_OF[record].every(isOfNodes));

  it("makes records that cannot be had, and the rest can", async () => {
    const server = await open((_, response) => json(response, []));
    const current = sourceAt(server.url, null);
    const earlier = sourceAt(null, server.url);
    const neither = (source: Source): string[] =>
      RECORDS.filter((record) => !source.serves(record));
    expect(neither(current)).toEqual([
      "token_info",
      "token_price",
      "price_point",
      "v4_pool_24h",
      "v4_swap",
      "v4_liquidity",
      "v4_pool_point",
      ...OF_NODES,
    ]);
    expect(RECORDS.filter((record) => earlier.serves(record))).toEqual([
      "balance",
      "balance_point",
      "holder",
      "token_info",
      "token_price",
      "price_point",
      "v4_pool_24h",
      "v4_swap",
      "v4_liquidity",
      "v4_pool_point",
    ]);
    expect(neither(sourceAt(server.url, server.url))).toEqual(OF_NODES);
    expect(neither(sourceAt(server.url, server.url, { rpc: {} }))).toEqual([]);
  });

  it("fails what is asked for all the same, without a request", async () => {
    const server = await open((_, response) => json(response, []));
    const source = sourceAt(server.url, null);
    const failure = { reason: "refused", detail: "legacy_base_url is not configured" };
    expect(await ask(source, [askFor("token_info"), askFor("v4_swap")])).toEqual([
      { status: "failed", failure },
      { status: "failed", failure },
    ]);
    expect(await ask(source, [askFor("native_balance")])).toEqual([
      {
        status: "failed",
        failure: { reason: "refused", detail: "it needs a node: service.rpc" },
      },
    ]);
    expect(server.requests).toEqual([]);
  });

  it("leaves nobody to say whether the key is good, which is no alarm", async () => {
    const server = await open((_, response) => json(response, {}));
    expect(await sourceAt(null, server.url).verify(never)).toEqual({
      reason: "refused",
      detail: "only the current family, at base_url, can say whether the key is good",
    });
    expect(server.requests).toEqual([]);
  });
});

describe("the choice between the families", () => {
  it("is said once for each chain, and with each request", async () => {
    const said: unknown[] = [];
    const log = (message: string, fields: object): void => void said.push([message, fields]);
    const source = sourceAt("http://127.0.0.1:1", "http://127.0.0.1:1", { log });
    const wallets = [1, 2, 3].map((wallet) => askFor("balance", { wallet }));
    for (let i = 0; i < 3; i++) {
      expect(source.plan(wallets).map(({ endpoint }) => endpoint)).toEqual(["legacy_balances"]);
    }
    source.plan([askFor("holder", { chainId: 137 }), askFor("v4_pool")]);
    expect(said).toEqual([
      [
        "of two endpoints one was chosen",
        { record: "balance", chain: 1, endpoint: "legacy_balances" },
      ],
      ["of two endpoints one was chosen", { record: "holder", chain: 137, endpoint: "holders" }],
    ]);
    expect(JSON.stringify(said)).not.toContain("127.0.0.1");
  });
});

describe("wallets that share a request", () => {
  const asks = Array.from({ length: 40 }, (_, i) => askFor("balance", { wallet: i + 1 }));
  const bad = address(17);
  const spoiling: Handler = (request, response) => {
    const wallets = searchOf(request).get("wallets")?.split(",") ?? [];
    if (wallets.includes(bad)) json(response, { error: "no such wallet" }, 400);
    else {
      const balances = wallets.map((wallet_address) => ({ wallet_address, balance: "5" }));
      json(response, { token_address: address(1), chain_id: 1, balances });
    }
  };

  it("have their balances although one of them is refused, which is asked alone then", async () => {
    const server = await open(spoiling);
    const source = sourceAt(null, server.url);
    const answers = await ask(source, asks, new AbortController().signal);
    expect(answers.filter(({ status }) => status === "ok")).toHaveLength(39);
    expect(answers[16]).toEqual({
      status: "failed",
      failure: { reason: "refused", detail: "answered 400: no such wallet" },
    });
    const before = server.requests.length;
    await ask(source, asks, new AbortController().signal);
    const again = server.requests.slice(before).map(({ path: url }) => searchOf({ url }));
    expect(new Set(again.map((one) => one.get("wallets")?.split(",").length))).toEqual(
      new Set([1, 39]),
    );
  });

  it("are counted with every request that was really sent", async () => {
    const server = await open(spoiling);
    const source = sourceAt(null, server.url);
    const round = new AbortController();
    expect(source.sent?.(round.signal)).toBe(0);
    await ask(source, asks, round.signal);
    expect(server.requests.length).toBeGreaterThan(8);
    expect(source.sent?.(round.signal)).toBe(server.requests.length);
    const next = new AbortController();
    await ask(source, asks, next.signal);
    expect(source.sent?.(next.signal)).toBe(2);
  });

  it("are counted again when they are tried again", async () => {
    const server = await open((_, response) => response.writeHead(503).end());
    const round = new AbortController();
    const source = sourceAt(null, server.url);
    await ask(source, asks, round.signal);
    expect(server.requests).toHaveLength(3);
    expect(source.sent?.(round.signal)).toBe(3);
  });

  it("are not counted when nothing was sent any more", async () => {
    const server = await open(spoiling);
    const source = sourceAt(null, server.url);
    expect(await ask(source, asks.slice(0, 1), AbortSignal.abort())).toMatchObject([
      { failure: { reason: "out_of_time" } },
    ]);
    expect(source.sent?.(AbortSignal.abort())).toBe(0);
    expect(server.requests).toEqual([]);
  });
});
