import type { Database } from "../../store/sqlite/driver.ts";
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
export function migrate(db: Database, path: string): void {
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
