import type { Database } from "../../store/sqlite/driver.ts";

/**
 * What logs are followed: of a V4 pool by its id, a V3 pool by its address, a V3 position by its NFT's id (a word
 * with `0x`), the V4 positions that an owner gets and gives away by its address, a token's transfers likewise.
 */
export type SourceKind = "v4" | "v3" | "v3_position" | "owner" | "transfers";
/** Those that are followed from the first question about them on. */
export type WantedKind = Exclude<SourceKind, "transfers">;

export function isWantedKind(value: unknown): value is WantedKind {
  return WANTED.some((kind) => kind === value);
}

const WANTED: readonly WantedKind[] = ["v4", "v3", "v3_position", "owner"];

/** What was read of a source's logs: the blocks from `first` to `last`, one less than `first` for none. */
export interface Source {
  readonly kind: SourceKind;
  /** In lower case. */
  readonly id: string;
  readonly first: number;
  /** Null: it is live, all is read up to the newest block that is kept. */
  readonly last: number | null;
  /** The first block of which it can be taken back what was written; null: it is not live. */
  readonly since: number | null;
}

/** What is followed on a chain, and how far it was read. Methods that write are parts of a transaction. */
export class Sources {
  readonly #all;
  readonly #get;
  readonly #add;
  readonly #move;
  readonly #drop;
  readonly #cut;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    const columns = "SELECT kind, id, first, last, since FROM ranges WHERE chain = ?";
    this.#all = db.prepare<[number], Source>(`${columns} ORDER BY kind, id`);
    this.#get = db.prepare<[number, string, string], Source>(`${columns} AND kind = ? AND id = ?`);
    this.#add = db.prepare<[number, string, string, number, number]>(
      `INSERT INTO ranges (chain, kind, id, first, last) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#move = db.prepare<[number | null, number | null, number, string, string]>(
      "UPDATE ranges SET last = ?, since = ? WHERE chain = ? AND kind = ? AND id = ?",
    );
    this.#drop = db.prepare<[number, string, string]>(
      "DELETE FROM ranges WHERE chain = ? AND kind = ? AND id = ?",
    );
    this.#cut = db.prepare<[number, number]>(
      "UPDATE ranges SET last = ?, since = NULL WHERE chain = ? AND last IS NULL",
    );
  }

  all(): readonly Source[] {
    return this.#all.all(this.chain);
  }

  get(kind: SourceKind, id: string): Source | undefined {
    return this.#get.get(this.chain, kind, id);
  }

  /** Begins to follow a source from block `first` on, unless it is followed. */
  add(kind: SourceKind, id: string, first: number): void {
    this.#add.run(this.chain, kind, id, first, first - 1);
  }

  drop(kind: SourceKind, id: string): void {
    this.#drop.run(this.chain, kind, id);
  }

  /** Says that a source is read up to block `last`, and no more. */
  move({ kind, id }: Pick<Source, "kind" | "id">, last: number): void {
    this.#move.run(last, null, this.chain, kind, id);
  }

  /** Says that a source is live: what it wrote from block `since` on can be taken back. */
  goLive({ kind, id }: Pick<Source, "kind" | "id">, since: number): void {
    this.#move.run(null, since, this.chain, kind, id);
  }

  /** Says that what was live is read up to `last` only: nothing is live any more. */
  interrupt(last: number): void {
    this.#cut.run(last, this.chain);
  }
}
