import { afterAll, beforeAll, expect, it } from "vitest";
import { ENDPOINTS, type Fields } from "../../src/api/endpoints.ts";
import { Secret } from "../../src/base/text.ts";
import { sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf, fault } from "../simulator/asking.ts";
import { expectFields } from "../simulator/records.ts";
import { Anvil } from "./support/anvil.ts";
import { SpoilingNode } from "./support/proxy.ts";
import { Uniswap } from "./support/uniswap.ts";
import { BlockClock, serveNode } from "./support/world.ts";

const CHAIN = 31_337;
const HOUR = 3_600;
const DAY = 86_400;
const TICK = 6_932;

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
let node: SpoilingNode;
/** The price after each swap (token1 for one token0), by Unix seconds, oldest first. */
const story: { at: number; price: number }[] = [];
let begin = 0;

async function priceNow(): Promise<number> {
  const call = { to: uniswap.stateView, data: `0xc815641c${uniswap.poolId(key()).slice(2)}` };
  const answer = await anvil.rpc<string>("eth_call", [call, "latest"]);
  const sqrt = Number(BigInt(answer.slice(0, 66))) / 2 ** 96;
  return sqrt * sqrt;
}
const key = () => uniswap.key();

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  await uniswap.createPool(key(), sqrtPriceX96AtTick(TICK));
  await uniswap.mint(key(), -887_220, 887_220, 10n ** 25n);
  const block = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
  begin = (Math.floor(Number(block.timestamp) / DAY) + 1) * DAY;
  for (let day = 0; day < 4; day += 1) {
    for (const hour of [2, 14]) {
      const at = begin + day * DAY + hour * HOUR + 600;
      await anvil.rpc("evm_setNextBlockTimestamp", [at]);
      await uniswap.swap(key(), (day + hour) % 4 === 0, 10n ** 23n * BigInt(day + 1));
      story.push({ at, price: await priceNow() });
    }
  }
  clock = new BlockClock(uniswap);
  await clock.follow();
  node = await SpoilingNode.before(anvil.url);
});
afterAll(async () => {
  await node?.close();
  await anvil?.stop();
});

/** The last price before a time. */
function priceAt(end: number): number | undefined {
  return story.findLast(({ at }) => at < end)?.price;
}

async function withService<T>(ask: (asker: ReturnType<typeof askerOf>) => Promise<T>): Promise<T> {
  const usd = { stable: [uniswap.token1], feeds: new Map<string, string>() };
  const served = await serveNode(uniswap, clock, { usd, urls: [new Secret(node.url)] });
  try {
    return await ask(askerOf(() => served.service.baseUrl));
  } finally {
    await served.close();
  }
}
const path = (query: string) =>
  `${ENDPOINTS.legacy_price_history.path}?chainid=${CHAIN}&address=${uniswap.token0}&apikey=${DEMO_KEY}&${query}`;

interface Point {
  readonly date: string;
  readonly open: number | null;
  readonly close: number;
  readonly price_change_24h: number | null;
}

it.each(["d", "h"] as const)(
  "past prices are those of the last block of each %s",
  async (period) => {
    await withService(async ({ ask }) => {
      const { status, body } = await ask(path(`period=${period}&limit=40`));
      expect(status).toBe(200);
      const unknown = new Set(["price_eth", "price_btc", "volume_24h", "high", "low"]);
      expect(body).toMatchObject({ token_address: uniswap.token0, chain_id: CHAIN, period });
      const points = (body as { historical_prices: Point[] }).historical_prices;
      const length = period === "d" ? DAY : HOUR;
      const spec: Fields = ENDPOINTS.legacy_price_history.fields;
      expectFields(points[0], spec.historical_prices?.fields ?? {}, unknown);
      expect(points.length).toBe(period === "d" ? 5 : 40);
      for (const { date, close, open, price_change_24h: change } of points.slice(0, -1)) {
        const start = Date.parse(date) / 1_000;
        const price = priceAt(start + length);
        if (price === undefined) continue;
        expect(Math.abs(close / price - 1)).toBeLessThan(1e-9);
        const before = priceAt(start);
        if (before !== undefined) expect(Math.abs((open ?? 0) / before - 1)).toBeLessThan(1e-9);
        const earlier = priceAt(start + length - DAY);
        if (change !== null && earlier !== undefined)
          expect(change).toBeCloseTo(price - earlier, 6);
      }
    });
  },
);

it("pages go on where the one before ended", async () => {
  await withService(async ({ ask }) => {
    const dates = async (query: string) =>
      ((await ask(path(query))).body as { historical_prices: Point[] }).historical_prices.map(
        ({ date }) => date,
      );
    const all = await dates("period=d&limit=4");
    expect([
      ...(await dates("period=d&limit=2")),
      ...(await dates("period=d&limit=2&offset=2")),
    ]).toEqual(all);
  });
});

it("a node that keeps no old states refuses them with the reason", async () => {
  node.fault = "pruned";
  await withService(async ({ ask }) => {
    const reply = await ask(path("period=d&limit=4"));
    expect(fault(reply)).toBe("404 not_indexed");
    expect(JSON.stringify(reply.body)).toContain("archive");
  });
  node.fault = "none";
});

it("tell how the price has changed since the hours of a day and a week ago", async () => {
  await withService(async ({ ask }) => {
    const now = `${ENDPOINTS.legacy_token_price.path}?chainid=${CHAIN}&address=${uniswap.token0}&apikey=${DEMO_KEY}`;
    interface Price {
      readonly current_price: { readonly usd: number };
      readonly market_data: Readonly<Record<string, number | null>>;
    }
    // It is read beside the answers, and each block is read once.
    let price: Price | null = null;
    while (price === null || price.market_data.price_change_24h === null) {
      await anvil.mine(1, 1);
      await clock.follow();
      price = (await ask(now)).body as Price;
    }
    const hour = Math.floor(clock.now() / 1_000 / HOUR) * HOUR;
    const before = priceAt(hour - DAY) ?? 0;
    const { market_data: data, current_price: current } = price;
    expect(data.price_change_24h).toBeCloseTo(current.usd - before, 6);
    expect(data.price_change_percentage_24h).toBeCloseTo((current.usd / before - 1) * 100, 6);
    // A week ago there was no pool.
    expect(data.price_change_7d).toBeNull();
    expect([data.high_24h, data.low_24h]).toEqual([null, null]);
  });
});
