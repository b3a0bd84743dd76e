import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { KEY_TRY_MS, KeyGuard } from "../../../src/fetch/resilience/gate.ts";
import { json } from "../fault-server.ts";
import { gas, pools, records, type Served, serve } from "../pools.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A service that refuses the key where `refuses` says so. */
async function refusing(
  refuses: (request: IncomingMessage) => number | null,
  options: Parameters<typeof serve>[1] = {},
): Promise<Served> {
  const served = await serve((request, response) => {
    const status = refuses(request);
    if (status !== null) json(response, { error: "bad key" }, status);
    else if (request.url?.includes("gas")) json(response, [{ hour: "x" }]);
    else json(response, records(request));
  }, options);
  closing.push(served.close);
  return served;
}

const isGas = ({ url }: IncomingMessage): boolean => url?.includes("/gas/") ?? false;

describe.each([401, 403])("a key that is refused with %i", (status) => {
  const says = `unauthorized: answered ${status}: bad key`;

  it("is not sent again but once a minute, and is warned of once", async () => {
    const served = await refusing(() => status, { concurrency: 1 });
    const asks = [...pools(200), gas(1)];
    expect(new Set(await served.round(asks))).toEqual(new Set([says]));
    expect(served.server.requests).toHaveLength(1);
    for (let i = 0; i < 10; i++) {
      served.advance(10_000);
      expect(new Set(await served.round(asks))).toEqual(new Set([says]));
    }
    expect(served.server.requests).toHaveLength(2);
    expect(served.warned).toEqual(["the service rejects the API key; retrying once a minute"]);
  });

  it("is not sent by what was waiting for its turn", async () => {
    const served = await refusing(() => status, { requestsPerSecond: 20, concurrency: 40 });
    await served.round(pools(800));
    expect(served.server.requests.length).toBeLessThanOrEqual(20);
  });

  it("is taken again for every endpoint that refused it before, with all of their requests", async () => {
    let refused = true;
    const served = await refusing(() => (refused ? status : null));
    await served.round([...pools(40), gas(1)]);
    refused = false;
    served.advance(60_000);
    expect(await served.round([gas(1)])).toHaveLength(1);
    const answers = await served.round(pools(200));
    expect(answers.filter((one) => one === says)).toEqual([]);
  });

  it.each([1, 8])(
    "is used by all in the round in which it is taken again (%i)",
    async (concurrency) => {
      let refused = true;
      const served = await refusing(() => (refused ? status : null), { concurrency });
      const asks = [...pools(200), gas(1), gas(137)];
      for (const round of [asks, asks.toReversed()]) {
        refused = true;
        await served.round(round);
        refused = false;
        served.advance(60_000);
        expect((await served.round(round)).filter((one) => one === says)).toEqual([]);
      }
    },
  );

  it("that one endpoint refused alone is used by all of its requests in the round back", async () => {
    let refused = true;
    const served = await refusing((request) => (refused && !isGas(request) ? status : null));
    const asks = [...pools(200), gas(1)];
    for (let i = 0; i < 4; i++) {
      await served.round(asks);
      served.advance(60_000);
    }
    refused = false;
    expect((await served.round(asks)).filter((one) => one === says)).toEqual([]);
  });

  it("waits for no other endpoint that is not asked any more", async () => {
    let refused = true;
    const served = await refusing(() => (refused ? status : null));
    await served.round([...pools(1), gas(1)]);
    refused = false;
    served.advance(60_000);
    expect(await served.round(pools(1))).toEqual([0]);
  });

  it("is taken again with the first success", async () => {
    let refused = true;
    const served = await refusing(() => (refused ? status : null));
    await served.round(pools(1));
    refused = false;
    expect(await served.round(pools(1))).toEqual([says]);
    served.advance(60_000);
    expect(await served.round(pools(1))).toEqual([0]);
    expect(await served.round(pools(3))).toEqual([0, 1, 2]);
    expect(served.warned.at(-1)).toBe("the service accepts the API key again");
  });

  it("for one endpoint only shuts the others for a minute, and that one until it answers", async () => {
    let refused = true;
    const served = await refusing((request) => (refused && isGas(request) ? status : null), {
      concurrency: 1,
    });
    const asks = [gas(1), ...pools(40)];
    const pooled = (seen: readonly unknown[]): unknown[] => seen.slice(1);
    await served.round(asks);
    for (let i = 0; i < 2; i++) {
      served.advance(60_000);
      await served.round(asks);
    }
    for (let i = 0; i < 10; i++) {
      served.advance(60_000);
      const seen = await served.round(asks);
      expect(seen[0]).toBe(says);
      expect(pooled(seen)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    }
    expect(served.warned).toHaveLength(2);
    refused = false;
    served.advance(60_000);
    expect((await served.round(asks))[0]).toBe("ok");
  });
});

describe("verifying a key", () => {
  it("asks the service each time, and shuts nothing", async () => {
    const served = await refusing((request) => (request.url?.includes("verify") ? 403 : null));
    const { signal } = new AbortController();
    expect(await served.source.verify(signal)).toBe("invalid");
    expect(await served.source.verify(signal)).toBe("invalid");
    expect(served.server.requests).toHaveLength(2);
    expect(await served.round(pools(1))).toEqual([0]);
  });
});

describe("the one try a minute", () => {
  const failure = { reason: "unauthorized", detail: "answered 401" } as const;

  it("goes to an endpoint that was turned away before the one that was tried last", () => {
    const guard = new KeyGuard();
    expect(guard.enter("v4_pool", 0)).toBe("open");
    expect(guard.refuse("v4_pool", failure, 0)).toBe(true);
    expect(guard.enter("gas_hourly", 1)).toBe(failure);
    expect(guard.enter("v4_pool", KEY_TRY_MS)).toBe("wait");
    expect(guard.enter("gas_hourly", KEY_TRY_MS)).toBe("try");
    expect(guard.enter("gas_hourly", KEY_TRY_MS)).toBe("wait");
    expect(guard.refuse("gas_hourly", failure, KEY_TRY_MS)).toBe(false);
    guard.tried("gas_hourly");
    expect(guard.enter("v4_pool", KEY_TRY_MS)).toBe(failure);
    expect(guard.enter("gas_hourly", 2 * KEY_TRY_MS - 1)).toBe(failure);
    expect(guard.enter("gas_hourly", 2 * KEY_TRY_MS)).toBe("wait");
    expect(guard.enter("v4_pool", 2 * KEY_TRY_MS)).toBe("try");
    expect(guard.accept("v4_pool")).toBe(true);
    guard.tried("v4_pool");
    expect(guard.enter("gas_hourly", 2 * KEY_TRY_MS)).toBe("open");
  });
});
