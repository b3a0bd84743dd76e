import type { Alert, Command, NotificationState, Silence } from "../../model/index.ts";
import { SILENCES, type SilenceRow, silenceOf } from "../sqlite/commands.ts";
import type { Database } from "../sqlite/driver.ts";
import { openOperatorDb } from "./operator-db.ts";

/** What one needs to know of an alert to give an order about it. */
export interface CommandedAlert {
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
  readonly state: Alert["state"];
  /** What people believe. */
  readonly told: Alert["lastNotified"]["state"];
  readonly acked: NotificationState["acked"];
  /** `once`, and it is over. */
  readonly spent: boolean;
}

/** Writes down what the daemon is to do with its alerts, beside it or while there is none. */
export interface CommandDb {
  /** The alerts of a rule as the daemon has left them, by their subjects' keys. */
  alerts(rule: string): CommandedAlert[];
  /** Writes all of them down, or none. */
  give(orders: readonly Omit<Command, "id">[]): void;
  close(): void;
}

type Row = [
  subject: string,
  label: string | null,
  state: Alert["state"],
  told: Alert["lastNotified"]["state"],
  by: string | null,
  at: number | null,
  once: string | null,
];

const ALERTS = `SELECT subjects.text, alerts.label, alerts.state, alerts.told_state,
    json_extract(life, '$.acked.by'), json_extract(life, '$.acked.at'), json_extract(life, '$.once')
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE rules.text = ? ORDER BY subjects.text`;

/** Opens the database at `path` without the daemon's lease; null where there is none. Throws StoreError. */
export function openCommandDb(path: string): Promise<CommandDb | null> {
  return openOperatorDb(path, { write: true }, ({ db, guarded }) => {
    const alerts = db.prepare<[string], Row>(ALERTS).raw();
    const insert = db.prepare<Omit<Command, "id">>(
      `INSERT INTO orders (kind, rule, subject, author, comment, at)
       VALUES (@kind, @rule, @subject, @author, @comment, @at)`,
    );
    const insertAll = db.transaction((orders: readonly Omit<Command, "id">[]) => {
      for (const order of orders) insert.run(order);
    });
    return {
      alerts: (rule) => guarded(() => alerts.all(rule).map(alertOf)),
      give: (orders) => guarded(() => insertAll.immediate(orders)),
      close: () => db.close(),
    };
  });
}

function alertOf([subject, label, state, told, by, at, once]: Row): CommandedAlert {
  const acked = by === null || at === null ? null : { by, at };
  return { subject, label, state, told, acked, spent: once === "spent" };
}

/** Silences of a database, read and written beside a daemon or without one. */
export interface SilenceDb {
  /** All that are kept, the newest last. */
  all(): Silence[];
  /** What the chain calls the subjects of a rule's alerts, or of every rule's (null), by their keys. */
  labels(rule: string | null): ReadonlyMap<string, string>;
  /** Writes one down; a daemon that runs sees it with the next notice. Returns its id. */
  add(silence: Omit<Silence, "id">): number;
  /**
   * Ends one at `now`, and makes the daemon look anew at all that is held back, within a minute.
   * False: it has ended already, or there is none.
   */
  expire(id: number, now: number): boolean;
  close(): void;
}

/**
 * Opens the database at `path` without the daemon's lease; with `write` false nothing can be changed.
 * Null where there is none. Throws StoreError, and so does the work with it.
 */
export function openSilenceDb(path: string, write: boolean): Promise<SilenceDb | null> {
  return openOperatorDb(path, { write }, ({ db, guarded }) => {
    const desk = deskOn(db);
    return {
      all: () => guarded(() => desk.all()),
      labels: (rule) => guarded(() => desk.labels(rule)),
      add: (silence) => guarded(() => db.transaction(() => desk.add(silence)).immediate()),
      expire: (id, now) => guarded(() => db.transaction(() => desk.expire(id, now)).immediate()),
      close: () => db.close(),
    };
  });
}

function deskOn(db: Database): Omit<SilenceDb, "close"> {
  const all = db.prepare<[], SilenceRow>(`${SILENCES} ORDER BY id`);
  const labels = db
    .prepare<[string | null, string | null], [string, string]>(
      `SELECT subjects.text, alerts.label
       FROM alerts JOIN names AS rules ON rules.id = alerts.rule
         JOIN names AS subjects ON subjects.id = alerts.subject
       WHERE (? IS NULL OR rules.text = ?) AND alerts.label IS NOT NULL`,
    )
    .raw();
  const insert = db.prepare<Omit<SilenceRow, "id">>(
    `INSERT INTO silences (rule, subjects, labels, starts_at, ends_at, author, comment, created_at)
     VALUES (@rule, @subjects, @labels, @startsAt, @endsAt, @author, @comment, @createdAt)`,
  );
  // One that has not begun yet never does.
  const end = db.prepare<[number, number, number, number]>(
    "UPDATE silences SET ends_at = ?, starts_at = min(starts_at, ?) WHERE id = ? AND ends_at > ?",
  );
  const lookAnew = db.prepare<[number, number]>(
    "UPDATE owed SET held_until = ? WHERE held_until > ? AND message IS NULL",
  );
  return {
    all: () => all.all().map(silenceOf),
    labels: (rule) => new Map(labels.all(rule, rule)),
    add: ({ subjects, labels: wanted, ...silence }) => {
      const texts = { subjects: subjects === null ? null : JSON.stringify(subjects) };
      const row = { ...silence, ...texts, labels: JSON.stringify(wanted) };
      return Number(insert.run(row).lastInsertRowid);
    },
    expire(id, now) {
      if (end.run(now, now, id, now).changes === 0) return false;
      lookAnew.run(now, now);
      return true;
    },
  };
}
