import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PostgresPlace, storeName, targetOf } from "../../base/postgres-url.ts";
import type { StorePlace } from "../../model/index.ts";
import { openConnection } from "../postgres/connection.ts";
import { storeFailure as serverFailure, unusable } from "../postgres/failure.ts";
import { numberOf } from "../postgres/schema.ts";
import { connect, LONG_MS, type Session } from "../postgres/session.ts";
import { backUp, type Copied, refuseTarget } from "../sqlite/copies.ts";
import { type Database, loadDriver } from "../sqlite/driver.ts";
import { sqliteCode, storeFailure } from "../sqlite/failure.ts";
import { takeLease } from "../sqlite/lease.ts";
import { makePrivate } from "../sqlite/private-files.ts";
import { migrate } from "../sqlite/schema.ts";
import { StoreError } from "../store.ts";
import { copyAll, type Moved } from "./copy.ts";
import { postgresSource, postgresTarget } from "./postgres-side.ts";
import { sqliteSource, sqliteTarget } from "./sqlite-side.ts";

/**
 * Copies everything that is kept at one place to another one of the other kind, which must hold nothing, and
 * verifies it. No daemon may run on either. Throws StoreError, and then leaves the target as it was.
 */
export async function moveStore(from: StorePlace, to: StorePlace): Promise<Moved> {
  if (typeof from === "string" && typeof to !== "string") return await intoServer(from, to, true);
  if (typeof from !== "string" && typeof to === "string") {
    // Nobody writes meanwhile, or what comes after the copy would be lost.
    const held = await openConnection(from);
    try {
      return await intoFile(from, to, null);
    } finally {
      await held.close();
    }
  }
  throw new StoreError(
    "unwritable",
    "one of the two must be a file and the other PostgreSQL: copy between two of a kind with their own tools",
  );
}

/** Writes one moment of a schema into the SQLite file `to`, also beside a running daemon. Throws StoreError. */
export async function backUpServer(
  place: PostgresPlace,
  to: string,
  force: boolean,
): Promise<Copied> {
  const { rows, tables } = await intoFile(place, to, force);
  return { rows, tables, bytes: statSync(to).size };
}

/** Puts the backup `from` into a schema that holds nothing. Throws StoreError; `leased` beside a daemon. */
export async function restoreToServer(place: PostgresPlace, from: string): Promise<Moved> {
  return await intoServer(from, place, false);
}

async function intoFile(from: PostgresPlace, to: string, force: boolean | null): Promise<Moved> {
  refuseTarget(null, to, force);
  const part = `${to}.part`;
  try {
    const moved = await readingServer(from, (session) =>
      fillFile(part, (db) => copyAll(postgresSource(session), sqliteTarget(db))),
    );
    if (moved === null) throw unusable(storeName(from), "it holds nothing yet");
    renameSync(part, to);
    return moved;
  } finally {
    rmSync(part, { force: true });
  }
}

/** Null: the schema has no tables yet. */
async function readingServer<T>(
  place: PostgresPlace,
  work: (session: Session) => Promise<T>,
): Promise<T | null> {
  try {
    const session = await connect(targetOf(place));
    try {
      await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await session.query(`SET LOCAL statement_timeout = ${LONG_MS}`);
      await session.query(`SET LOCAL idle_in_transaction_session_timeout = ${LONG_MS}`);
      const number = await numberOf((...asked) => session.query(...asked), place.schema);
      return number === null ? null : await work(session);
    } finally {
      await session.end();
    }
  } catch (error) {
    throw serverFailure(error, storeName(place));
  }
}

const OF_FILES = /^(SQLITE_|ENOSPC$|EDQUOT$|EACCES$|EPERM$|EROFS$|ENOENT$)/;

/** Makes a database and fills it; half of one is not kept. */
async function fillFile<T>(path: string, work: (db: Database) => Promise<T>): Promise<T> {
  const driver = await loadDriver();
  try {
    rmSync(path, { force: true });
    makePrivate(path);
    const db = new driver(path);
    try {
      migrate(db, path);
      return await work(db);
    } finally {
      db.close();
    }
  } catch (error) {
    rmSync(path, { force: true });
    // What the server or the network says is for whoever asked them.
    throw OF_FILES.test(sqliteCode(error) ?? "") ? storeFailure(error, path) : error;
  }
}

async function intoServer(from: string, to: PostgresPlace, isStore: boolean): Promise<Moved> {
  if (!existsSync(from)) throw new StoreError("unwritable", `there is no database at ${from}`);
  const driver = await loadDriver();
  const lease = isStore ? takeLease(driver, from) : null;
  // What is read is a checked copy of the newest format: the original stays as it is.
  const folder = mkdtempSync(join(dirname(from), ".tickwatch-"));
  const copy = join(folder, "copy.db");
  try {
    await backUp(from, copy, false);
    const db = new driver(copy);
    try {
      migrate(db, copy);
      return await fillServer(to, db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    lease?.release();
  }
}

async function fillServer(to: PostgresPlace, db: Database): Promise<Moved> {
  const connection = await openConnection(to);
  try {
    return await connection.write(
      "data",
      async (session) => {
        const [held] = await session.query<{ any: boolean }>(
          "SELECT EXISTS (SELECT 1 FROM names) OR EXISTS (SELECT 1 FROM notices) AS any",
        );
        if (held?.any === true) {
          throw unusable(
            storeName(to),
            "it holds something already: name another schema with ?schema=, or drop this one",
          );
        }
        return await copyAll(sqliteSource(db), postgresTarget(session));
      },
      true,
    );
  } finally {
    await connection.close();
  }
}
