import type { Database } from "../../store/sqlite/driver.ts";

/** So many of the newest blocks are kept, with what they overwrote: a reorg of as many is taken back. */
export const DEPTH = 512;

/** Blocks this far below the head, or deeper, are read in ranges; above, one by one, each by its hash. */
export const LINKED = 64;

/** A block as it is kept: what names it and its parent, and when it was made (epoch ms). */
export interface KeptBlock {
  readonly number: number;
  readonly hash: string;
  readonly parent: string;
  readonly time: number;
}

/** What one kind of rows does when blocks are taken back, within the transaction that does so. */
export interface Undoing {
  /** Takes back what the blocks above `number` wrote, by the journal where rows were overwritten. */
  undo(number: number): void;
}

/**
 * The newest blocks of a chain without a gap, linked by their parents' hashes: what a new block is held
 * against. Its methods are parts of a transaction.
 */
export class KeptBlocks {
  readonly #newest;
  readonly #oldest;
  readonly #at;
  readonly #since;
  readonly #put;
  readonly #cutAbove;
  readonly #forget;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    const columns = "SELECT number, hash, parent, time FROM blocks WHERE chain = ?";
    this.#newest = db.prepare<[number], KeptBlock>(`${columns} ORDER BY number DESC LIMIT 1`);
    this.#oldest = db.prepare<[number], KeptBlock>(`${columns} ORDER BY number LIMIT 1`);
    this.#at = db.prepare<[number, number], KeptBlock>(`${columns} AND number = ?`);
    this.#since = db.prepare<[number, number], KeptBlock>(
      `${columns} AND number >= ? ORDER BY number`,
    );
    this.#put = db.prepare<[number, number, string, string, number]>(
      "INSERT INTO blocks (chain, number, hash, parent, time) VALUES (?, ?, ?, ?, ?)",
    );
    this.#cutAbove = db.prepare<[number, number]>(
      "DELETE FROM blocks WHERE chain = ? AND number > ?",
    );
    this.#forget = db.prepare<[number, number]>(
      "DELETE FROM blocks WHERE chain = ? AND number < ?",
    );
  }

  newest(): KeptBlock | undefined {
    return this.#newest.get(this.chain);
  }

  oldest(): KeptBlock | undefined {
    return this.#oldest.get(this.chain);
  }

  at(number: number): KeptBlock | undefined {
    return this.#at.get(this.chain, number);
  }

  /** Oldest first. */
  since(number: number): readonly KeptBlock[] {
    return this.#since.all(this.chain, number);
  }

  /** Adds the next block. Throws where it is not the child of the newest, which is a slip of the caller. */
  put({ number, hash, parent, time }: KeptBlock): void {
    const newest = this.newest();
    if (newest !== undefined && (newest.number + 1 !== number || newest.hash !== parent)) {
      throw new Error(`block ${number} does not follow block ${newest.number}`);
    }
    this.#put.run(this.chain, number, hash, parent, time);
  }

  cutAbove(number: number): void {
    this.#cutAbove.run(this.chain, number);
  }

  /** Forgets those below `number`. */
  forgetBelow(number: number): void {
    this.#forget.run(this.chain, number);
  }
}

/** What blocks overwrote, so that it can be put back; each key of a kind once a block. */
export class Journal {
  readonly #note;
  readonly #above;
  readonly #forgetAbove;
  readonly #forgetBelow;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#note = db.prepare<[number, number, string, string, string | null]>(
      `INSERT INTO journal (chain, block, kind, key, before) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#above = db.prepare<[number, number, string], Overwritten>(
      `SELECT key, before FROM journal WHERE chain = ? AND block > ? AND kind = ?
       ORDER BY block DESC`,
    );
    this.#forgetAbove = db.prepare<[number, number, string]>(
      "DELETE FROM journal WHERE chain = ? AND block > ? AND kind = ?",
    );
    this.#forgetBelow = db.prepare<[number, number]>(
      "DELETE FROM journal WHERE chain = ? AND block < ?",
    );
  }

  /** Notes what stood at `key` before `block` wrote there; null: nothing. The first note of a block counts. */
  note(block: number, kind: string, key: string, before: string | null): void {
    this.#note.run(this.chain, block, kind, key, before);
  }

  /** What the blocks above `number` overwrote of a kind, the newest first; it is forgotten. */
  takeAbove(number: number, kind: string): readonly Overwritten[] {
    const rows = this.#above.all(this.chain, number, kind);
    this.#forgetAbove.run(this.chain, number, kind);
    return rows;
  }

  forgetBelow(number: number): void {
    this.#forgetBelow.run(this.chain, number);
  }
}

interface Overwritten {
  readonly key: string;
  readonly before: string | null;
}
