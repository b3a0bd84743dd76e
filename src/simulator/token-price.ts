import { cents, isoTime } from "../api/written.ts";
import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Page, Period } from "../serve/world.ts";
import type { Blocks } from "./networks.ts";
import { type Octave, smoothNoise, stream, wander } from "./noise.ts";
import type { Story } from "./script.ts";
import { scriptedPeg } from "./scripted.ts";
import type { Token } from "./token.ts";
import { wholeTokens } from "./units.ts";

/** US dollars for one token at a time (epoch ms), and since when; there is one at any time. */
export type UsdPrice = (at: number) => { readonly usd: number; readonly time: number };

/** A dollar's token wanders by a twentieth of a percent. */
const NEAR_ONE: readonly Octave[] = [
  { period: 25 * MINUTE, size: 0.00012 },
  { period: DAY, size: 0.0002 },
  { period: 11 * DAY, size: 0.0002 },
];

/** The stablecoin's price on one chain: one market for all chains, and each chain's own script. */
export function stablePrice(
  token: string,
  chainId: number,
  blocks: Blocks,
  { seed, start, script }: Story,
): UsdPrice {
  const near = wander(stream(seed, `usd:${token.toLowerCase()}`), NEAR_ONE);
  return (at) => {
    const time = blocks.timeOf(blocks.numberAt(at));
    const move = near(time - start) + scriptedPeg(script, chainId, token, time - start);
    return { usd: Number(Math.exp(move).toPrecision(10)), time };
  };
}

/** All that a price is made of; `eth` and `btc` are the prices of ether and bitcoin. */
interface TokenPrices {
  readonly usd: UsdPrice;
  readonly eth: UsdPrice;
  readonly btc: UsdPrice;
}

/** What a token costs, at a time and over the days and hours up to it. */
export function tokenPriceOf(token: Token, { usd, eth, btc }: TokenPrices, story: Story) {
  const { seed, start } = story;
  const { coin, chainId, volumeUsd } = token.listed;
  const { address, symbol, name, decimals } = coin;
  const of = { token_address: address, chain_id: chainId, symbol, name };
  const rangeOf = priceRangeOf((at) => usd(at).usd);
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

  const pointOf = (bucket: number, length: number, at: number) => {
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
    record: (at: number) => {
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
    /** The newest bucket first. */
    history: (period: Period, { size, offset }: Page, at: number) => {
      const length = period === "d" ? DAY : HOUR;
      const newest = Math.floor(at / length) - offset;
      const first = Math.floor(token.created.time / length);
      const count = Math.max(0, Math.min(size, newest - first + 1));
      const points = Array.from({ length: count }, (_, i) =>
        pointOf((newest - i) * length, length, at),
      );
      return { ...of, period, historical_prices: points };
    },
  };
}

/** A difference of prices with as many places as twelve digits of the price have. */
function asFineAs(price: number, change: number): number {
  const places = 11 - Math.floor(Math.log10(price));
  return Number(change.toFixed(Math.min(Math.max(places, 0), 30)));
}

/** The lowest and the highest price of a time. */
interface PriceRange {
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
export function priceRangeOf(
  price: (at: number) => number,
): (from: number, to: number) => PriceRange {
  const finished = new Map<number, PriceRange>();

  const looked = (from: number, to: number): PriceRange => {
    const prices = [price(from), price(to)];
    for (let at = (Math.floor(from / GRID) + 1) * GRID; at < to; at += GRID) prices.push(price(at));
    return { low: Math.min(...prices), high: Math.max(...prices) };
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
