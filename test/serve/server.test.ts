import { Agent, get, request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import type { Clock } from "../../src/base/clock.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import { ETH_USDC, LISTED_POOLS, WBTC_WETH } from "../../src/simulator/listed-pools.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { NETWORKS } from "../../src/simulator/networks.ts";
import { LISTED_POSITIONS, LONG_NFT } from "../../src/simulator/positions.ts";
import { DEMO_SEED } from "../../src/simulator/units.ts";
import { askerOf, fault } from "../simulator/asking.ts";
import { expectFields, expectPool } from "../simulator/records.ts";
import { cpuMsSince } from "../support/cpu.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const DAY = 86_400_000;
const market = createMarket({ seed: DEMO_SEED, start: START });
let now = START;
const clock: Clock = {
  now: () => now,
  at: () => () => {},
  elapsed: () => 0,
  after: () => () => {},
};
let service: Service;
const { ask, records } = askerOf(() => service.baseUrl);

beforeAll(async () => {
  service = await startService({ world: market, clock, apiKey: DEMO_KEY });
});
afterAll(() => service.close());

const POOLS = ENDPOINTS.v4_pool.path;
const POSITIONS = ENDPOINTS.v4_position.path;
const GAS = ENDPOINTS.gas_hourly.path;
const VERIFY = ENDPOINTS.verify_key.path;
const UNKNOWN_POOL = `0x${"ab".repeat(32)}`;

describe("the key", () => {
  it("is verified by its own endpoint, which tells a wrong one apart", async () => {
    const good = await ask(VERIFY);
    expect(good).toMatchObject({ status: 200, body: { valid: true } });
    expectFields(good.body, ENDPOINTS.verify_key.fields);
    expect(await ask(VERIFY, {}, "twk_other")).toMatchObject({
      status: 200,
      body: { valid: false },
    });
    expect(fault(await ask(VERIFY, {}, null))).toBe("401 missing_key");
  });

  it.each([
    `${POOLS}?chain_id=1&pool_ids=${ETH_USDC}`,
    `${POSITIONS}?chain_id=1&protocol=dexa&nft_ids=1`,
    `${GAS}?chain_id=1`,
  ])("is needed, and right, for %s", async (path) => {
    expect(fault(await ask(path, {}, null))).toBe("401 missing_key");
    expect(fault(await ask(path, {}, ""))).toBe("401 missing_key");
    expect(fault(await ask(path, {}, `${DEMO_KEY}x`))).toBe("401 invalid_key");
    expect((await ask(path)).status).toBe(200);
  });

  it("does not count in the query string", async () => {
    const query = `x-api-key=${DEMO_KEY}&apikey=${DEMO_KEY}&api_key=${DEMO_KEY}`;
    expect(fault(await ask(`${VERIFY}?${query}`, {}, null))).toBe("401 missing_key");
    expect(fault(await ask(`${VERIFY}?apikey=${DEMO_KEY}`))).toBe("400 unknown_parameter");
  });

  it("of the demo says what it is", () => {
    expect(DEMO_KEY).toMatch(/^twk_demo_[0-9a-f]{20}$/);
  });
});

describe("paths and methods", () => {
  it.each([
    "/",
    "/v1",
    `${POOLS}/`,
    "/V1/dexv4/pool",
    "/api/tokens",
    "/dexv4/pool",
    "/v1/dexv3/pool",
  ])("answers 404 for %s", async (path) => expect(fault(await ask(path))).toBe("404 not_found"));

  it.each(["//evil.example/v1/api-key/verify", "/\\[", "*", "http://[/"])(
    "answers 404 for the raw target %s",
    async (target) => {
      const status = await new Promise((resolve, reject) => {
        const { hostname, port } = new URL(service.baseUrl);
        httpRequest({ hostname, port, path: target }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .once("error", reject)
          .end();
      });
      expect(status).toBe(404);
    },
  );

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    const reply = await ask(VERIFY, { method });
    expect(fault(reply)).toBe("405 method_not_allowed");
    expect(reply.headers.get("allow")).toBe("GET");
  });

  it("refuses HEAD, and a POST with a large body, and goes on", async () => {
    const head = await fetch(service.baseUrl + VERIFY, { method: "HEAD" });
    expect(head.status).toBe(405);
    const post = await ask(VERIFY, { method: "POST", body: "x".repeat(1_000_000) });
    expect(post.status).toBe(405);
    expect((await ask(VERIFY)).status).toBe(200);
  });
});

describe("V4 pools", () => {
  it("have the contract's fields and types, on every chain", async () => {
    for (const { chainId, id } of LISTED_POOLS) {
      const found = await records(`${POOLS}?chain_id=${chainId}&pool_ids=${id}`);
      expect(found).toHaveLength(1);
      expectPool(found[0], ENDPOINTS.v4_pool.fields);
      expect(found[0]).toEqual(market.pool(chainId, id, now));
    }
  });

  it("come one for each id, in order, in lower case, without the unknown ones", async () => {
    const ids = [WBTC_WETH, UNKNOWN_POOL, `0x${ETH_USDC.slice(2).toUpperCase()}`];
    const query = ids.map((id) => `pool_ids=${id}`).join("&");
    const found = await records(`${POOLS}?chain_id=1&${query}`);
    expect(found.map((pool) => pool.pool_id)).toEqual([WBTC_WETH, ETH_USDC]);
  });

  it("are only on their own chain", async () => {
    expect(await records(`${POOLS}?chain_id=137&pool_ids=${ETH_USDC}`)).toEqual([]);
  });

  it("are asked about up to 20 at once", async () => {
    const query = `&pool_ids=${ETH_USDC}`.repeat(20);
    expect(await records(`${POOLS}?chain_id=1${query}`)).toHaveLength(20);
    const more = await ask(`${POOLS}?chain_id=1${query}&pool_ids=${ETH_USDC}`);
    expect(fault(more)).toBe("400 too_many_values");
  });

  it("move with the clock", async () => {
    const path = `${POOLS}?chain_id=1&pool_ids=${ETH_USDC}`;
    const [before] = await records(path);
    now += 60_000;
    const [after] = await records(path);
    expect(Number(after?.swap_count)).toBeGreaterThan(Number(before?.swap_count));
    now = START;
  });
});

describe("V4 positions", () => {
  it("have the contract's fields and types, in every protocol", async () => {
    for (const { pool, nft } of LISTED_POSITIONS) {
      const { chainId, protocol } = LISTED_POOLS.find((p) => p.id === pool)!;
      const path = `${POSITIONS}?chain_id=${chainId}&protocol=${protocol}&nft_ids=${nft}`;
      const found = await records(path);
      expect(found).toHaveLength(1);
      expectFields(found[0], ENDPOINTS.v4_position.fields);
      expect(found[0]).toMatchObject({ nft_id: nft, pool_id: pool, protocol, chain_id: chainId });
    }
  });

  it("leave out what is unknown or of the other protocol", async () => {
    const path = `${POSITIONS}?chain_id=1&protocol=dexa&nft_ids=999&nft_ids=${LONG_NFT}`;
    expect(await records(path)).toEqual([]);
    const other = await records(path.replace("dexa", "dexb"));
    expect(other.map((position) => position.nft_id)).toEqual([LONG_NFT]);
  });
});

describe("gas hours", () => {
  it("have the contract's fields and types, on every chain", async () => {
    for (const { chainId } of NETWORKS) {
      const hours = await records(`${GAS}?chain_id=${chainId}`);
      expect(hours).toHaveLength(24);
      for (const hour of hours) expectFields(hour, ENDPOINTS.gas_hourly.fields);
    }
  });

  it("are the last 24 when nothing else is asked, the running one at the end", async () => {
    const hours = (await records(`${GAS}?chain_id=1`)).map((h) => h.hour);
    expect(hours).toHaveLength(24);
    expect(hours[0]).toBe("2026-03-13T10:00:00Z");
    expect(hours.at(-1)).toBe("2026-03-14T09:00:00Z");
  });

  it("cover both days asked for, up to now", async () => {
    const hours = await records(`${GAS}?chain_id=1&from=2026-03-12&to=2026-03-14`);
    expect(hours).toHaveLength(24 + 24 + 10);
    expect(hours[0]?.hour).toBe("2026-03-12T00:00:00Z");
    const day = await records(`${GAS}?chain_id=1&from=2026-03-12&to=2026-03-12`);
    expect(day).toHaveLength(24);
    expect(day.at(-1)?.hour).toBe("2026-03-12T23:00:00Z");
    expect(await records(`${GAS}?chain_id=1&from=2026-03-15&to=2026-03-16`)).toEqual([]);
  });

  it("reach from `from` to now, and are the one day `to`", async () => {
    expect(await records(`${GAS}?chain_id=1&from=2026-03-14`)).toHaveLength(10);
    expect(await records(`${GAS}?chain_id=1&to=2026-03-10`)).toHaveLength(24);
    expect(await records(`${GAS}?chain_id=1&from=2027-01-01`)).toEqual([]);
  });

  it("reach over 90 days and no more", async () => {
    const from = (days: number): string => new Date(START - days * DAY).toISOString().slice(0, 10);
    expect(await records(`${GAS}?chain_id=1&from=${from(90)}&to=${from(0)}`)).toHaveLength(
      90 * 24 + 10,
    );
    const over = await ask(`${GAS}?chain_id=1&from=${from(91)}&to=${from(0)}`);
    expect(fault(over)).toBe("400 range_too_long");
    expect(fault(await ask(`${GAS}?chain_id=1&from=${from(91)}`))).toBe("400 range_too_long");
    expect((await ask(`${GAS}?chain_id=1&from=${from(90)}`)).status).toBe(200);
  });
});

describe("a faulty parameter", () => {
  const pools = `${POOLS}?pool_ids=${ETH_USDC}`;
  const positions = `${POSITIONS}?chain_id=1`;
  it.each([
    ["missing_parameter", pools],
    ["missing_parameter", `${POOLS}?chain_id=1`],
    ["missing_parameter", `${positions}&nft_ids=1`],
    ["missing_parameter", `${positions}&protocol=dexa`],
    ["missing_parameter", GAS],
    ["duplicate_parameter", `${pools}&chain_id=1&chain_id=1`],
    ["duplicate_parameter", `${positions}&nft_ids=1&protocol=dexa&protocol=dexa`],
    ["duplicate_parameter", `${GAS}?chain_id=1&from=2026-03-01&from=2026-03-01&to=2026-03-02`],
    ["unknown_parameter", `${pools}&chain_id=1&first=5`],
    ["unknown_parameter", `${pools}&chainid=1`],
    ["unknown_parameter", `${GAS}?chain_id=1&constructor=1`],
    ["unknown_parameter", `${VERIFY}?x=1`],
    ["too_many_values", `${positions}&protocol=dexa${"&nft_ids=1".repeat(21)}`],
    ["bad_value", `${pools}&chain_id=`],
    ["bad_value", `${pools}&chain_id=ethereum`],
    ["bad_value", `${pools}&chain_id=1.0`],
    ["bad_value", `${pools}&chain_id=-1`],
    ["bad_value", `${pools}&chain_id=01`],
    ["bad_value", `${pools}&chain_id=${"9".repeat(30)}`],
    ["bad_value", `${pools}&chain_id=1&pool_ids=0x12`],
    ["bad_value", `${pools}&chain_id=1&pool_ids=`],
    ["bad_value", `${pools},${ETH_USDC}&chain_id=1`],
    ["bad_value", `${positions}&protocol=dexc&nft_ids=1`],
    ["bad_value", `${positions}&protocol=DEXA&nft_ids=1`],
    ["bad_value", `${positions}&protocol=dexa&nft_ids=0x1`],
    ["bad_value", `${positions}&protocol=dexa&nft_ids=${"1".repeat(79)}`],
    ["bad_value", `${GAS}?chain_id=1&from=2026-3-1&to=2026-03-02`],
    ["bad_value", `${GAS}?chain_id=1&from=2026-02-30&to=2026-03-02`],
    ["bad_value", `${GAS}?chain_id=1&from=2026-13-01`],
    ["bad_value", `${GAS}?chain_id=1&from=`],
    ["bad_value", `${GAS}?chain_id=1&to=2026-03-01T00:00:00Z`],
    ["bad_value", `${GAS}?chain_id=1&from=2026-03-02&to=2026-03-01`],
    ["unsupported_chain", `${pools}&chain_id=5`],
    ["unsupported_chain", `${positions.replace("=1", "=5")}&protocol=dexa&nft_ids=1`],
    ["unsupported_chain", `${GAS}?chain_id=100`],
  ])("is refused as %s: %s", async (code, path) => {
    expect(fault(await ask(path))).toBe(`400 ${code}`);
  });

  it("comes back in the message only as clean, short text", async () => {
    const name = encodeURIComponent(`\u202e\u001b[31m${"x".repeat(500)}`);
    const reply = await ask(`${VERIFY}?${name}=1`);
    expect(fault(reply)).toBe("400 unknown_parameter");
    const { message } = (reply.body as { error: { message: string } }).error;
    expect(message.length).toBeLessThan(80);
    expect(message).not.toContain("\u202e");
    expect(message).not.toContain("\u001b");
  });
});

describe("the server", () => {
  it("counts requests, refused ones too", async () => {
    const before = service.requests();
    await ask(VERIFY);
    await ask("/nowhere");
    expect(service.requests()).toBe(before + 2);
  });

  it("stands beside another one, each with its own key and market", async () => {
    const other = await startService({ world: market, clock, apiKey: "another" });
    expect(other.baseUrl).not.toBe(service.baseUrl);
    const headers = { "x-api-key": "another" };
    const reply = await fetch(other.baseUrl + VERIFY, { headers });
    expect(await reply.json()).toEqual({ valid: true });
    await other.close();
    await expect(fetch(other.baseUrl + VERIFY, { headers })).rejects.toThrow("fetch failed");
    expect((await ask(VERIFY)).status).toBe(200);
  });

  it("says so when its port is taken", async () => {
    const port = Number(new URL(service.baseUrl).port);
    await expect(startService({ world: market, clock, apiKey: "k", port })).rejects.toThrow(
      "EADDRINUSE",
    );
  });

  it("keeps connections open, and closes at once with one idle", async () => {
    const other = await startService({ world: market, clock, apiKey: DEMO_KEY });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const portOf = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { "x-api-key": DEMO_KEY };
        get(other.baseUrl + VERIFY, { agent, headers }, (response) => {
          const port = response.socket.localPort;
          response.once("end", () => resolve(port)).resume();
        }).once("error", reject);
      });
    const first = await portOf();
    expect(first).toBeDefined();
    expect(await portOf()).toBe(first);
    await other.close();
    agent.destroy();
  });

  it("answers 100 batches of 20 pools without adding up a life of trades", () => {
    const begin = process.cpuUsage();
    for (let batch = 0; batch < 100; batch += 1) {
      // Half an hour between two questions: nothing is remembered from the one before.
      const at = START + batch * 20 * 1_800_000;
      const found = Array.from({ length: 20 }, (_, i) =>
        market.pool(1, ETH_USDC, at + i * 1_800_000),
      );
      expect(JSON.stringify(found).length).toBeGreaterThan(20_000);
    }
    expect(cpuMsSince(begin)).toBeLessThan(5_000);
  });
});
