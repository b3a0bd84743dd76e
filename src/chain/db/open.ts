import { type Database, loadDriver } from "../../store/sqlite/driver.ts";
import { makePrivate, tighten } from "../../store/sqlite/private-files.ts";
import { POSITION_TABLES, TABLES } from "./tables.ts";

/** `tkch`, at offset 68 of the file: tells a database of chains from any other. */
const APPLICATION_ID = 0x746b6368;

/**
 * The steps that make the tables, each from the format before it. One that was released is never edited:
 * what changes is a step more.
 */
const MIGRATIONS: readonly string[] = [TABLES, POSITION_TABLES];

/** Not a database of chains, or of a newer tickwatch. Nothing was written. */
export class ChainDbError extends Error {
  override readonly name = "ChainDbError";
}

/** Brings an open database to the newest format in one transaction. Throws ChainDbError. */
function migrate(db: Database, path: string): void {
  db.transaction(() => {
    const version = Number(db.pragma("user_version", { simple: true }));
    const application = Number(db.pragma("application_id", { simple: true }));
    const isNew = version === 0 && application === 0;
    const isEmpty = Number(db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get()) === 0;
    if (isNew ? !isEmpty : application !== APPLICATION_ID) {
      throw new ChainDbError(
        `${path} is not a database of chains: set \`data\` to the path of another file`,
      );
    }
    if (version > MIGRATIONS.length) {
      throw new ChainDbError(
        `${path} was written by a newer tickwatch: delete it (it is read again from the node), or set \`data\` to another file`,
      );
    }
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  }).immediate();
}

/** SQLite waits this long for the other thread, whose transactions are far shorter. */
const BUSY_MS = 5_000;
/** A log that grew in a burst is cut back to this. */
const LOG_BYTES = 64 * 1024 * 1024;

/**
 * Opens or makes the database of chains at `path`; `:memory:` for one that is gone when it is closed. Its
 * files are for their owner alone. Several threads of a process may have it open, of which one indexes.
 * Rejects with ChainDbError for a file that is no such database or cannot be used, and with StoreError
 * where there is no driver.
 */
export async function openChainDb(path: string): Promise<Database> {
  const driver = await loadDriver();
  let db: Database | null = null;
  try {
    if (path !== ":memory:") {
      makePrivate(path);
      tighten(path);
    }
    db = new driver(path, { timeout: BUSY_MS });
    db.pragma("journal_mode = WAL");
    // A power cut may take the last transactions back: the node still has them.
    db.pragma("synchronous = NORMAL");
    db.pragma("temp_store = MEMORY");
    db.pragma(`journal_size_limit = ${LOG_BYTES}`);
    migrate(db, path);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof ChainDbError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ChainDbError(
      `cannot use ${path}: ${why}: delete it (it is read again from the node), or set \`data\` to another file`,
      { cause: error },
    );
  }
}
