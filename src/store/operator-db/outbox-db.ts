import type { Database } from "../sqlite/driver.ts";
import { openOperatorDb } from "./operator-db.ts";
import { type OutboxEntry, outboxView } from "./outbox-view.ts";

/** What `drop` leaves as the error of a message: a retry of many leaves such ones alone. */
export const DROPPED = "dropped by hand";

/** The dead letters and the waiting messages of one channel, or of all (null). */
export interface Selection {
  readonly channel: string | null;
  /** Dead letters as well, those that were dropped by hand excepted. */
  readonly dead: boolean;
}

export interface Retried {
  /** Messages that waited and are due now. */
  readonly due: number;
  /** Dead letters that are owed again. */
  readonly revived: number;
}

/** Reads the outbox of a database, beside a daemon or without one, and gives it orders. */
export interface OutboxDb {
  /** What is still to be delivered, by channel and in the order of delivery. */
  open(): OutboxEntry[];
  /** Dead letters, the newest first. */
  dead(): OutboxEntry[];
  /** The entries, sent ones included, whose id is this or begins with it. */
  find(id: string): OutboxEntry[];
  /** What is written inside a message, as it was frozen; null while it is in none. */
  body(id: string): string | null;
  /** Makes many due at once; a daemon that runs sees it within a minute. */
  retry(selection: Selection): Retried;
  /** Makes one due: what is dead is owed again, as the same message. False: it was delivered. */
  retryOne(entry: OutboxEntry): boolean;
  /** Settles one as dead. False: it is delivered or dead already. */
  drop(entry: OutboxEntry, now: number): boolean;
  close(): void;
}

/**
 * Opens the outbox at `path` without the daemon's lease; with `write` false nothing can be changed.
 * Null where there is no database yet. Throws StoreError, and so does the work with it.
 */
export function openOutboxDb(path: string, write: boolean): Promise<OutboxDb | null> {
  return openOperatorDb(path, { write }, ({ db, guarded }) => {
    const view = outboxView(db);
    const orders = write ? ordersOn(db) : null;
    const order = <T>(give: (orders: Orders) => T): T =>
      guarded(() => {
        if (orders === null) throw new Error("the outbox was opened for reading");
        return db.transaction(() => give(orders)).immediate();
      });
    const look = <T>(read: () => T): T => guarded(() => db.transaction(read)());
    return {
      open: () => look(() => view.open()),
      dead: () => look(() => view.dead()),
      find: (id) => look(() => view.find(id)),
      body: (id) => look(() => view.body(id)),
      retry: (selection) => order((one) => one.retry(selection)),
      retryOne: (entry) => order((one) => one.retryOne(entry)),
      drop: (entry, now) => order((one) => one.drop(entry, now)),
      close: () => db.close(),
    };
  });
}

type Orders = Pick<OutboxDb, "retry" | "retryOne" | "drop">;

/**
 * The orders write into `messages` and `owed` alone: what the daemon reads at each claim and keeps
 * nowhere else.
 */
function ordersOn(db: Database): Orders {
  const wake = db.prepare<[string | null, string | null]>(
    `UPDATE messages SET state = 'due', until = NULL
     WHERE settled_at IS NULL AND state = 'waiting' AND (? IS NULL OR channel = ?)`,
  );
  const wakeOne = db.prepare<[string]>(
    `UPDATE messages SET state = 'due', until = NULL
     WHERE id = ? AND settled_at IS NULL AND state = 'waiting'`,
  );
  const stateOf = db.prepare<[string], string>("SELECT state FROM messages WHERE id = ?").pluck();
  const deadOf = db
    .prepare<[string, string | null, string | null], string>(
      `SELECT id FROM messages
       WHERE settled_at IS NOT NULL AND state = 'dead' AND error IS NOT ?
         AND (? IS NULL OR channel = ?)`,
    )
    .pluck();
  // The number of the send that comes next, as with a message that waited.
  const revive = db.prepare<[string]>(
    `UPDATE messages
     SET state = 'due', until = NULL, settled_at = NULL, error = NULL, attempts = attempts + 1
     WHERE id = ? AND state = 'dead' AND body <> ''`,
  );
  const release = db.prepare<[string]>(
    `UPDATE owed SET message = NULL, place = NULL
     WHERE message = (SELECT seq FROM messages WHERE id = ? AND state = 'dead' AND body = '')`,
  );
  const forget = db.prepare<[string]>(
    "DELETE FROM messages WHERE id = ? AND state = 'dead' AND body = ''",
  );
  const settle = db.prepare<[number, string, string]>(
    `UPDATE messages
     SET state = 'dead', settled_at = ?, error = ?, until = NULL, attempts = attempts - 1
     WHERE id = ? AND settled_at IS NULL`,
  );
  const insert = db.prepare<[string, string, string, number, number]>(
    `INSERT INTO messages (id, channel, body, state, attempts, error, created_at, settled_at)
     VALUES (?, ?, '', 'dead', 0, ?, ?, ?)`,
  );
  const join = db.prepare<[number | bigint, string, string]>(
    `UPDATE owed SET message = ?, place = 0, held_until = NULL
     WHERE notice = (SELECT seq FROM notices WHERE id = ?) AND channel = ? AND message IS NULL`,
  );

  /** A message without a body never had one: its notices are owed anew, and it is made again. */
  function reviveOne(id: string): boolean {
    if (revive.run(id).changes > 0) return true;
    release.run(id);
    return forget.run(id).changes > 0;
  }

  return {
    retry({ channel, dead }) {
      const revived = dead
        ? deadOf.all(DROPPED, channel, channel).filter((id) => reviveOne(id)).length
        : 0;
      return { due: wake.run(channel, channel).changes, revived };
    },
    retryOne({ id }) {
      if (stateOf.get(id) === "sent") return false;
      if (wakeOne.run(id).changes === 0) reviveOne(id);
      return true;
    },
    drop({ id, channel, notices }, now) {
      if (settle.run(now, DROPPED, id).changes > 0) return true;
      const [notice] = notices;
      if (notice === undefined || stateOf.get(id) !== undefined) return false;
      const seq = insert.run(id, channel, DROPPED, now, now).lastInsertRowid;
      if (join.run(seq, notice.id, channel).changes > 0) return true;
      // The daemon has put it into another message meanwhile.
      forget.run(id);
      return false;
    },
  };
}
