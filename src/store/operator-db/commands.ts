import type { Alert, Command, NotificationState, Silence } from "../../model/index.ts";
import { type SilenceRow, silenceOf } from "../rows.ts";
import { SILENCES } from "../sqlite/store.ts";
import type { Access } from "./access.ts";
import { type Deed, noteDeed } from "./audit.ts";

/** What one needs to know of an alert to give a command about it. */
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

/** Commands to the daemon about its alerts. */
export interface AlertCommands {
  /** The alerts of a rule as the daemon has left them, by their subjects' keys. */
  of(rule: string): CommandedAlert[];
  /** Writes all of the commands down, with who gave them, or none. */
  give(commands: readonly Omit<Command, "id">[], deed?: Deed | null): void;
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

export function alertCommands(access: Access): AlertCommands {
  return {
    of: (rule) =>
      access.read((db) => db.prepare<[string], Row>(ALERTS).raw().all(rule).map(alertOf)),
    give: (commands, deed) =>
      access.write((db) => {
        noteDeed(db, deed ?? null);
        const insert = db.prepare<Omit<Command, "id">>(
          `INSERT INTO orders (kind, rule, subject, author, comment, at)
           VALUES (@kind, @rule, @subject, @author, @comment, @at)`,
        );
        for (const command of commands) insert.run(command);
      }),
  };
}

function alertOf([subject, label, state, told, by, at, once]: Row): CommandedAlert {
  const acked = by === null || at === null ? null : { by, at };
  return { subject, label, state, told, acked, spent: once === "spent" };
}

/** The silences of a database. */
export interface SilenceTable {
  /** All that are kept, the newest last. */
  all(): Silence[];
  /** What the chain calls the subjects of a rule's alerts, or of every rule's (null), by their keys. */
  labels(rule: string | null): ReadonlyMap<string, string>;
  /** Writes them down, or none; a daemon that runs sees them with the next notice. Returns their ids. */
  add(silences: readonly Omit<Silence, "id">[], deed?: Deed | null): number[];
  /**
   * Ends one at `now`, and makes the daemon look anew at all that is held back, within a minute.
   * False: it has already ended, or there is none.
   */
  expire(id: number, now: number, deed?: Deed | null): boolean;
}

export function silenceTable(access: Access): SilenceTable {
  return {
    all: () =>
      access.read((db) =>
        db.prepare<[], SilenceRow>(`${SILENCES} ORDER BY id`).all().map(silenceOf),
      ),
    labels: (rule) =>
      access.read((db) => {
        const labels = db
          .prepare<[string | null, string | null], [string, string]>(
            `SELECT subjects.text, alerts.label
             FROM alerts JOIN names AS rules ON rules.id = alerts.rule
               JOIN names AS subjects ON subjects.id = alerts.subject
             WHERE (? IS NULL OR rules.text = ?) AND alerts.label IS NOT NULL`,
          )
          .raw();
        return new Map(labels.all(rule, rule));
      }),
    add: (silences, deed) =>
      access.write((db) => {
        noteDeed(db, deed ?? null);
        const insert = db.prepare<Omit<SilenceRow, "id">>(
          `INSERT INTO silences (rule, subjects, labels, starts_at, ends_at, author, comment, created_at)
           VALUES (@rule, @subjects, @labels, @startsAt, @endsAt, @author, @comment, @createdAt)`,
        );
        return silences.map(({ subjects, labels, ...silence }) => {
          const texts = { subjects: subjects === null ? null : JSON.stringify(subjects) };
          const row = { ...silence, ...texts, labels: JSON.stringify(labels) };
          return Number(insert.run(row).lastInsertRowid);
        });
      }),
    expire: (id, now, deed) =>
      access.write((db) => {
        // One that has not begun yet never does.
        const end = db.prepare<[number, number, number, number]>(
          "UPDATE silences SET ends_at = ?, starts_at = min(starts_at, ?) WHERE id = ? AND ends_at > ?",
        );
        if (end.run(now, now, id, now).changes === 0) return false;
        noteDeed(db, deed ?? null);
        db.prepare<[number, number]>(
          "UPDATE owed SET held_until = ? WHERE held_until > ? AND message IS NULL",
        ).run(now, now);
        return true;
      }),
  };
}
