import type { Database } from "../../store/sqlite/driver.ts";
import type { Undoing } from "../index/reorg.ts";

/** The first block of hours (epoch ms of their starts). Methods that write are parts of a transaction. */
export class BorderTable implements Undoing {
  readonly #put;
  readonly #get;
  readonly #cut;
  readonly #hourOf;
  readonly #begin;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#put = db.prepare<[number, number, number]>(
      `INSERT INTO borders (chain, hour, number) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET number = excluded.number`,
    );
    this.#get = db
      .prepare<[number, number], number>("SELECT number FROM borders WHERE chain = ? AND hour = ?")
      .pluck();
    this.#cut = db.prepare<[number, number]>("DELETE FROM borders WHERE chain = ? AND number > ?");
    this.#begin = db
      .prepare<[number], number | null>(
        "SELECT max(hour) FROM borders WHERE chain = ? AND number = 0",
      )
      .pluck();
    this.#hourOf = db
      .prepare<[number, number], number | null>(
        "SELECT min(hour) FROM borders WHERE chain = ? AND number >= ?",
      )
      .pluck();
  }

  put(hour: number, number: number): void {
    this.#put.run(this.chain, hour, number);
  }

  /** The first block at or after the hour's start; undefined: it is not known. */
  at(hour: number): number | undefined {
    return this.#get.get(this.chain, hour);
  }

  /** The first hour, of those whose border is known, that begins at a block or after it. */
  hourOf(number: number): number | undefined {
    return this.#hourOf.get(this.chain, number) ?? undefined;
  }

  /** The hour in which the chain begins (epoch ms); undefined: that is not known. */
  begin(): number | undefined {
    return this.#begin.get(this.chain) ?? undefined;
  }

  undo(number: number): void {
    // The first block is nobody's to take back.
    this.#cut.run(this.chain, Math.max(0, number));
  }
}
