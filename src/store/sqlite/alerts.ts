import { type Alert, type AlertChange, NOTHING_TOLD } from "../../model/index.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf, alertRow } from "../rows.ts";
import type { Database } from "./driver.ts";
import type { Names } from "./watched.ts";

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

/** What there is to say of an alert that is ok and of which there is nothing to remember. */
const QUIET_COLUMNS = ["rule", "subject", "created_at", "started", "since", "label"];
const QUIET_VALUES = { state: "'ok'", told_state: "'ok'", told_channels: "'[]'" };

/**
 * Most alerts are so: all their other columns are null. A start reads those of a hundred thousand in half the time
 * without them.
 */
const QUIET = [
  ...Object.entries(QUIET_VALUES).map(([column, value]) => `${column} = ${value}`),
  ...ALERT_COLUMNS.filter(
    (column) => ![...QUIET_COLUMNS, ...Object.keys(QUIET_VALUES)].includes(column),
  ).map((column) => `${column} IS NULL`),
].join(" AND ");

type QuietRow = [
  rule: number,
  subject: number,
  createdAt: number,
  started: number,
  since: number,
  label: string | null,
];

function quietAlert(row: QuietRow, names: Names): Alert {
  const [rule, subject, createdAt, started, since, label] = row;
  return {
    rule: names.textOf(rule),
    subject: names.textOf(subject),
    createdAt,
    started: started === 1,
    state: "ok",
    since,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: NOTHING_TOLD,
    label,
    seen: null,
    life: null,
  };
}

export function alertTable(db: Database, names: Names) {
  const put = db.prepare<AlertRow>(
    `INSERT INTO alerts (${ALERT_COLUMNS.join(", ")}) VALUES (${ALERT_COLUMNS.map(() => "?").join(", ")})
     ON CONFLICT (rule, subject) DO UPDATE SET
       ${ALERT_COLUMNS.slice(2)
         .map((column) => `${column} = excluded.${column}`)
         .join(", ")}`,
  );
  const remove = db.prepare<[number, number]>("DELETE FROM alerts WHERE rule = ? AND subject = ?");
  const quiet = db
    .prepare<[], QuietRow>(`SELECT ${QUIET_COLUMNS.join(", ")} FROM alerts WHERE ${QUIET}`)
    .raw();
  const others = db
    .prepare<[], AlertRow>(`SELECT ${ALERT_COLUMNS.join(", ")} FROM alerts WHERE NOT (${QUIET})`)
    .raw();
  const note = db.prepare<NoteRow>(
    `INSERT INTO alert_changes (rule, subject, at, state, told_state, no_data, value, alert)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    /** Inside a transaction: what became of an alert, for people who ask later. */
    note: ({ at, value, alert: { rule, subject, ...alert } }: AlertChange) => {
      const { state, lastNotified, missing } = alert;
      const ids = [names.idOf(rule), names.idOf(subject)] as const;
      const noData = Number(missing?.told === true);
      note.run(...ids, at, state, lastNotified.state, noData, value, JSON.stringify(alert));
    },
    /** Inside a transaction. */
    put: (alert: Alert) => void put.run(...alertRow(alert, names)),
    /** Inside a transaction. */
    remove: ({ rule, subject }: { readonly rule: string; readonly subject: string }) =>
      void remove.run(names.idOf(rule), names.idOf(subject)),
    all(): Alert[] {
      const alerts = Array.from(quiet.iterate(), (row) => quietAlert(row, names));
      for (const row of others.iterate()) alerts.push(alertOf(row, names));
      return alerts;
    },
  };
}
