import { pow10 } from "../../base/decimal.ts";
import { SELECTORS } from "../codec/calls.ts";
import { intAt, smallIntAt } from "../codec/words.ts";
import type { Deployments } from "../deployments.ts";
import type { BlockReader } from "../state/block-reader.ts";
import { quotient } from "../state/price.ts";
import { NATIVE, type Tokens } from "../state/tokens.ts";
import { meanPriceOf, type Quote, quoteOf, type Venue, venuesOf } from "./venues.ts";

/** A feed that has said nothing for so long (ms) is not believed: the slowest are meant to speak once a day. */
const LONGEST_SILENCE_MS = 25 * 3_600_000;

/**
 * Dollars for one token, as a feed of Chainlink's form has it; null where its answer is not above zero or is
 * too old. Rejects with RpcError.
 */
export async function feedPrice(reader: BlockReader, feed: string): Promise<number | null> {
  const [round, scale] = await Promise.all([
    reader.call(feed, SELECTORS.latestRoundData),
    reader.call(feed, SELECTORS.decimals),
  ]);
  if (round === null || scale === null) return null;
  const [answer, updated] = [intAt(round, 1), smallIntAt(round, 3)];
  const decimals = smallIntAt(scale, 0);
  if (answer === null || answer <= 0n || updated === null || decimals === null) return null;
  if (decimals < 0 || decimals > 36) return null;
  if (reader.header.time - updated * 1_000 > LONGEST_SILENCE_MS) return null;
  return quotient(answer, pow10(decimals));
}

/** A price needs so many dollars within 2% of it. */
const LEAST_DEPTH_USD = 50_000;
/** Which pools a token has is looked up again after so long. */
const VENUES_LIFE_MS = 3_600_000;
/** Of a token's pools so many are followed: the deepest, and one for the pool that the first is itself. */
const FOLLOWED = 2;
/** A price that is further from its mean is a moment's. */
const MOST_OFF = 0.03;
/** V4 pools keep no mean: that of so many snapshots takes its place. */
const SNAPSHOTS = 5;

interface PricesOptions {
  readonly contracts: Deployments;
  readonly tokens: Tokens;
  /** Tokens that are a dollar by definition. */
  readonly stable: readonly string[];
  readonly feeds: ReadonlyMap<string, string>;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Blocks are read in no order: those before one tell nothing of its mean. */
  readonly isPast?: boolean;
}

interface Known {
  readonly at: number;
  readonly venues: readonly Venue[];
}

/**
 * What tokens are worth in dollars: a stablecoin by definition, others by their feed, by a pool with a
 * stablecoin, or by one with the native token. Where nothing is deep enough it is not known.
 */
export class Prices {
  readonly #known = new Map<string, Known>();
  readonly #recent = new Map<string, number[]>();
  readonly #asked = new WeakMap<BlockReader, Map<string, Promise<number | null>>>();

  constructor(private readonly options: PricesOptions) {}

  /**
   * Dollars for one whole token at the reader's block; null: not known. The pool `except` is not asked: its
   * own price would say what it is worth itself. Rejects with RpcError.
   */
  usdOf(reader: BlockReader, token: string, except: string | null = null): Promise<number | null> {
    let asked = this.#asked.get(reader);
    if (asked === undefined) {
      asked = new Map<string, Promise<number | null>>();
      this.#asked.set(reader, asked);
    }
    // Thousands of pools ask for the same tokens, and hardly any of them tells a price itself.
    const own = except === null || this.#neverAsks(token, except) ? null : except;
    const key = own === null ? token : `${token}:${own}`;
    let usd = asked.get(key);
    if (usd === undefined) {
      usd = this.#usd(reader, token, own);
      // Whoever waits for it hears of it.
      usd.catch(() => {});
      asked.set(key, usd);
    }
    return usd;
  }

  /** The deepest pools of the native token with a stablecoin, at most two. Rejects with RpcError. */
  nativeVenues(reader: BlockReader): Promise<readonly Venue[]> {
    return this.#venuesOf(reader, NATIVE);
  }

  /** Whether it is known that a token's price does without a pool. */
  #neverAsks(token: string, pool: string): boolean {
    if (this.options.stable.includes(token)) return true;
    const known = this.#known.get(token);
    if (known === undefined || this.options.now() - known.at >= VENUES_LIFE_MS) return false;
    return known.venues.every(
      (venue) => venue.pool !== pool && this.#neverAsks(venue.anchor, pool),
    );
  }

  async #usd(reader: BlockReader, token: string, except: string | null): Promise<number | null> {
    const { stable, feeds, contracts } = this.options;
    if (stable.includes(token)) return 1;
    const wrapped = contracts.wrappedNative;
    const feed = feeds.get(token) ?? (token === NATIVE ? feeds.get(wrapped ?? "") : undefined);
    if (feed !== undefined) return feedPrice(reader, feed);
    const venues = await this.#venuesOf(reader, token);
    for (const venue of venues) {
      if (venue.pool === except) continue;
      const [price, anchor] = await Promise.all([
        this.#price(reader, venue),
        this.usdOf(reader, venue.anchor, except),
      ]);
      if (price !== null && anchor !== null) return price * anchor;
    }
    return null;
  }

  /** The deepest pools of a token that are deep enough; those with a stablecoin first. */
  async #venuesOf(reader: BlockReader, token: string): Promise<readonly Venue[]> {
    const { now, stable, contracts } = this.options;
    const known = this.#known.get(token);
    if (known !== undefined && now() - known.at < VENUES_LIFE_MS) return known.venues;
    const native = contracts.wrappedNative;
    const isNative = token === NATIVE || token === native;
    const selves = isNative && native !== null ? [NATIVE, native] : [token];
    let venues = await this.#deepest(reader, selves, stable);
    if (venues.length === 0 && !isNative) {
      const natives = native === null ? [NATIVE] : [NATIVE, native];
      venues = await this.#deepest(reader, [token], natives);
    }
    this.#known.set(token, { at: now(), venues });
    return venues;
  }

  async #deepest(
    reader: BlockReader,
    tokens: readonly string[],
    anchors: readonly string[],
  ): Promise<readonly Venue[]> {
    const { contracts, tokens: facts } = this.options;
    const pairs = tokens.flatMap((token) => anchors.map((anchor) => [token, anchor] as const));
    const venues = await Promise.all(
      pairs.map(([token, anchor]) => venuesOf(reader, token, anchor, contracts)),
    );
    const quotes = await Promise.all(venues.flat().map((one) => quoteOf(reader, one, facts)));
    const deep: (Quote & { readonly usd: number })[] = [];
    for (const quote of quotes) {
      if (quote === null) continue;
      const anchor = await this.usdOf(reader, quote.venue.anchor);
      const usd = quote.depth * (anchor ?? 0);
      if (usd >= LEAST_DEPTH_USD) deep.push({ ...quote, usd });
    }
    return deep
      .toSorted((a, b) => b.usd - a.usd)
      .slice(0, FOLLOWED)
      .map(({ venue }) => venue);
  }

  /** A venue's price, or its mean where the price has just moved far from it. */
  async #price(reader: BlockReader, venue: Venue): Promise<number | null> {
    const { tokens } = this.options;
    const isV3 = venue.version === "v3";
    const [quote, observed] = await Promise.all([
      quoteOf(reader, venue, tokens),
      isV3 ? meanPriceOf(reader, venue, tokens) : null,
    ]);
    if (quote === null) return null;
    if (!isV3 && this.options.isPast === true) return quote.price;
    const mean = isV3 ? observed : this.#median(venue, quote.price);
    if (mean === null || Math.abs(quote.price / mean - 1) <= MOST_OFF) return quote.price;
    return mean;
  }

  /** The median of the last snapshots' prices, this one's included. */
  #median({ pool, token }: Venue, price: number): number {
    const key = `${pool}:${token}`;
    const recent = [...(this.#recent.get(key) ?? []), price].slice(-SNAPSHOTS);
    this.#recent.set(key, recent);
    return recent.toSorted((a, b) => a - b)[Math.floor(recent.length / 2)] ?? price;
  }
}
