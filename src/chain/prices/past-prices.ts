import { setTimeout as delay } from "node:timers/promises";
import { isoTime } from "../../api/written.ts";
import { DAY, HOUR, SECOND } from "../../base/duration.ts";
import { keepNewest } from "../../base/keep-newest.ts";
import { Refusal } from "../../serve/refusal.ts";
import type { Page, Period } from "../../serve/world.ts";
import type { Header } from "../codec/blocks.ts";
import { RemainingTime, reading } from "../index/progress-table.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { BlockReader } from "../state/block-reader.ts";
import { NoArchive } from "../state/days.ts";
import { valueOf } from "../state/price.ts";
import { supplyOf, type Tokens } from "../state/tokens.ts";

/** A question waits so long (ms) for what is not read yet; later ones find more. */
const PATIENCE_MS = 3 * SECOND;
/** Points that are read at once. */
const AT_ONCE = 4;
/** Points that are kept: they never change. */
const MOST_KEPT = 100_000;
const LENGTHS: Readonly<Record<Period, number>> = { d: DAY, h: HOUR };

/** What a token was worth at one block. */
interface Worth {
  readonly usd: number;
  /** Null where the chain's own currency is not ether. */
  readonly eth: number | null;
  readonly cap: number | null;
}

export interface PastPricesOptions {
  readonly tokens: Tokens;
  /** Dollars for a whole token at a reader's block, without means of what was read before. */
  readonly usdOf: (reader: BlockReader, token: string) => Promise<number | null>;
  /** Wrapped ether; null: the chain's own currency is another one. */
  readonly ether: string | null;
  /** The last block before each time (epoch ms); null: there was none yet. Rejects with RpcError. */
  readonly lastBlocks: (
    times: readonly number[],
    head: Header,
  ) => Promise<readonly (Header | null)[]>;
  readonly readerAt: (header: Header) => BlockReader;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

/**
 * What tokens were worth at the last block of hours and days past, by the pools that tell their price today,
 * from nodes that keep old states. Extremes between two blocks, and volumes, are not known.
 */
export class PastPrices {
  /** By token and the end of an hour or day (epoch ms); null: it had no price. */
  readonly #known = new Map<string, Worth | null>();
  readonly #reading = new Map<string, Promise<void>>();
  readonly #remaining: RemainingTime;
  /** What the present is compared with could not be read: it is not tried again until then. */
  #idleUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: PastPricesOptions) {
    this.#remaining = new RemainingTime(options.now);
  }

  /**
   * A token's hours or days, newest first; undefined: there is no such token. Rejects with Refusal
   * (`not_indexed`) until they are read, with NoArchive where no node has them, and with RpcError.
   */
  async history(head: BlockReader, token: string, period: Period, { size, offset }: Page) {
    const { tokens } = this.options;
    if ((await supplyOf(head, token)) === null) return undefined;
    const length = LENGTHS[period];
    const { time } = head.header;
    const running = Math.floor(time / length) * length;
    const starts = Array.from({ length: size }, (_, i) => running - (offset + i) * length);
    // The oldest one's price at its start, too.
    const ends = [...starts.map((start) => start + length), starts.at(-1) ?? running];
    await this.#fill(
      head,
      token,
      ends.filter((end) => end <= time),
    );
    const now = offset === 0 ? await this.#worth(head, token) : null;
    const at = (end: number): Worth | null =>
      end > time ? now : (this.#known.get(keyOf(token, end)) ?? null);
    const points = starts.flatMap((start) => {
      const worth = at(start + length);
      if (worth === null) return [];
      const earlier = at(start + length - DAY);
      const change = earlier === null ? null : worth.usd - earlier.usd;
      return {
        date: isoTime(start),
        price_usd: worth.usd,
        price_eth: worth.eth,
        price_btc: null,
        volume_24h: null,
        market_cap: worth.cap,
        open: at(start)?.usd ?? null,
        high: null,
        low: null,
        close: worth.usd,
        price_change_24h: change,
        price_change_percentage_24h:
          change === null || earlier === null ? null : (change / earlier.usd) * 100,
      };
    });
    const { symbol, name } = await tokens.facts(head, token);
    return { symbol, name, period, historical_prices: points };
  }

  /**
   * What a token was worth in dollars at the last block of the hour that ended so many hours before the one that
   * runs at `head`; null where that is not known. It is read beside the answers, once, from a node that keeps
   * old states: whoever asks again finds it.
   */
  before(head: BlockReader, token: string, hours: number): number | null {
    const end = (Math.floor(head.header.time / HOUR) - hours) * HOUR;
    const known = this.#known.get(keyOf(token, end));
    if (known !== undefined) return known?.usd ?? null;
    const { now } = this.options;
    if (this.#reading.has(token) || now() < this.#idleUntil) return null;
    const over = (): void => void this.#reading.delete(token);
    const work = this.#read(head, token, [end]);
    this.#reading.set(token, work);
    work.then(over, () => {
      over();
      this.#idleUntil = now() + HOUR;
    });
    return null;
  }

  /** Reads what is not known of these ends, for a little while. */
  async #fill(head: BlockReader, token: string, ends: readonly number[]): Promise<void> {
    const missing = (): readonly number[] =>
      ends.filter((end) => !this.#known.has(keyOf(token, end)));
    if (missing().length === 0) return;
    const begun = this.#reading.get(token);
    const work = begun ?? this.#read(head, token, missing());
    if (begun === undefined) {
      this.#reading.set(token, work);
      const end = (): void => void this.#reading.delete(token);
      work.then(end, end);
    }
    await Promise.race([work, delay(PATIENCE_MS, undefined, { ref: false })]);
    const left = missing().length;
    if (left === 0) return;
    const far = reading(this.#remaining.of(token, ends.length - left, ends.length));
    throw new Refusal("not_indexed", `past prices of ${token}: ${far}`);
  }

  /** The newest first. */
  async #read(head: BlockReader, token: string, ends: readonly number[]): Promise<void> {
    const { lastBlocks, readerAt, usdOf } = this.options;
    // Which pools tell the price is found out at the newest block.
    await usdOf(head, token);
    for (let from = 0; from < ends.length; from += AT_ONCE) {
      const some = ends.slice(from, from + AT_ONCE);
      const headers = await lastBlocks(some, head.header);
      await Promise.all(
        some.map(async (end, i) => {
          const header = headers[i] ?? null;
          const worth = header === null ? null : await this.#worth(readerAt(header), token);
          keepNewest(this.#known, keyOf(token, end), worth, MOST_KEPT);
        }),
      ).catch((error: unknown) => {
        if (!(error instanceof RpcError) || error.kind !== "no_state") throw error;
        throw new NoArchive("an archive node is needed");
      });
    }
  }

  async #worth(reader: BlockReader, token: string): Promise<Worth | null> {
    const { usdOf, ether, tokens } = this.options;
    const [usd, etherUsd, supply, { decimals }] = await Promise.all([
      usdOf(reader, token),
      ether === null ? null : usdOf(reader, ether),
      supplyOf(reader, token),
      tokens.facts(reader, token),
    ]);
    if (usd === null) return null;
    const eth = etherUsd === null || etherUsd === 0 ? null : usd / etherUsd;
    return { usd, eth, cap: supply === null ? null : valueOf(supply, decimals, usd) };
  }
}

function keyOf(token: string, end: number): string {
  return `${token}:${end}`;
}
