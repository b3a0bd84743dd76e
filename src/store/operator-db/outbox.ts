import { type Deed, noteDeed } from "./audit.ts";
import { entries, type OutboxEntry, owedOf } from "./outbox-entries.ts";
import { type Access, query, run, value, type Work } from "./work.ts";

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
  find(id: string): Promise<OutboxEntry[]>;
  /** What is written inside a message, as it was frozen; null while it is in none. */
  body(id: string): Promise<string | null>;
  /** Makes many due at once; a daemon that runs sees it within a minute. */
  retry(selection: Selection, deed?: (done: Retried) => Deed | null): Promise<Retried>;
  /** Makes one due: what is dead is owed again, as the same message. False: it was delivered. */
  retryOne(entry: OutboxEntry, deed?: Deed | null): Promise<boolean>;
  /** Settles one as dead, and leaves a dead letter alone from then on. False: it is delivered or dropped already. */
  drop(entry: OutboxEntry, now: number, deed?: Deed | null): Promise<boolean>;
  /** Drops every dead letter of a channel; returns how many. */
  dropDead(channel: string, deed?: (count: number) => Deed | null): Promise<number>;
}

export function outboxOf(access: Access): Outbox {
  return {
    find: (id) => access.read(find(id), true),
    body: (id) => access.read(value<string>("SELECT body FROM messages WHERE id = $1", [id])),
    retry: (selection, deed) => access.write(noted(retry(selection), (done) => deed?.(done))),
    retryOne: (entry, deed) => access.write(noted(retryOne(entry), (isDone) => isDone && deed)),
    drop: (entry, now, deed) => access.write(noted(drop(entry, now), (isDone) => isDone && deed)),
    dropDead: (channel, deed) =>
      access.write(
        noted(run(`${LEAVE} AND channel = $2`, [DROPPED, channel]), (count) =>
          count > 0 ? deed?.(count) : null,
        ),
      ),
  };
}

/** Writes down with it who did it; of nothing that was done nothing. */
function* noted<T>(work: Work<T>, deedOf: (done: T) => Deed | false | null | undefined): Work<T> {
  const done = yield* work;
  yield* noteDeed(deedOf(done) || null);
  return done;
}

function* find(id: string): Work<OutboxEntry[]> {
  const whole = yield* entries("WHERE id = $1", [id]);
  if (whole.length > 0) return whole;
  // No index knows how an id begins.
  const found = [
    ...(yield* entries("WHERE substr(id, 1, length($1)) = $1 ORDER BY seq", [id])),
    ...(yield* owedOf(id)),
  ];
  const exact = found.find((entry) => entry.id === id);
  return exact === undefined ? found : [exact];
}

/** The dead letters of a channel, or of all (null), that a retry of many is about. */
const LETTERS = `settled_at IS NOT NULL AND state = 'dead' AND error IS DISTINCT FROM $1
  AND (CAST($2 AS text) IS NULL OR channel = $2)`;

/** How many there are. */
export function* letters(channel: string | null): Work<number> {
  const sql = `SELECT count(*) AS count FROM messages WHERE ${LETTERS}`;
  return (yield* value<number>(sql, [DROPPED, channel])) ?? 0;
}

/** A dead letter that nobody retries with the others; what its receiver said stays with its sends. */
const LEAVE = `UPDATE messages SET error = $1
  WHERE state = 'dead' AND settled_at IS NOT NULL AND error IS DISTINCT FROM $1`;

const WAKE = `UPDATE messages SET state = 'due', until = NULL
  WHERE settled_at IS NULL AND state = 'waiting'`;

function* retry({ channel, dead }: Selection): Work<Retried> {
  const revived = dead ? yield* revive(LETTERS, [DROPPED, channel]) : 0;
  const due = yield* run(`${WAKE} AND (CAST($1 AS text) IS NULL OR channel = $1)`, [channel]);
  return { due, revived };
}

function* retryOne({ id }: OutboxEntry): Work<boolean> {
  if ((yield* stateOf(id)) === "sent") return false;
  if ((yield* run(`${WAKE} AND id = $1`, [id])) === 0) {
    yield* revive("state = 'dead' AND id = $1", [id]);
  }
  return true;
}

function stateOf(id: string): Work<string | null> {
  return value("SELECT state FROM messages WHERE id = $1", [id]);
}

/**
 * Dead letters that `where` selects are due again; of those without a body, which never had one, the notices are
 * owed anew, and they are made again. Returns how many.
 */
function* revive(where: string, values: readonly (string | null)[]): Work<number> {
  const empty = `${where} AND body = ''`;
  yield* run(
    `UPDATE owed SET message = NULL, place = NULL
     WHERE message IN (SELECT seq FROM messages WHERE ${empty})`,
    values,
  );
  const made = yield* run(`DELETE FROM messages WHERE ${empty}`, values);
  // The number of the send that comes next, as with a message that waited.
  const again = yield* run(
    `UPDATE messages
     SET state = 'due', until = NULL, settled_at = NULL, error = NULL, attempts = attempts + 1
     WHERE ${where}`,
    values,
  );
  return made + again;
}

function* drop({ id, channel, notices }: OutboxEntry, now: number): Work<boolean> {
  yield* run(
    `INSERT INTO attempts (message, number, at, outcome)
     SELECT seq, attempts, $1, 'dropped' FROM messages WHERE id = $2 AND settled_at IS NULL
     ON CONFLICT (message, number) DO UPDATE SET at = excluded.at, outcome = excluded.outcome,
       answer = NULL, until = NULL`,
    [now, id],
  );
  const settled = yield* run(
    `UPDATE messages
     SET state = 'dead', settled_at = $1, error = $2, until = NULL, attempts = attempts - 1
     WHERE id = $3 AND settled_at IS NULL`,
    [now, DROPPED, id],
  );
  if (settled > 0 || (yield* run(`${LEAVE} AND id = $2`, [DROPPED, id])) > 0) return true;
  const [notice] = notices;
  if (notice === undefined || (yield* stateOf(id)) !== null) return false;
  const [made] = yield* query<{ readonly seq: number }>(
    `INSERT INTO messages (id, channel, body, state, attempts, error, created_at, settled_at)
     VALUES ($1, $2, '', 'dead', 0, $3, $4, $4) RETURNING seq`,
    [id, channel, DROPPED, now],
  );
  const joined = yield* run(
    `UPDATE owed SET message = $1, place = 0, held_until = NULL
     WHERE notice = (SELECT seq FROM notices WHERE id = $2) AND channel = $3 AND message IS NULL`,
    [made?.seq, notice.id, channel],
  );
  if (joined > 0) return true;
  // The daemon has put it into another message meanwhile.
  yield* run("DELETE FROM messages WHERE id = $1 AND state = 'dead' AND body = ''", [id]);
  return false;
}
