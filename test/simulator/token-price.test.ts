import { describe, expect, it } from "vitest";
import {
  ETH_USDC,
  ETH_USDC_UNICHAIN,
  EURC_USDC_BASE,
  LISTED_POOLS,
  WBTC_WETH,
} from "../../src/simulator/listed-pools.ts";
import { LISTED_TOKENS, STABLECOIN } from "../../src/simulator/listed-tokens.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import type { ScriptEvent } from "../../src/simulator/script.ts";
import { WHOLE } from "../support/tier.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 2, 14, 9, 48);
const market = createMarket({ seed: 7, start: START });
const poolOf = (id: string) => LISTED_POOLS.find((pool) => pool.id === id)!;
const ETH = poolOf(ETH_USDC).token0.address;
const USDC = poolOf(ETH_USDC).token1.address;
const WBTC = poolOf(WBTC_WETH).token0.address;

const usd = (of: Market, chain: number, token: string, at: number): number =>
  of.tokenPrice(chain, token, at)!.current_price.usd;

const history = (chain: number, token: string, period: "d" | "h", size: number, at = START) =>
  market.priceHistory(chain, token, period, { size, offset: 0 }, at)!.historical_prices;

describe("a token's price", () => {
  it("is the one in the metadata of its pools, to the last digit", () => {
    for (const { chainId, id } of LISTED_POOLS) {
      for (const at of [START, START + 7 * HOUR]) {
        const { token0, token1 } = market.pool(chainId, id, at)!;
        expect(usd(market, chainId, token0.address, at)).toBe(token0.price);
        expect(usd(market, chainId, token1.address, at)).toBe(token1.price);
      }
    }
  });

  it("is told in ether and bitcoin as well", () => {
    const at = START + 3 * DAY;
    expect(market.tokenPrice(1, ETH, at)!.current_price.eth).toBe(1);
    expect(market.tokenPrice(1, WBTC, at)!.current_price.btc).toBe(1);
    const { eth, btc, usd: dollars } = market.tokenPrice(1, STABLECOIN, at)!.current_price;
    expect(eth * usd(market, 1, ETH, at)).toBeCloseTo(dollars, 9);
    expect(btc * usd(market, 1, WBTC, at)).toBeCloseTo(dollars, 9);
  });

  it("of the stablecoin is near a dollar, moves, and is nearly the same on all chains", () => {
    const seen = new Set<number>();
    for (let i = -300; i < 300; i += 1) {
      const price = usd(market, 1, STABLECOIN, START + i * 7 * HOUR);
      expect(Math.abs(price - 1)).toBeLessThan(0.0015);
      seen.add(price);
    }
    expect(seen.size).toBeGreaterThan(500);
    const prices = LISTED_TOKENS.map(({ chainId }) =>
      usd(market, chainId, STABLECOIN, START + DAY),
    );
    expect(Math.max(...prices) - Math.min(...prices)).toBeLessThan(0.00002);
  });

  it("goes with its market data", () => {
    for (const token of [STABLECOIN, ETH, WBTC]) {
      const at = START + 9 * DAY + 1_234_567;
      const { current_price, market_data, last_updated } = market.tokenPrice(1, token, at)!;
      const before = usd(market, 1, token, at - DAY);
      expect(market_data.price_change_24h).toBeCloseTo(current_price.usd - before, 7);
      const percentage = (current_price.usd / before - 1) * 100;
      expect(market_data.price_change_percentage_24h).toBeCloseTo(percentage, 5);
      const weekly = current_price.usd - usd(market, 1, token, at - 7 * DAY);
      expect(market_data.price_change_7d).toBeCloseTo(weekly, 7);
      expect(market_data.low_24h).toBeLessThanOrEqual(Math.min(current_price.usd, before));
      expect(market_data.high_24h).toBeGreaterThanOrEqual(Math.max(current_price.usd, before));
      const cap = current_price.usd * market_data.circulating_supply;
      expect(market_data.market_cap_usd / cap).toBeCloseTo(1, 9);
      const { total_supply_formatted } = market.tokenInfo(1, token, at)!;
      expect(market_data.total_supply).toBeCloseTo(Number(total_supply_formatted), 4);
      expect(at - Date.parse(last_updated)).toBeLessThan(10 * MINUTE);
      expect(at - Date.parse(last_updated)).toBeGreaterThanOrEqual(0);
    }
  });
});

describe("a price history", () => {
  it("begins with the running bucket, whose values are the current ones", () => {
    for (const token of [STABLECOIN, USDC, ETH, WBTC]) {
      const { current_price, market_data } = market.tokenPrice(1, token, START)!;
      for (const period of ["d", "h"] as const) {
        const [newest] = history(1, token, period, 1);
        expect(newest).toMatchObject({
          price_usd: current_price.usd,
          close: current_price.usd,
          price_eth: current_price.eth,
          price_btc: current_price.btc,
          volume_24h: market_data.volume_24h_usd,
          market_cap: market_data.market_cap_usd,
          price_change_24h: market_data.price_change_24h,
          price_change_percentage_24h: market_data.price_change_percentage_24h,
        });
      }
    }
  });

  it("has for each hour what a question at its end was answered", () => {
    for (const { date, close, price_usd } of history(1, ETH, "h", 50).slice(1)) {
      expect(close).toBe(usd(market, 1, ETH, Date.parse(date) + HOUR - 1));
      expect(price_usd).toBe(close);
    }
  });

  it("has ranges that hold open and close, and days that hold their hours", () => {
    const hours = history(1, ETH, "h", 24 * 5);
    const days = history(1, ETH, "d", 5);
    for (const point of [...hours, ...days]) {
      expect(point.low).toBeLessThanOrEqual(Math.min(point.open, point.close));
      expect(point.high).toBeGreaterThanOrEqual(Math.max(point.open, point.close));
    }
    for (const [i, point] of hours.slice(0, -1).entries()) {
      expect(point.open).toBe(hours[i + 1]!.close);
    }
    for (const day of days.slice(0, 4)) {
      const own = hours.filter(({ date }) => date.slice(0, 10) === day.date.slice(0, 10));
      expect(day.high).toBe(Math.max(...own.map(({ high }) => high)));
      expect(day.low).toBe(Math.min(...own.map(({ low }) => low)));
      expect(day.close).toBe(own[0]!.close);
      expect(day.open).toBe(own.at(-1)!.open);
    }
  });

  it("reaches back a year from the start, beyond the pools, without a jump", () => {
    const pools = [ETH_USDC, WBTC_WETH, EURC_USDC_BASE, ETH_USDC_UNICHAIN].map(poolOf);
    for (const { chainId, token0, token1 } of WHOLE ? pools : pools.slice(0, 1)) {
      for (const { address } of [token0, token1]) {
        const days = history(chainId, address, "d", 366);
        expect(days).toHaveLength(366);
        expect(days.at(-1)!.date).toBe("2025-03-14T00:00:00Z");
        const jumps = days.filter(({ open, close }) => close / open <= 0.8 || close / open >= 1.25);
        expect(jumps).toEqual([]);
      }
    }
  });

  it("comes in pages that fit together, and stays what it was", () => {
    const pages = (offset: number, at = START) =>
      market.priceHistory(1, WBTC, "h", { size: 5, offset }, at)!.historical_prices;
    expect([...pages(0), ...pages(5)]).toEqual(history(1, WBTC, "h", 10));
    expect(pages(1, START + HOUR)[0]!.date).toBe(pages(0)[0]!.date);
    expect(pages(6, START + HOUR)).toEqual(pages(5));
    expect(pages(1_000_000)).toEqual([]);
  });

  it("says the same whoever asks and in whatever order", () => {
    const again = createMarket({ seed: 7, start: START });
    again.priceHistory(1, WBTC, "h", { size: 30, offset: 400 }, START + 40 * DAY);
    const page = { size: 20, offset: 3 };
    expect(again.priceHistory(1, WBTC, "d", page, START)).toEqual(
      market.priceHistory(1, WBTC, "d", page, START),
    );
  });
});

describe("a token whose peg slips", () => {
  const slip = (token: string, chain = 1): Market => {
    const event: ScriptEvent = {
      kind: "peg",
      chain,
      token: token.toLowerCase(),
      factor: 0.9,
      at: 10 * MINUTE,
      over: 10 * MINUTE,
      hold: HOUR,
      back: 10 * MINUTE,
    };
    return createMarket({ seed: 7, start: START, script: [event] });
  };
  const share = (of: Market, chain: number, token: string, minute: number): number => {
    const at = START + minute * MINUTE;
    return usd(of, chain, token, at) / usd(market, chain, token, at);
  };

  it("costs less for its time, on its chain only", () => {
    const slipped = slip(STABLECOIN);
    expect(share(slipped, 1, STABLECOIN, 9)).toBe(1);
    expect(share(slipped, 1, STABLECOIN, 30)).toBeCloseTo(0.9, 8);
    expect(share(slipped, 1, STABLECOIN, 95)).toBeCloseTo(1, 8);
    expect(share(slipped, 137, STABLECOIN, 30)).toBe(1);
  });

  it("takes the price in its pools along, and the dollars of no other token", () => {
    const slipped = slip(USDC);
    const at = START + 30 * MINUTE;
    const [before, after] = [market, slipped].map((of) => of.pool(1, ETH_USDC, at)!);
    expect(after!.price0 / before!.price0).toBeCloseTo(1 / 0.9, 9);
    expect(after!.token1.price).toBeCloseTo(0.9, 9);
    expect(after!.token0.price / before!.token0.price).toBeCloseTo(1, 9);
    expect(share(slipped, 1, USDC, 30)).toBeCloseTo(0.9, 9);
    expect(share(slipped, 1, WBTC, 30)).toBeCloseTo(1, 9);
    expect(share(slipped, 8453, ETH, 30)).toBe(1);
  });

  it("must be a token of the market on its chain, and the factor above zero", () => {
    expect(() => slip(STABLECOIN, 8453)).toThrow("no token 0x0");
    expect(() => slip(`0x${"ab".repeat(20)}`)).toThrow("no token 0xab");
    const event = { kind: "peg", chain: 1, token: STABLECOIN.toLowerCase(), at: 0 } as const;
    const bent = (more: { factor: number; over: number; hold?: number }) => () =>
      createMarket({ seed: 7, start: START, script: [{ ...event, ...more }] });
    expect(bent({ factor: 0, over: 1 })).toThrow("`factor` must be above zero");
    expect(bent({ factor: 2, over: -1 })).toThrow("`over` must be zero or more");
    expect(bent({ factor: 2, over: 1, hold: 1 })).toThrow("`hold` needs `back`");
  });
});
