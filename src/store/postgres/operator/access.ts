import { type PostgresPlace, storeName, targetOf } from "../../../base/postgres-url.ts";
import type { Access, Statement, Work } from "../../operator-db/work.ts";
import { StoreError } from "../../store.ts";
import { storeFailure } from "../failure.ts";
import { insert } from "../rows.ts";
import { NEWEST_NUMBER, numberOf } from "../schema.ts";
import { connect, FILL, LONG_MS, type Session } from "../session.ts";

/** Rows that are fetched at once. */
const PAGE = 2_000;
/** The server may put millions of rows aside, and sorts them first. */
const ASIDE_MS = 600_000;

/** A schema as people look at it and write into it beside a daemon, or within it over a connection of their own. */
export interface ServerAccess extends Access {
  /**
   * The rows of a query, a page at a time, as they were at one moment. Whoever goes through them may take long: the
   * server has put them aside, and nothing is locked or kept from being cleaned up meanwhile. Throws StoreError.
   */
  pages<Row>(text: string, values: readonly unknown[]): AsyncGenerator<readonly Row[]>;
}

const READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const LONG = `SET LOCAL statement_timeout = ${LONG_MS}`;

/** Null where the schema has no tables yet. Throws StoreError. */
export async function openServerAccess(place: PostgresPlace): Promise<ServerAccess | null> {
  const where = storeName(place);
  const target = targetOf(place);
  let session: Session | null = null;
  let cursors = 0;
  let tail: Promise<unknown> = Promise.resolve();

  async function alive(): Promise<Session> {
    if (session?.isAlive === true) return session;
    session?.destroy();
    session = await connect(target);
    // Whoever ends a command that reads for minutes ends that as well, where the server's system tells it.
    await session.query("SET client_connection_check_interval = 2000").catch(() => {});
    return session;
  }

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storeFailure(error, where);
    }
  }

  function within<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    end = "COMMIT",
  ): Promise<T> {
    return guarded(async () => {
      const its = await alive();
      try {
        await its.query(begin);
        const result = await work(its);
        await its.query(end);
        return result;
      } catch (error) {
        if (its.isAlive) await its.query("ROLLBACK").catch(() => its.destroy());
        throw error;
      }
    });
  }

  async function* pages<Row>(
    text: string,
    values: readonly unknown[],
  ): AsyncGenerator<readonly Row[]> {
    cursors += 1;
    const name = `pages_${cursors}`;
    const declare = async (its: Session): Promise<Session> => {
      await its.query(`SET LOCAL statement_timeout = ${ASIDE_MS}`);
      await its.query(`DECLARE ${name} NO SCROLL CURSOR WITH HOLD FOR ${text}`, values);
      return its;
    };
    const its = await inTurn(() => within(READ, declare, FILL));
    try {
      for (;;) {
        const rows = await inTurn(() =>
          guarded(() => its.query<Row>(`FETCH ${PAGE} FROM ${name}`)),
        );
        if (rows.length > 0) yield rows;
        if (rows.length < PAGE) return;
      }
    } finally {
      // Of a connection that is gone nothing is left.
      if (its.isAlive) await inTurn(() => its.query(`CLOSE ${name}`)).catch(() => {});
    }
  }

  /** One after the other: there is one connection. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work);
    tail = turn.catch(() => {});
    return turn;
  }

  const close = (): void => {
    void tail.then(() => session?.end());
  };
  try {
    const its = await alive();
    const number = await numberOf((...asked) => its.query(...asked), place.schema);
    if (number === null) {
      close();
      return null;
    }
    if (number < NEWEST_NUMBER) {
      throw new StoreError(
        "older",
        `${where} was written by an older tickwatch: the next \`tickwatch run\` upgrades it`,
      );
    }
  } catch (error) {
    close();
    throw storeFailure(error, where);
  }
  return {
    where,
    read: (work, long = false) =>
      inTurn(() =>
        within(READ, async (its) => {
          if (long) await its.query(LONG);
          return await done(its, work);
        }),
      ),
    write: (work) => inTurn(() => within("BEGIN", (its) => done(its, work))),
    pages,
    close,
  };
}

async function done<T>(session: Session, work: Work<T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) step = work.next(await answer(session, step.value));
  return step.value;
}

async function answer(session: Session, statement: Statement): Promise<unknown> {
  // Who opens a schema has looked that all of it is there.
  if (statement.does === "has") return true;
  if (statement.does === "insert") return await insert(session, statement, statement.rows);
  const { sql, values, does } = statement;
  return await session[does](typeof sql === "string" ? sql : sql.postgres, values);
}
