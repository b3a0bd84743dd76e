import { statSync } from "node:fs";
import type { StorePlace } from "../../model/index.ts";
import { type OperatorDb, openOwnOperatorDb } from "../../store/operator-db/operator-db.ts";
import { StoreError } from "../../store/store.ts";
import { ProblemError } from "../api/api.ts";

/**
 * The daemon's own database as the page and the API read it and write into it: a connection beside that of
 * the rounds, opened when it is first needed and again when its file was replaced.
 */
export class OwnDb {
  /** Null: what is watched is kept in memory alone. */
  readonly #place: StorePlace | null;
  #open: { readonly db: OperatorDb; readonly inode: number } | null = null;

  constructor(place: StorePlace | null) {
    this.#place = place;
  }

  /** Throws ProblemError 503 while the database cannot be used. */
  async use<T>(work: (db: OperatorDb) => T | Promise<T>): Promise<T> {
    try {
      return await work(await this.#get());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.close();
      throw new ProblemError(
        503,
        "The database cannot be used",
        `${error.message}; try again later`,
      );
    }
  }

  /** The same where it is no fault that there is none: null then. */
  async glance<T>(work: (db: OperatorDb) => T | Promise<T>): Promise<T | null> {
    try {
      return await this.use(work);
    } catch (error) {
      if (error instanceof ProblemError) return null;
      throw error;
    }
  }

  close(): void {
    this.#open?.db.close();
    this.#open = null;
  }

  async #get(): Promise<OperatorDb> {
    const place = this.#place;
    if (place === null) {
      const detail = "the daemon keeps everything in memory; set `store` to a file";
      throw new ProblemError(503, "There is no database", detail);
    }
    // A file may be replaced by another one of the same name.
    const inode =
      typeof place === "string" ? (statSync(place, { throwIfNoEntry: false })?.ino ?? 0) : 0;
    if (this.#open !== null && this.#open.inode === inode) return this.#open.db;
    this.close();
    const db = await openOwnOperatorDb(place);
    this.#open = { db, inode };
    return db;
  }
}
