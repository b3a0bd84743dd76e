import { messageId } from "../../base/text.ts";
import type { Database } from "../sqlite/driver.ts";
import type { Access } from "./access.ts";
import { type Deed, noteDeed } from "./audit.ts";

/** A message on its way, or a notice that is in none yet, as a person looks at it. */
export interface OutboxEntry {
  /** The message's id; of a notice that is in none, the id that it will have if it goes alone. */
  readonly id: string;
  readonly channel: string;
  /**
   * `owed`: in no message yet; `held`: nor will it be, as long as a silence or a mute holds it back; `due`:
   * sent next or right now; `waiting`: for a retry.
   */
  readonly state: "owed" | "held" | "due" | "waiting" | "sent" | "dead";
  /** Sends that have ended. */
  readonly sends: number;
  /** When it was written down, epoch milliseconds; of a notice the date of its round. */
  readonly since: number;
  /** When it is tried again or, if held, looked at anew; null: as soon as its turn comes, or never. */
  readonly until: number | null;
  readonly settledAt: number | null;
  /** What went wrong last. */
  readonly error: string | null;
  /** One at least, in their order in the message. */
  readonly notices: readonly OutboxNotice[];
}

export interface OutboxNotice {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly rule: string | null;
  readonly subject: string | null;
  readonly at: number;
  readonly headline: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A notice as both databases give it. */
export interface NoticeRow extends Omit<OutboxNotice, "labels"> {
  /** As JSON. */
  readonly labels: string;
}

/** A message as both databases give it. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly state: Exclude<OutboxEntry["state"], "owed" | "held">;
  readonly attempts: number;
  readonly until: number | null;
  readonly error: string | null;
  readonly since: number;
  readonly settledAt: number | null;
}

const MESSAGE = `SELECT seq, id, channel, state, attempts, until, error, created_at AS since,
  settled_at AS settledAt FROM messages`;

const NOTICE = `notices.id, notices.kind, notices.rule, notices.subject, notices.at,
  json_extract(notices.body, '$.severity') AS severity,
  json_extract(notices.body, '$.headline') AS headline,
  json_extract(notices.body, '$.labels') AS labels`;

/** A notice that is in no message, as both databases give it. */
export interface OwedRow extends NoticeRow {
  readonly channel: string;
  readonly until: number | null;
}

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
  /** What is still to be delivered, by channel and in the order of delivery. */
  open(): OutboxEntry[];
  /** Dead letters, the newest first. */
  dead(): OutboxEntry[];
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
    open: () => access.read(openEntries),
    dead: () =>
      access.read((db) =>
        entries(
          db,
          "WHERE settled_at IS NOT NULL AND state = 'dead' ORDER BY settled_at DESC, seq DESC",
        ),
      ),
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

/** The messages that `where` selects, in its order. */
export function entries(
  db: Database,
  where: string,
  ...given: (string | number | null)[]
): OutboxEntry[] {
  const noticesOf = db.prepare<[number], NoticeRow>(
    `SELECT ${NOTICE} FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message = ? ORDER BY owed.place`,
  );
  return db
    .prepare<(string | number | null)[], MessageRow>(`${MESSAGE} ${where}`)
    .all(...given)
    .map(({ seq, attempts, ...row }) => ({
      ...row,
      // The send that comes next is counted before it is made.
      sends: row.settledAt === null ? attempts - 1 : attempts,
      notices: noticesOf.all(seq).map(noticeOf),
    }));
}

/** The notices that are in no message, of one channel or of all (null). */
export function owedEntries(
  db: Database,
  channel: string | null = null,
  most = -1,
  after = 0,
): OutboxEntry[] {
  const owed = db.prepare<[string | null, string | null, number, number], OwedRow>(
    `SELECT owed.channel, owed.held_until AS until, ${NOTICE}
     FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message IS NULL AND (? IS NULL OR owed.channel = ?)
     ORDER BY owed.channel, owed.notice LIMIT ? OFFSET ?`,
  );
  return owed.all(channel, channel, most, after).map(owedEntry);
}

export function owedEntry({ channel, until, ...notice }: OwedRow): OutboxEntry {
  return {
    id: messageId(channel, [notice.id]),
    channel,
    state: until === null ? "owed" : "held",
    sends: 0,
    since: notice.at,
    until,
    settledAt: null,
    error: null,
    notices: [noticeOf(notice)],
  };
}

function openEntries(db: Database): OutboxEntry[] {
  const messages = entries(db, "WHERE settled_at IS NULL ORDER BY channel, seq");
  return [...messages, ...owedEntries(db)].toSorted((a, b) =>
    a.channel < b.channel ? -1 : a.channel > b.channel ? 1 : 0,
  );
}

function find(db: Database, id: string): OutboxEntry[] {
  const found = [
    ...entries(db, "WHERE substr(id, 1, length(?)) = ? ORDER BY seq", id, id),
    ...owedEntries(db).filter((entry) => entry.id.startsWith(id)),
  ];
  const exact = found.find((entry) => entry.id === id);
  return exact === undefined ? found : [exact];
}

function retry(db: Database, { channel, dead }: Selection): Retried {
  const deadOf = db
    .prepare<[string, string | null, string | null], string>(
      `SELECT id FROM messages
       WHERE settled_at IS NOT NULL AND state = 'dead' AND error IS NOT ?
         AND (? IS NULL OR channel = ?)`,
    )
    .pluck();
  const revived = dead
    ? deadOf.all(DROPPED, channel, channel).filter((id) => revive(db, id)).length
    : 0;
  const due = db
    .prepare<[string | null, string | null]>(`${WAKE} AND (? IS NULL OR channel = ?)`)
    .run(channel, channel).changes;
  return { due, revived };
}

const WAKE = `UPDATE messages SET state = 'due', until = NULL
  WHERE settled_at IS NULL AND state = 'waiting'`;

function retryOne(db: Database, { id }: OutboxEntry): boolean {
  if (stateOf(db, id) === "sent") return false;
  if (db.prepare<[string]>(`${WAKE} AND id = ?`).run(id).changes === 0) revive(db, id);
  return true;
}

function stateOf(db: Database, id: string): string | undefined {
  return db.prepare<[string], string>("SELECT state FROM messages WHERE id = ?").pluck().get(id);
}

/** A dead letter is due again; one without a body never had one: its notices are owed anew, and it is made again. */
function revive(db: Database, id: string): boolean {
  // The number of the send that comes next, as with a message that waited.
  const again = db.prepare<[string]>(
    `UPDATE messages
     SET state = 'due', until = NULL, settled_at = NULL, error = NULL, attempts = attempts + 1
     WHERE id = ? AND state = 'dead' AND body <> ''`,
  );
  if (again.run(id).changes > 0) return true;
  db.prepare<[string]>(
    `UPDATE owed SET message = NULL, place = NULL
     WHERE message = (SELECT seq FROM messages WHERE id = ? AND state = 'dead' AND body = '')`,
  ).run(id);
  return forget(db, id);
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

export function noticeOf({ labels, ...notice }: NoticeRow): OutboxNotice {
  return { ...notice, labels: JSON.parse(labels) as Record<string, string> };
}
