import type { Database } from "../../store/sqlite/driver.ts";
import {
  type ChainLog,
  type LiquidityChange,
  readLiquidityChange,
  readSwap,
  type Swap,
  TOPICS,
} from "../codec/events.ts";
import type { Undoing } from "./reorg.ts";

/** Where an entry stands in the chain. */
export interface EntryPlace {
  readonly block: number;
  readonly logIndex: number;
  /** Epoch ms; null: nobody has asked yet, and the node did not say. */
  readonly time: number | null;
  readonly transaction: string;
}

export type SwapEntry = EntryPlace & Swap;
export type LiquidityEntry = EntryPlace & LiquidityChange;

interface Place {
  readonly block: number;
  readonly log_index: number;
  readonly time: number | null;
  readonly tx: string;
}

interface SwapRow extends Place {
  readonly sender: string;
  readonly recipient: string | null;
  readonly amount0: string;
  readonly amount1: string;
  readonly sqrt_price: string;
  readonly liquidity: string;
  readonly tick: number;
  readonly fee: number | null;
}

interface ChangeRow extends Place {
  readonly sender: string;
  readonly lower: number;
  readonly upper: number;
  readonly delta: string;
  readonly salt: string;
}

type Of<Row> = Row & { readonly chain: number; readonly pool: string };

/**
 * The swaps and changes of liquidity of pools. Pools go by id (V4) or address (V3) in lower case. Methods that
 * write are parts of a transaction.
 */
export class Entries implements Undoing {
  readonly #putSwap;
  readonly #putChange;
  readonly #newestSwaps;
  readonly #newestChanges;
  readonly #swapsBetween;
  readonly #swapBefore;
  readonly #changesBySalt;
  readonly #cuts;
  readonly #setTimes;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#putSwap = db.prepare<[Of<SwapRow>]>(
      `INSERT OR REPLACE INTO swaps (chain, pool, block, log_index, time, tx, sender, recipient,
         amount0, amount1, sqrt_price, liquidity, tick, fee)
       VALUES (@chain, @pool, @block, @log_index, @time, @tx, @sender, @recipient,
         @amount0, @amount1, @sqrt_price, @liquidity, @tick, @fee)`,
    );
    this.#putChange = db.prepare<[Of<ChangeRow>]>(
      `INSERT OR REPLACE INTO liquidity_changes (chain, pool, block, log_index, time, tx, sender,
         lower, upper, delta, salt)
       VALUES (@chain, @pool, @block, @log_index, @time, @tx, @sender,
         @lower, @upper, @delta, @salt)`,
    );
    const newest = (table: string): string =>
      `SELECT * FROM ${table} WHERE chain = ? AND pool = ? AND block <= ?
       ORDER BY block DESC, log_index DESC LIMIT ? OFFSET ?`;
    const between = (table: string): string =>
      `SELECT * FROM ${table} WHERE chain = ? AND pool = ? AND block BETWEEN ? AND ?
       ORDER BY block, log_index`;
    type Newest = [number, string, number, number, number];
    type Between = [number, string, number, number];
    this.#newestSwaps = db.prepare<Newest, SwapRow>(newest("swaps"));
    this.#newestChanges = db.prepare<Newest, ChangeRow>(newest("liquidity_changes"));
    this.#swapsBetween = db.prepare<Between, SwapRow>(between("swaps"));
    this.#swapBefore = db.prepare<[number, string, number, number, number], SwapRow>(
      `SELECT * FROM swaps WHERE chain = ? AND pool = ?
         AND (block < ? OR (block = ? AND log_index < ?))
       ORDER BY block DESC, log_index DESC LIMIT 1`,
    );
    this.#changesBySalt = db.prepare<[number, string, string, string], ChangeRow>(
      `SELECT * FROM liquidity_changes WHERE chain = ? AND salt = ? AND pool = ? AND sender = ?
       ORDER BY block, log_index`,
    );
    const tables = ["swaps", "liquidity_changes"];
    this.#cuts = tables.map((table) =>
      db.prepare<[number, number]>(`DELETE FROM ${table} WHERE chain = ? AND block > ?`),
    );
    this.#setTimes = tables.map((table) =>
      db.prepare<[number, number, number]>(
        `UPDATE ${table} SET time = ? WHERE chain = ? AND block = ? AND time IS NULL`,
      ),
    );
  }

  /** Keeps the entry that a log tells; any other log is passed over. `time`: epoch ms of its block, if known. */
  put(log: ChainLog, time: number | null): void {
    const { block, index, transaction: tx } = log;
    // V4 has all pools in one contract.
    const pool = log.topics[0] === TOPICS.v3Swap ? log.address : (log.topics[1] ?? "");
    const place = { chain: this.chain, pool, block, log_index: index, time, tx };
    const swap = readSwap(log);
    if (swap !== null) {
      const { sender, recipient, tick, fee } = swap;
      this.#putSwap.run({
        ...place,
        sender,
        recipient,
        amount0: swap.amount0.toString(),
        amount1: swap.amount1.toString(),
        sqrt_price: swap.sqrtPriceX96.toString(),
        liquidity: swap.liquidity.toString(),
        tick,
        fee,
      });
      return;
    }
    const change = readLiquidityChange(log);
    if (change !== null)
      this.#putChange.run({ ...place, ...change, delta: change.delta.toString() });
  }

  /** Newest first, in blocks up to `block`. */
  swaps(pool: string, block: number, size: number, offset: number): readonly SwapEntry[] {
    return this.#newestSwaps.all(this.chain, pool, block, size, offset).map(swapOf);
  }

  /** Likewise. */
  changes(pool: string, block: number, size: number, offset: number): readonly LiquidityEntry[] {
    return this.#newestChanges.all(this.chain, pool, block, size, offset).map(changeOf);
  }

  /** Oldest first, both blocks included. */
  swapsBetween(pool: string, first: number, last: number): readonly SwapEntry[] {
    return this.#swapsBetween.all(this.chain, pool, first, last).map(swapOf);
  }

  /** The last swap before a log; undefined: there was none since the pool is followed. */
  swapBefore(pool: string, block: number, logIndex: number): SwapEntry | undefined {
    const row = this.#swapBefore.get(this.chain, pool, block, block, logIndex);
    return row === undefined ? undefined : swapOf(row);
  }

  /** What one position was given, oldest first; `sender` is its manager, `salt` its NFT's id as 32 bytes with `0x`. */
  changesOf(pool: string, sender: string, salt: string): readonly LiquidityEntry[] {
    return this.#changesBySalt.all(this.chain, salt, pool, sender).map(changeOf);
  }

  /** Says when a block was made (epoch ms), whose entries were written without. */
  setTime(block: number, time: number): void {
    for (const statement of this.#setTimes) statement.run(time, this.chain, block);
  }

  undo(number: number): void {
    for (const statement of this.#cuts) statement.run(this.chain, number);
  }
}

function placeOf({ block, log_index: logIndex, time, tx: transaction }: Place): EntryPlace {
  return { block, logIndex, time, transaction };
}

function swapOf(row: SwapRow): SwapEntry {
  const { sender, recipient, tick, fee } = row;
  return {
    ...placeOf(row),
    sender,
    recipient,
    amount0: BigInt(row.amount0),
    amount1: BigInt(row.amount1),
    sqrtPriceX96: BigInt(row.sqrt_price),
    liquidity: BigInt(row.liquidity),
    tick,
    fee,
  };
}

function changeOf(row: ChangeRow): LiquidityEntry {
  const { sender, lower, upper, salt } = row;
  return { ...placeOf(row), sender, lower, upper, salt, delta: BigInt(row.delta) };
}
