import { request } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { type Fault, spoiled } from "../../src/serve/faults.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import { ETH_USDC, WBTC_WETH } from "../../src/simulator/listed-pools.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { createFakeClock } from "../support/fake-clock.ts";

const START = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;
const running: Service[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

async function ask(fault: Fault, minute: number, signal?: AbortSignal) {
  const clock = createFakeClock(START + minute * MINUTE);
  const market = createMarket({ seed: 7, start: START });
  const service = await startService({ world: market, clock, apiKey: DEMO_KEY, faults: [fault] });
  running.push(service);
  const path = `/v1/dexv4/pool?chain_id=1&pool_ids=${ETH_USDC}&pool_ids=${WBTC_WETH}`;
  const { statusCode, headers, body } = await request(service.baseUrl + path, {
    headers: { "x-api-key": DEMO_KEY },
    signal: signal ?? null,
  });
  return { status: statusCode, headers, text: await body.text() };
}

const time = { endpoint: "v4_pool", at: 2 * MINUTE, for: MINUTE } as const;
type Pools = readonly Readonly<Record<string, unknown>>[];
const poolsOf = (text: string): Pools => JSON.parse(text) as Pools;

describe("a scripted fault", () => {
  it("lasts from its time for its length, and touches its endpoint alone", async () => {
    const fault: Fault = { ...time, kind: "status", status: 503, retryAfter: 7 };
    expect((await ask(fault, 1.99)).status).toBe(200);
    expect((await ask(fault, 2)).status).toBe(503);
    expect((await ask(fault, 2)).headers["retry-after"]).toBe("7");
    expect((await ask(fault, 3)).status).toBe(200);
    expect((await ask({ ...fault, endpoint: "supply" }, 2)).status).toBe(200);
    expect((await ask({ ...fault, endpoint: null, retryAfter: null }, 2)).status).toBe(503);
  });

  it("hangs until the client gives up", async () => {
    const asked = ask({ ...time, kind: "hang" }, 2, AbortSignal.timeout(200));
    await expect(asked).rejects.toThrow(/abort|timeout/i);
  });

  it("delays in real time", async () => {
    const began = performance.now();
    const { text } = await ask({ ...time, kind: "slow", ms: 150 }, 2);
    expect(performance.now() - began).toBeGreaterThanOrEqual(145);
    expect(poolsOf(text)).toHaveLength(2);
  });

  it("spoils the body", async () => {
    expect((await ask({ ...time, kind: "empty" }, 2)).text).toBe("[]");
    expect((await ask({ ...time, kind: "html" }, 2)).text).toMatch(/^<!doctype html>/);
    const { text } = await ask({ ...time, kind: "truncated" }, 2);
    expect(() => poolsOf(text)).toThrow(SyntaxError);
    const missing = await ask({ ...time, kind: "missing", ids: [ETH_USDC] }, 2);
    expect(poolsOf(missing.text).map(({ pool_id }) => pool_id)).toEqual([WBTC_WETH]);
    const nulls = await ask({ ...time, kind: "null", fields: ["tvl_usd"] }, 2);
    expect(poolsOf(nulls.text).map(({ tvl_usd }) => tvl_usd)).toEqual([null, null]);
    expect(poolsOf(nulls.text)[0]?.liquidity).toMatch(/^\d+$/);
  });

  it("spoils the entries of a list that an answer holds, like its own fields", () => {
    const body = {
      pool_id: "0xAB",
      swaps: [
        { sender: "0x1", tick: 5 },
        { sender: "0x2", tick: 6 },
      ],
    };
    const nulls: Fault = { ...time, kind: "null", fields: ["sender"] };
    expect(spoiled(body, nulls)).toEqual({
      pool_id: "0xAB",
      swaps: [
        { sender: null, tick: 5 },
        { sender: null, tick: 6 },
      ],
    });
    const list = { holders: [{ wallet_address: "0xAA" }, { wallet_address: "0xBB" }] };
    const missing: Fault = { ...time, kind: "missing", ids: ["0xaa"] };
    expect(spoiled(list, missing)).toEqual({ holders: [{ wallet_address: "0xBB" }] });
    expect(spoiled(body, { ...missing, ids: ["0xab"] })).toEqual({});
  });

  it("answers what was true before", async () => {
    const { text } = await ask({ ...time, kind: "lag", ms: 30 * MINUTE }, 2);
    const market = createMarket({ seed: 7, start: START });
    expect(poolsOf(text)[0]).toEqual(
      JSON.parse(JSON.stringify(market.pool(1, ETH_USDC, START - 28 * MINUTE))),
    );
  });
});
