import type { Alert, AlertChange } from "../../model/index.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf, alertRow } from "../alert-rows.ts";
import type { Database } from "./driver.ts";
import type { Names } from "./names.ts";

export interface AlertTable {
  /** Inside a transaction. */
  put(alert: Alert): void;
  /** Inside a transaction. */
  remove(alert: { readonly rule: string; readonly subject: string }): void;
  /** Inside a transaction: what became of an alert, for people who ask later. */
  note(change: AlertChange): void;
  all(): Alert[];
}

type NoteRow = [
  rule: number,
  subject: number,
  at: number,
  state: Alert["state"],
  toldState: Alert["lastNotified"]["state"],
  noData: number,
  value: string | null,
  alert: string,
];

export function alertTable(db: Database, names: Names): AlertTable {
  const put = db.prepare<AlertRow>(
    `INSERT INTO alerts (${ALERT_COLUMNS.join(", ")}) VALUES (${ALERT_COLUMNS.map(() => "?").join(", ")})
     ON CONFLICT (rule, subject) DO UPDATE SET
       ${ALERT_COLUMNS.slice(2)
         .map((column) => `${column} = excluded.${column}`)
         .join(", ")}`,
  );
  const remove = db.prepare<[number, number]>("DELETE FROM alerts WHERE rule = ? AND subject = ?");
  const all = db.prepare<[], AlertRow>(`SELECT ${ALERT_COLUMNS.join(", ")} FROM alerts`).raw();
  const note = db.prepare<NoteRow>(
    `INSERT INTO alert_changes (rule, subject, at, state, told_state, no_data, value, alert)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    note: ({ at, value, alert: { rule, subject, ...alert } }) => {
      const { state, lastNotified, missing } = alert;
      const ids = [names.idOf(rule), names.idOf(subject)] as const;
      const noData = Number(missing?.told === true);
      note.run(...ids, at, state, lastNotified.state, noData, value, JSON.stringify(alert));
    },
    put: (alert) => void put.run(...alertRow(alert, names)),
    remove: ({ rule, subject }) => void remove.run(names.idOf(rule), names.idOf(subject)),
    all: () => Array.from(all.iterate(), (row) => alertOf(row, names)),
  };
}

/** The alerts of one rule, for who has the database open beside the store. */
export function readAlerts(db: Database, rule: string | null): Alert[] {
  const name = db.prepare<[number], string>("SELECT text FROM names WHERE id = ?").pluck();
  const textOf = (id: number): string => name.get(id) ?? "";
  return db
    .prepare<[string | null, string | null], AlertRow>(
      `SELECT ${ALERT_COLUMNS.join(", ")} FROM alerts
       WHERE ? IS NULL OR rule = (SELECT id FROM names WHERE text = ?)`,
    )
    .raw()
    .all(rule, rule)
    .map((row) => alertOf(row, { textOf }));
}
