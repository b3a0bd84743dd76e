import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Period } from "../serve/world.ts";
import { smoothNoise, stream } from "./noise.ts";
import type { Token } from "./token.ts";
import { cents, isoTime, wholeTokens } from "./units.ts";
import type { UsdPrice } from "./usd-prices.ts";

export type TokenPriceRecord = Readonly<{
  token_address: string;
  chain_id: number;
  symbol: string;
  name: string;
  current_price: Readonly<{ usd: number; eth: number; btc: number }>;
  market_data: Readonly<{
    market_cap_usd: number;
    volume_24h_usd: number;
    price_change_24h: number;
    price_change_percentage_24h: number;
    price_change_7d: number;
    price_change_percentage_7d: number;
    high_24h: number;
    low_24h: number;
    circulating_supply: number;
    total_supply: number;
    max_supply: number;
  }>;
  last_updated: string;
}>;

type PricePoint = Readonly<{
  date: string;
  price_usd: number;
  price_eth: number;
  price_btc: number;
  volume_24h: number;
  market_cap: number;
  open: number;
  high: number;
  low: number;
  close: number;
  price_change_24h: number;
  price_change_percentage_24h: number;
}>;
export type PriceHistoryRecord = Readonly<{
  token_address: string;
  chain_id: number;
  symbol: string;
  name: string;
  period: string;
  historical_prices: readonly PricePoint[];
}>;

/** What a token costs, at a time and over the days and hours up to it. */
export interface TokenPrice {
  record(at: number): TokenPriceRecord;
  /** The newest bucket first, `limit` of them at most after `offset` others. */
  history(period: Period, limit: number, offset: number, at: number): PriceHistoryRecord;
}

/** All that a price is made of; `eth` and `btc` are the prices of ether and bitcoin. */
export interface PriceSurroundings {
  readonly usd: UsdPrice;
  readonly eth: UsdPrice;
  readonly btc: UsdPrice;
  readonly seed: number;
  readonly start: number;
}

export function tokenPriceOf(token: Token, around: PriceSurroundings): TokenPrice {
  const { usd, eth, btc, seed, start } = around;
  const { coin, chainId, volumeUsd } = token.listed;
  const { address, symbol, name, decimals } = coin;
  const of = { token_address: address, chain_id: chainId, symbol, name };
  const rangeOf = priceRangeOf(usd);
  const trade = stream(seed, `volume:${chainId}:${address.toLowerCase()}`);

  /** What was traded in the day up to `at`, in US dollars. */
  const volume = (at: number): number => {
    const t = at - start;
    const busy = 0.4 * smoothNoise(trade, t / (2 * DAY)) + 0.15 * smoothNoise(trade + 1, t / HOUR);
    return cents(volumeUsd * (1 + busy));
  };
  const supply = (at: number): number => wholeTokens(token.supply(at), decimals);
  const inOther = (price: number, other: UsdPrice, at: number): number =>
    Number((price / other(at).usd).toPrecision(12));
  const changeSince = (ago: number, at: number): readonly [number, number] => {
    const before = usd(at - ago).usd;
    const change = usd(at).usd - before;
    return [asFineAs(before, change), Number(((change / before) * 100).toFixed(6))];
  };

  const pointOf = (bucket: number, length: number, at: number): PricePoint => {
    const end = Math.min(bucket + length - 1, at);
    // A bucket opens at the price with which the one before has closed.
    const open = usd(bucket - 1).usd;
    const close = usd(end).usd;
    const { low, high } = rangeOf(bucket, end);
    const [change, percentage] = changeSince(DAY, end);
    return {
      date: isoTime(bucket),
      price_usd: close,
      price_eth: inOther(close, eth, end),
      price_btc: inOther(close, btc, end),
      volume_24h: volume(end),
      market_cap: cents(close * supply(end)),
      open,
      high: Math.max(high, open),
      low: Math.min(low, open),
      close,
      price_change_24h: change,
      price_change_percentage_24h: percentage,
    };
  };

  return {
    record: (at) => {
      const now = usd(at);
      const [change, percentage] = changeSince(DAY, at);
      const [weekly, weeklyPercentage] = changeSince(7 * DAY, at);
      const { low, high } = rangeOf(at - DAY + 1, at);
      const whole = supply(at);
      return {
        ...of,
        current_price: {
          usd: now.usd,
          eth: inOther(now.usd, eth, at),
          btc: inOther(now.usd, btc, at),
        },
        market_data: {
          market_cap_usd: cents(now.usd * whole),
          volume_24h_usd: volume(at),
          price_change_24h: change,
          price_change_percentage_24h: percentage,
          price_change_7d: weekly,
          price_change_percentage_7d: weeklyPercentage,
          high_24h: high,
          low_24h: low,
          // Nothing is locked, and no token says that there could be more of it.
          circulating_supply: whole,
          total_supply: whole,
          max_supply: whole,
        },
        last_updated: isoTime(now.time),
      };
    },
    history: (period, limit, offset, at) => {
      const length = period === "d" ? DAY : HOUR;
      const newest = Math.floor(at / length) - offset;
      const first = Math.floor(token.created.time / length);
      const count = Math.max(0, Math.min(limit, newest - first + 1));
      const buckets = Array.from({ length: count }, (_, i) => (newest - i) * length);
      return {
        ...of,
        period,
        historical_prices: buckets.map((bucket) => pointOf(bucket, length, at)),
      };
    },
  };
}

/** A difference of prices with as many places as twelve digits of the price have. */
function asFineAs(price: number, change: number): number {
  const places = 11 - Math.floor(Math.log10(price));
  return Number(change.toFixed(Math.min(Math.max(places, 0), 30)));
}

/** The lowest and the highest price of a time. */
export interface PriceRange {
  readonly low: number;
  readonly high: number;
}

/** Besides both ends of every hour, a price is looked at every five minutes. */
const GRID = 5 * MINUTE;
/** Finished hours are kept so as not to be computed again: a year and some weeks. */
const KEPT_HOURS = 10_000;

/**
 * The range of a price from one time to another, both included (epoch ms). It is made of whole
 * hours where it holds any, so that a day reaches exactly as far as its hours do.
 */
function priceRangeOf(price: UsdPrice): (from: number, to: number) => PriceRange {
  const finished = new Map<number, PriceRange>();

  const looked = (from: number, to: number): PriceRange => {
    let low = Math.min(price(from).usd, price(to).usd);
    let high = Math.max(price(from).usd, price(to).usd);
    for (let at = (Math.floor(from / GRID) + 1) * GRID; at < to; at += GRID) {
      const { usd } = price(at);
      low = Math.min(low, usd);
      high = Math.max(high, usd);
    }
    return { low, high };
  };

  const whole = (hour: number): PriceRange => {
    const kept = finished.get(hour);
    if (kept !== undefined) return kept;
    // The hour opens where the one before has closed.
    const range = looked(hour - 1, hour + HOUR - 1);
    if (finished.size >= KEPT_HOURS) finished.clear();
    finished.set(hour, range);
    return range;
  };

  return (from, to) => {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let hour = Math.floor(from / HOUR) * HOUR; hour <= to; hour += HOUR) {
      const isWhole = from <= hour && hour + HOUR - 1 <= to;
      const range = isWhole
        ? whole(hour)
        : looked(Math.max(from, hour - 1), Math.min(to, hour + HOUR - 1));
      low = Math.min(low, range.low);
      high = Math.max(high, range.high);
    }
    return { low, high };
  };
}
