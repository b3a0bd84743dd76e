import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { Secret } from "../../src/base/text.ts";
import { askerOf, fault as faultIn } from "../simulator/asking.ts";
import { Anvil } from "./support/anvil.ts";
import { type Fault, KEY, SpoilingNode } from "./support/proxy.ts";
import { type Key, Uniswap } from "./support/uniswap.ts";
import { BlockClock, type NodeService, serveNode } from "./support/world.ts";

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
let key: Key;
let id: string;
let bad: SpoilingNode;
let good: SpoilingNode;
let served: NodeService;
const CHAIN = 31_337;

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  key = uniswap.key();
  id = await uniswap.createPool(key);
  await uniswap.mint(key, -6_000, 6_000, 10n ** 22n);
  clock = new BlockClock(uniswap);
});
afterAll(() => anvil?.stop());

beforeEach(async () => {
  bad = await SpoilingNode.before(anvil.url);
  good = await SpoilingNode.before(anvil.url);
  await clock.follow();
});
afterEach(async () => {
  await served.close();
  await bad.close();
  await good.close();
});

async function serve(...nodes: readonly SpoilingNode[]): Promise<void> {
  const urls = nodes.map(({ url }) => new Secret(url));
  served = await serveNode(uniswap, clock, { urls, timeoutMs: 2_000 });
}

const { ask, records } = askerOf(() => served.service.baseUrl);
const path = () => `${ENDPOINTS.v4_pool.path}?chain_id=${CHAIN}&pool_ids=${id}`;

async function tick(): Promise<unknown> {
  return (await records(path()))[0]?.current_tick;
}

/** What the chain says now, of a service of its own. */
async function truth(): Promise<Record<string, unknown> | undefined> {
  const own = await serveNode(uniswap, clock);
  const asker = askerOf(() => own.service.baseUrl);
  const [record] = await asker.records(path());
  await own.close();
  return record;
}

async function trade(): Promise<void> {
  await uniswap.swap(key, true, 10n ** 18n);
  await clock.follow();
  await new Promise((resolve) => setTimeout(resolve, 300));
}

const FAULTS: readonly Fault[] = [
  "down",
  "hangs",
  "limits",
  "page",
  "cuts",
  "quota",
  "echoes",
  "wrong ids",
  "other chain",
];

describe("of two nodes", () => {
  it.each(FAULTS)("the second is asked where the first one fails: %s", async (fault) => {
    await serve(bad, good);
    expect(await tick()).toBe((await truth())?.current_tick);
    bad.fault = fault;
    await trade();
    expect(await tick()).toBe((await truth())?.current_tick);
    expect(good.requests).toBeGreaterThan(0);
    expect(served.reports.join("\n")).not.toContain(KEY);
    expect(served.reports.join("\n")).not.toContain(new URL(bad.url).host);
  });

  it("the one whose head is old is not asked for the newest", async () => {
    await anvil.mine(30);
    await serve(bad, good);
    bad.fault = "old head";
    await trade();
    expect(await tick()).toBe((await truth())?.current_tick);
  });
});

describe("one node alone", () => {
  it.each(FAULTS.filter((fault) => fault !== "other chain" && fault !== "hangs"))(
    "refuses the chain while it fails, and answers rightly afterwards: %s",
    async (fault) => {
      await serve(bad);
      expect(await tick()).toBe((await truth())?.current_tick);
      bad.fault = fault;
      await trade();
      const reply = await ask(path());
      expect(faultIn(reply)).toBe("503 chain_unavailable");
      expect(JSON.stringify(reply.body)).not.toContain(KEY);
      expect(JSON.stringify(reply.body)).not.toContain(new URL(bad.url).host);
      bad.fault = "none";
      // A node that named a rate rests until then.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      expect(await tick()).toBe((await truth())?.current_tick);
    },
  );

  it.each(["by number only", "small batches"] as const)("is asked as it can: %s", async (fault) => {
    bad.fault = fault;
    await serve(bad);
    expect(await tick()).toBe((await truth())?.current_tick);
  });

  it("that leaves logs out does not make a pool's amounts wrong for long", async () => {
    await serve(bad);
    await tick();
    bad.fault = "no logs";
    // In range: what the pool says of its liquidity contradicts the ledger.
    await uniswap.mint(key, -1_200, 1_200, 10n ** 21n);
    await clock.follow();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [record] = await records(path());
    const right = await truth();
    expect([record?.amount0, record?.amount1]).toEqual([right?.amount0, right?.amount1]);
  });

  it("that keeps no old states refuses daily histories and nothing else", async () => {
    await anvil.mine(2, 2 * 86_400);
    await clock.follow();
    bad.fault = "pruned";
    await serve(bad);
    const date = new Date(clock.now() - 86_400_000).toISOString().slice(0, 10);
    const query = `chain_id=${CHAIN}&token=${uniswap.token0}&from=${date}&to=${date}`;
    expect(faultIn(await ask(`${ENDPOINTS.supply_history.path}?${query}`))).toBe("404 not_indexed");
    expect(await tick()).toBe((await truth())?.current_tick);
  });

  it("of another chain is refused as a whole", async () => {
    bad.fault = "other chain";
    await serve(bad);
    const reply = await ask(path());
    expect(faultIn(reply)).toBe("503 chain_unavailable");
    expect(JSON.stringify(reply.body)).toContain("node 1 is of Polygon");
  });
});
