import { HOUR } from "../../base/duration.ts";
import { type JsonMap, readMap } from "../../base/json.ts";
import type { Database } from "../../store/sqlite/driver.ts";
import type { Undoing } from "../index/reorg.ts";
import { type GasBlock, type GasMethod, hourOf, methodOf } from "./hours.ts";

/** A block with the hour that it lies in (epoch ms of its start). */
export interface HourBlock extends GasBlock {
  readonly hour: number;
}

interface Row {
  readonly number: number;
  readonly hour: number;
  readonly base: string | null;
  readonly used: string;
  readonly most: string;
  readonly txs: number | null;
  readonly bids: number | null;
  readonly zero: number | null;
  readonly min: string | null;
  readonly max: string | null;
  readonly top5: string | null;
  readonly top5_mean: string | null;
  readonly top10: string | null;
  readonly top10_mean: string | null;
}

/** An hour (epoch ms of its start), the way its blocks were read, and its averages. */
export interface KnownHour {
  readonly hour: number;
  readonly method: GasMethod;
  readonly fields: JsonMap;
}

interface HourRow {
  readonly hour: number;
  readonly method: GasMethod;
  readonly fields: string;
}

/**
 * The gas statistics of a chain: blocks of the newest hours, and averages of those that no reorg reaches.
 * Methods that write are parts of a transaction.
 */
export class GasTable implements Undoing {
  readonly #put;
  readonly #cutAbove;
  readonly #blocksOf;
  readonly #hoursWithBlocks;
  readonly #dropBlocks;
  readonly #putHour;
  readonly #hours;
  readonly #countOf;
  readonly #cutHours;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#put = db.prepare<[Row & { readonly chain: number }]>(
      `INSERT OR REPLACE INTO gas_blocks (chain, number, hour, base, used, most, txs, bids, zero,
         min, max, top5, top5_mean, top10, top10_mean)
       VALUES (@chain, @number, @hour, @base, @used, @most, @txs, @bids, @zero,
         @min, @max, @top5, @top5_mean, @top10, @top10_mean)`,
    );
    this.#cutAbove = db.prepare<[number, number]>(
      "DELETE FROM gas_blocks WHERE chain = ? AND number > ?",
    );
    this.#blocksOf = db.prepare<[number, number], Row>(
      "SELECT * FROM gas_blocks WHERE chain = ? AND hour = ? ORDER BY number",
    );
    this.#hoursWithBlocks = db.prepare<[number], { readonly hour: number; readonly last: number }>(
      `SELECT hour, max(number) AS last FROM gas_blocks WHERE chain = ?
       GROUP BY hour ORDER BY hour`,
    );
    this.#dropBlocks = db.prepare<[number, number]>(
      "DELETE FROM gas_blocks WHERE chain = ? AND hour = ?",
    );
    this.#putHour = db.prepare<[number, number, string, string]>(
      `INSERT INTO gas_hours (chain, hour, method, fields) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET method = excluded.method, fields = excluded.fields`,
    );
    this.#hours = db.prepare<[number, number, number], HourRow>(
      `SELECT hour, method, fields FROM gas_hours WHERE chain = ? AND hour BETWEEN ? AND ?
       ORDER BY hour`,
    );
    // From the hour on in which the first block above lies.
    this.#cutHours = db.prepare<[number, number, number, number]>(
      `DELETE FROM gas_hours WHERE chain = ? AND hour >=
         (SELECT min(hour) - ? FROM borders WHERE chain = ? AND number > ? + 1)`,
    );
    this.#countOf = db
      .prepare<[number, number], number>(
        "SELECT count(*) FROM gas_blocks WHERE chain = ? AND hour = ?",
      )
      .pluck();
  }

  /** How many blocks of an hour are kept. */
  countOf(hour: number): number {
    return this.#countOf.get(this.chain, hour) ?? 0;
  }

  /** Each hour of which blocks are kept, oldest first, with the newest of them. */
  hoursWithBlocks(): readonly { readonly hour: number; readonly last: number }[] {
    return this.#hoursWithBlocks.all(this.chain);
  }

  put({ number, hour, baseFee, gasUsed, gasLimit, txs, tips }: HourBlock): void {
    this.#put.run({
      chain: this.chain,
      number,
      hour,
      base: baseFee?.toString() ?? null,
      used: gasUsed.toString(),
      most: gasLimit.toString(),
      txs,
      bids: tips?.bids ?? null,
      zero: tips?.zero ?? null,
      min: tips?.min.toString() ?? null,
      max: tips?.max.toString() ?? null,
      top5: tips?.top5.toString() ?? null,
      top5_mean: tips?.top5Mean.toString() ?? null,
      top10: tips?.top10.toString() ?? null,
      top10_mean: tips?.top10Mean.toString() ?? null,
    });
  }

  /** Keeps a finished hour for good. */
  putHour(hour: number, blocks: readonly GasBlock[]): void {
    if (blocks.length === 0) return;
    const fields = JSON.stringify(hourOf(blocks));
    this.#putHour.run(this.chain, hour, methodOf(blocks), fields);
  }

  /** Makes averages of the blocks of an hour that is finished, all of which are kept. */
  fold(hour: number): void {
    this.putHour(hour, this.#read(hour));
    this.dropBlocks(hour);
  }

  dropBlocks(hour: number): void {
    this.#dropBlocks.run(this.chain, hour);
  }

  /** The hours that begin in [from, to], oldest first; the newest has its blocks so far. */
  hours(from: number, to: number): readonly KnownHour[] {
    const folded = this.#hours.all(this.chain, from, to).map(({ hour, method, fields }) => ({
      hour,
      method,
      fields: readMap(fields) ?? {},
    }));
    const open = this.hoursWithBlocks()
      .filter(({ hour }) => hour >= from && hour <= to)
      .map(({ hour }) => {
        const blocks = this.#read(hour);
        return { hour, method: methodOf(blocks), fields: hourOf(blocks) };
      });
    return [...folded, ...open];
  }

  /** Which hours in [from, to] are kept for good, or have blocks. */
  known(from: number, to: number): Set<number> {
    const folded = this.#hours.all(this.chain, from, to).map(({ hour }) => hour);
    return new Set([...folded, ...this.hoursWithBlocks().map(({ hour }) => hour)]);
  }

  /** While the borders of the hours still stand. */
  undo(number: number): void {
    this.#cutAbove.run(this.chain, number);
    this.#cutHours.run(this.chain, HOUR, this.chain, number);
  }

  #read(hour: number): readonly GasBlock[] {
    return this.#blocksOf.all(this.chain, hour).map(blockOf);
  }
}

/** The start of the hour that a time (epoch ms) lies in. */
export function hourAt(time: number): number {
  return Math.floor(time / HOUR) * HOUR;
}

function blockOf(row: Row): GasBlock {
  const { number, base, used, most, txs, bids, zero } = row;
  const { min, max, top5, top5_mean: top5Mean, top10, top10_mean: top10Mean } = row;
  const block = {
    number,
    baseFee: base === null ? null : BigInt(base),
    gasUsed: BigInt(used),
    gasLimit: BigInt(most),
    txs,
  };
  if (min === null || max === null || top5 === null || top5Mean === null) {
    return { ...block, tips: null };
  }
  if (top10 === null || top10Mean === null) return { ...block, tips: null };
  const wei = {
    min: BigInt(min),
    max: BigInt(max),
    top5: BigInt(top5),
    top5Mean: BigInt(top5Mean),
    top10: BigInt(top10),
    top10Mean: BigInt(top10Mean),
  };
  const counts = bids === null || zero === null ? {} : { bids, zero };
  return { ...block, tips: { ...wei, ...counts } };
}
