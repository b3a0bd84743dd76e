import type { Database } from "../sqlite/driver.ts";
import type { Access } from "./access.ts";
import { type Deed, noteDeed } from "./audit.ts";
import { entries, type OutboxEntry, owedOf } from "./outbox-entries.ts";

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

/** The outbox of a database. What is written is what the daemon reads at each claim and keeps nowhere else. */
export interface Outbox {
  /** The entries, sent ones included, whose id is this or begins with it. */
  find(id: string): OutboxEntry[];
  /** What is written inside a message, as it was frozen; null while it is in none. */
  body(id: string): string | null;
  /** Makes many due at once; a daemon that runs sees it within a minute. */
  retry(selection: Selection, deed?: (done: Retried) => Deed | null): Retried;
  /** Makes one due: what is dead is owed again, as the same message. False: it was delivered. */
  retryOne(entry: OutboxEntry, deed?: Deed | null): boolean;
  /** Settles one as dead, and leaves a dead letter alone from then on. False: it is delivered or dropped already. */
  drop(entry: OutboxEntry, now: number, deed?: Deed | null): boolean;
  /** Drops every dead letter of a channel; returns how many. */
  dropDead(channel: string, deed?: (count: number) => Deed | null): number;
}

export function outboxOf(access: Access): Outbox {
  return {
    find: (id) => access.read((db) => find(db, id)),
    body: (id) =>
      access.read(
        (db) =>
          db.prepare<[string], string>("SELECT body FROM messages WHERE id = ?").pluck().get(id) ??
          null,
      ),
    retry: (selection, deed) =>
      access.write((db) => {
        const done = retry(db, selection);
        noteDeed(db, deed?.(done) ?? null);
        return done;
      }),
    retryOne: (entry, deed) =>
      access.write((db) => {
        const isDone = retryOne(db, entry);
        if (isDone) noteDeed(db, deed ?? null);
        return isDone;
      }),
    drop: (entry, now, deed) =>
      access.write((db) => {
        const isDone = drop(db, entry, now);
        if (isDone) noteDeed(db, deed ?? null);
        return isDone;
      }),
    dropDead: (channel, deed) =>
      access.write((db) => {
        const count = db.prepare<[string, string, string]>(`${LEAVE} AND channel = ?`);
        const { changes } = count.run(DROPPED, DROPPED, channel);
        if (changes > 0) noteDeed(db, deed?.(changes) ?? null);
        return changes;
      }),
  };
}

/** A dead letter that nobody retries with the others; what its receiver said stays with its sends. */
const LEAVE = `UPDATE messages SET error = ?
  WHERE state = 'dead' AND settled_at IS NOT NULL AND error IS NOT ?`;

function find(db: Database, id: string): OutboxEntry[] {
  const found = [
    ...entries(db, "WHERE substr(id, 1, length(?)) = ? ORDER BY seq", id, id),
    ...owedOf(db, id),
  ];
  const exact = found.find((entry) => entry.id === id);
  return exact === undefined ? found : [exact];
}

function retry(db: Database, { channel, dead }: Selection): Retried {
  const revived = dead ? revive(db, `${LETTERS} ${OF_CHANNEL}`, [DROPPED, channel, channel]) : 0;
  const due = db
    .prepare<[string | null, string | null]>(`${WAKE} ${OF_CHANNEL}`)
    .run(channel, channel).changes;
  return { due, revived };
}

const WAKE = `UPDATE messages SET state = 'due', until = NULL
  WHERE settled_at IS NULL AND state = 'waiting'`;

function retryOne(db: Database, { id }: OutboxEntry): boolean {
  if (stateOf(db, id) === "sent") return false;
  if (db.prepare<[string]>(`${WAKE} AND id = ?`).run(id).changes === 0) {
    revive(db, "state = 'dead' AND id = ?", [id]);
  }
  return true;
}

function stateOf(db: Database, id: string): string | undefined {
  return db.prepare<[string], string>("SELECT state FROM messages WHERE id = ?").pluck().get(id);
}

/** The dead letters that a retry of many is about. */
export const LETTERS = "settled_at IS NOT NULL AND state = 'dead' AND error IS NOT ?";
export const OF_CHANNEL = "AND (? IS NULL OR channel = ?)";

/**
 * Dead letters that `where` selects are due again; of those without a body, which never had one, the notices are
 * owed anew, and they are made again. Returns how many.
 */
function revive(db: Database, where: string, values: readonly (string | null)[]): number {
  const run = (sql: string): number => db.prepare<(string | null)[]>(sql).run(...values).changes;
  const empty = `${where} AND body = ''`;
  run(`UPDATE owed SET message = NULL, place = NULL
       WHERE message IN (SELECT seq FROM messages WHERE ${empty})`);
  const made = run(`DELETE FROM messages WHERE ${empty}`);
  // The number of the send that comes next, as with a message that waited.
  const again = run(
    `UPDATE messages
     SET state = 'due', until = NULL, settled_at = NULL, error = NULL, attempts = attempts + 1
     WHERE ${where}`,
  );
  return made + again;
}

function forget(db: Database, id: string): boolean {
  const sql = "DELETE FROM messages WHERE id = ? AND state = 'dead' AND body = ''";
  return db.prepare<[string]>(sql).run(id).changes > 0;
}

function drop(db: Database, { id, channel, notices }: OutboxEntry, now: number): boolean {
  const settle = db.prepare<[number, string, string]>(
    `UPDATE messages
     SET state = 'dead', settled_at = ?, error = ?, until = NULL, attempts = attempts - 1
     WHERE id = ? AND settled_at IS NULL`,
  );
  const attempt = db.prepare<[number, string]>(
    `INSERT OR REPLACE INTO attempts (message, number, at, outcome)
     SELECT seq, attempts, ?, 'dropped' FROM messages WHERE id = ? AND settled_at IS NULL`,
  );
  attempt.run(now, id);
  if (settle.run(now, DROPPED, id).changes > 0) return true;
  const leave = db.prepare<[string, string, string]>(`${LEAVE} AND id = ?`);
  if (leave.run(DROPPED, DROPPED, id).changes > 0) return true;
  const [notice] = notices;
  if (notice === undefined || stateOf(db, id) !== undefined) return false;
  const insert = db.prepare<[string, string, string, number, number]>(
    `INSERT INTO messages (id, channel, body, state, attempts, error, created_at, settled_at)
     VALUES (?, ?, '', 'dead', 0, ?, ?, ?)`,
  );
  const join = db.prepare<[number | bigint, string, string]>(
    `UPDATE owed SET message = ?, place = 0, held_until = NULL
     WHERE notice = (SELECT seq FROM notices WHERE id = ?) AND channel = ? AND message IS NULL`,
  );
  const seq = insert.run(id, channel, DROPPED, now, now).lastInsertRowid;
  if (join.run(seq, notice.id, channel).changes > 0) return true;
  // The daemon has put it into another message meanwhile.
  forget(db, id);
  return false;
}
