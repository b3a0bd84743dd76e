import { type PostgresPlace, storeName, targetOf } from "../../../base/postgres-url.ts";
import { StoreError } from "../../store.ts";
import { storeFailure } from "../failure.ts";
import { NEWEST_NUMBER, numberOf } from "../schema.ts";
import { connect, type Session } from "../session.ts";

/** A schema as people look at it and write into it beside a daemon, or within it over a connection of their own. */
export interface ServerAccess {
  /** One moment of it. Throws StoreError. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** All of the work or nothing. Throws StoreError. */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): void;
}

/** Null where the schema has no tables yet. Throws StoreError. */
export async function openServerAccess(place: PostgresPlace): Promise<ServerAccess | null> {
  const where = storeName(place);
  const target = targetOf(place);
  let session: Session | null = null;
  let tail: Promise<unknown> = Promise.resolve();

  async function alive(): Promise<Session> {
    if (session?.isAlive === true) return session;
    session?.destroy();
    session = await connect(target);
    return session;
  }

  async function within<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    try {
      const its = await alive();
      try {
        await its.query(begin);
        const result = await work(its);
        await its.query("COMMIT");
        return result;
      } catch (error) {
        if (its.isAlive) await its.query("ROLLBACK").catch(() => its.destroy());
        throw error;
      }
    } catch (error) {
      throw storeFailure(error, where);
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
    read: (work) => inTurn(() => within("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)),
    write: (work) => inTurn(() => within("BEGIN", work)),
    close,
  };
}
