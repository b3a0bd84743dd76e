import { isoTime, signed } from "../../api/written.ts";
import { DAY, HOUR } from "../../base/duration.ts";
import { Refusal } from "../../serve/refusal.ts";
import type { Period } from "../../serve/world.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import type { EntryPlace } from "../index/entries.ts";
import { PoolHours } from "../index/pool-hours.ts";
import { feesUsd, type PoolFacts, poolPoint, volumeUsd } from "../index/pool-points.ts";
import { RemainingTime, reading } from "../index/progress-table.ts";
import type { Trades } from "../index/trades.ts";

/** What other parts know of a chain's pools. Ids and addresses are in lower case. */
export interface PoolSurroundings {
  /** Undefined: there is no such pool. */
  pool(id: string): Promise<PoolFacts | undefined>;
  /** What a whole token was worth at a time (epoch ms), in dollars; null: not known. */
  usd(token: string, at: number): Promise<number | null>;
  /** The newest block whose entries may be told. */
  confirmed(): Promise<number>;
  /** When blocks were made (epoch ms), in their order. */
  times(blocks: readonly number[]): Promise<readonly number[]>;
}

export interface PoolAnswersOptions {
  readonly chainId: number;
  readonly tables: ChainTables;
  readonly facts: PoolSurroundings;
  /** Waits a little until something is so, as it soon may be; then it is asked again. */
  readonly soon: (isSo: () => boolean) => Promise<void>;
  /** Asks for the logs of a pool to be read from now on. */
  readonly follow: (version: "v3" | "v4", id: string) => void;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

const LENGTHS: Readonly<Record<Period, number>> = { d: DAY, h: HOUR };

/**
 * What pools' logs tell, in the specification's words. A pool is followed from the first question on, and
 * refused with `not_indexed` until its window is read: an answer in part would be a wrong one.
 */
export class PoolAnswers {
  readonly #hours: PoolHours;
  readonly #remaining: RemainingTime;

  constructor(private readonly options: PoolAnswersOptions) {
    this.#hours = new PoolHours(options.tables);
    this.#remaining = new RemainingTime(options.elapsed);
  }

  /** A pool's swaps, newest first. Undefined: there is no such pool. */
  async swaps(id: string, limit: number, offset: number): Promise<unknown> {
    const pool = await this.#pool(id);
    if (pool === undefined) return undefined;
    const until = await this.options.facts.confirmed();
    const swaps = this.options.tables.entries.swaps(pool.id, until, limit, offset);
    const times = await this.#timesOf(swaps);
    return {
      ...pool.name,
      swaps: swaps.map((swap) => ({
        transaction_hash: swap.transaction,
        block_number: swap.block,
        timestamp: isoTime(times.get(swap.block) ?? 0),
        sender: swap.sender,
        recipient: swap.recipient,
        amount0: signed(swap.amount0),
        amount1: signed(swap.amount1),
        sqrt_price_x96: swap.sqrtPriceX96.toString(),
        tick: swap.tick,
        liquidity: swap.liquidity.toString(),
      })),
    };
  }

  /** What was added to and taken from a V4 pool, newest first. Undefined: there is no such pool. */
  async liquidityChanges(id: string, limit: number, offset: number): Promise<unknown> {
    const pool = await this.#pool(id);
    if (pool?.facts.version !== "v4") return undefined;
    const { tables, facts, chainId } = this.options;
    const until = await facts.confirmed();
    const changes = tables.entries.changes(pool.id, until, limit, offset);
    const times = await this.#timesOf(changes);
    return {
      ...pool.name,
      modify_liquidity_history: changes.map((change) => ({
        id: `${pool.id}-${change.block * LOGS_IN_BLOCK + change.logIndex}`,
        pool_id: pool.id,
        pool_entity_id: `${chainId}-${pool.id}`,
        liquidity_delta: signed(change.delta),
        salt: change.salt,
        sender_id: `${chainId}-${change.sender}`,
        sender: change.sender,
        tick_lower: change.lower,
        tick_upper: change.upper,
        hash: change.transaction,
        tx_at_timestamp: String(Math.floor((times.get(change.block) ?? 0) / 1_000)),
        tx_at_block_number: String(change.block),
      })),
    };
  }

  /**
   * A pool's hours or days, newest first, from the running one back to where its window begins. Undefined:
   * there is no such pool.
   */
  async history(id: string, period: Period, limit: number, offset: number): Promise<unknown> {
    const pool = await this.#pool(id);
    if (pool === undefined) return undefined;
    const { tables, facts, chainId } = this.options;
    const newest = tables.blocks.newest();
    const source = tables.sources.get(pool.facts.version, pool.id);
    if (newest === undefined || source === undefined) throw this.#notRead(pool.id, 0);
    const length = LENGTHS[period];
    const running = Math.floor(newest.time / length) * length;
    const window = Math.max(
      tables.borders.hourOf(source.first) ?? running,
      tables.borders.begin() ?? 0,
    );
    // A bucket of which only the end lies in the window would be told too small.
    const oldest = Math.ceil(window / length) * length;
    const data: unknown[] = [];
    for (let i = 0; i < limit; i += 1) {
      const begin = running - (offset + i) * length;
      if (begin < oldest) break;
      const first = tables.borders.at(begin);
      if (first === undefined) throw this.#notRead(pool.id, null);
      const trades = await this.#tradesIn(pool, begin, begin + length);
      const before =
        begin - length < oldest ? null : await this.#tradesIn(pool, begin - length, begin);
      const point = await poolPoint({
        chainId,
        id: pool.id,
        facts: pool.facts,
        begin,
        end: Math.min(begin + length, newest.time),
        trades,
        before,
        opened: tables.entries.swaps(pool.id, first - 1, 1, 0)[0] ?? null,
        usd: (token, at) => facts.usd(token, at),
      });
      if (point !== null) data.push(point);
    }
    return { ...pool.name, period, data };
  }

  /**
   * What was traded in a pool in the last 24 hours, and paid for it, in dollars as the earlier family writes
   * them; null where prices lack, and while the logs are not read that far, which they will be from now on.
   */
  async lastDay(
    id: string,
  ): Promise<{ readonly volume_24h: string | null; readonly fees_24h: string | null }> {
    const pool = id.toLowerCase();
    const { facts, tables } = this.options;
    const known = await facts.pool(pool);
    const isRead = known !== undefined && this.#isLive(known.version, pool);
    const first = isRead ? (tables.sources.get(known.version, pool)?.first ?? 0) : 0;
    const trades = isRead ? await this.#hours.lastDay(pool, known.fee, first) : null;
    if (known === undefined || trades === null) return { volume_24h: null, fees_24h: null };
    const at = tables.blocks.newest()?.time ?? 0;
    const usd = (token: string): Promise<number | null> => facts.usd(token, at);
    const [volume, fees] = [await volumeUsd(trades, known, usd), await feesUsd(trades, known, usd)];
    return { volume_24h: volume?.toFixed(2) ?? null, fees_24h: fees?.toFixed(2) ?? null };
  }

  /** A pool whose window is read; it is followed from the first question on. Throws Refusal until it is read. */
  async #pool(id: string): Promise<FoundPool | undefined> {
    const { facts, tables } = this.options;
    const pool = id.toLowerCase();
    const known = await facts.pool(pool);
    if (known === undefined) return undefined;
    if (!this.#isLive(known.version, pool)) {
      await this.options.soon(() => this.#isLive(known.version, pool));
    }
    if (!this.#isLive(known.version, pool)) {
      const source = tables.sources.get(known.version, pool);
      throw this.#notRead(
        pool,
        source === undefined ? 0 : (source.last ?? 0) - source.first + 1,
        source?.first,
      );
    }
    const name = known.version === "v4" ? { pool_id: pool } : { pool_address: pool };
    return { id: pool, facts: known, name };
  }

  #isLive(version: "v3" | "v4", id: string): boolean {
    const source = this.options.tables.sources.get(version, id);
    if (source === undefined) this.options.follow(version, id);
    return source?.last === null;
  }

  /** `done`: of how many blocks the logs are read; null: the hours' first blocks are not known yet. */
  #notRead(pool: string, done: number | null, first = 0): Refusal {
    if (done === null) {
      return new Refusal(
        "not_indexed",
        `history of ${pool}: the first blocks of its hours are being looked for`,
      );
    }
    const newest = this.options.tables.blocks.newest()?.number ?? 0;
    const left = this.#remaining.of(`logs:${pool}`, done, Math.max(1, newest - first + 1));
    return new Refusal("not_indexed", `logs of ${pool}: ${reading(left)}`);
  }

  async #tradesIn(pool: FoundPool, from: number, to: number): Promise<Trades> {
    const trades = await this.#hours.between(pool.id, pool.facts.fee, from, to);
    if (trades === null) throw this.#notRead(pool.id, null);
    return trades;
  }

  /** When the blocks of entries were made: as it is kept, or as the node says, which is kept then. */
  async #timesOf(places: readonly EntryPlace[]): Promise<ReadonlyMap<number, number>> {
    const { tables, facts } = this.options;
    const times = new Map<number, number>();
    const open = new Set<number>();
    for (const { block, time } of places) {
      if (time === null) open.add(block);
      else times.set(block, time);
    }
    const asked = [...open];
    const told = asked.length === 0 ? [] : await facts.times(asked);
    for (const [i, block] of asked.entries()) {
      const time = told[i];
      if (time !== undefined) times.set(block, time);
    }
    if (asked.length > 0) {
      tables.write(() => {
        for (const block of asked) tables.entries.setTime(block, times.get(block) ?? 0);
      });
    }
    return times;
  }
}

/** A log's place in its block is smaller than this. */
const LOGS_IN_BLOCK = 1_000_000;

interface FoundPool {
  readonly id: string;
  readonly facts: PoolFacts;
  readonly name: { readonly pool_id: string } | { readonly pool_address: string };
}
