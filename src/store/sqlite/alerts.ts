import type { Alert, AlertChange, NotificationState } from "../../model/index.ts";
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

const COLUMNS = [
  "rule",
  "subject",
  "created_at",
  "started",
  "state",
  "since",
  "held_at",
  "fired_at",
  "fired_bucket",
  "missing_since",
  "missing_rounds",
  "missing_told",
  "told_state",
  "told_value",
  "told_channels",
  "label",
  "seen",
  "life",
] as const;

/** A row in the order of COLUMNS. */
type Row = [
  rule: number,
  subject: number,
  createdAt: number,
  started: number,
  state: Alert["state"],
  since: number,
  heldAt: number | null,
  firedAt: number | null,
  firedBucket: number | null,
  missingSince: number | null,
  missingRounds: number | null,
  missingTold: number | null,
  toldState: Alert["lastNotified"]["state"],
  toldValue: string | null,
  toldChannels: string,
  label: string | null,
  seen: string | null,
  life: string | null,
];

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
  const put = db.prepare<Row>(
    `INSERT INTO alerts (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
     ON CONFLICT (rule, subject) DO UPDATE SET
       ${COLUMNS.slice(2)
         .map((column) => `${column} = excluded.${column}`)
         .join(", ")}`,
  );
  const remove = db.prepare<[number, number]>("DELETE FROM alerts WHERE rule = ? AND subject = ?");
  const all = db.prepare<[], Row>(`SELECT ${COLUMNS.join(", ")} FROM alerts`).raw();
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
    put: (alert) => void put.run(...rowOf(alert, names)),
    remove: ({ rule, subject }) => void remove.run(names.idOf(rule), names.idOf(subject)),
    all: () => Array.from(all.iterate(), (row) => alertOf(row, names)),
  };
}

/** The alerts of one rule, for who has the database open beside the store. */
export function readAlerts(db: Database, rule: string | null): Alert[] {
  const name = db.prepare<[number], string>("SELECT text FROM names WHERE id = ?").pluck();
  const textOf = (id: number): string => name.get(id) ?? "";
  return db
    .prepare<[string | null, string | null], Row>(
      `SELECT ${COLUMNS.join(", ")} FROM alerts
       WHERE ? IS NULL OR rule = (SELECT id FROM names WHERE text = ?)`,
    )
    .raw()
    .all(rule, rule)
    .map((row) => alertOf(row, { textOf }));
}

function rowOf(alert: Alert, names: Names): Row {
  const { missing, lastNotified } = alert;
  return [
    names.idOf(alert.rule),
    names.idOf(alert.subject),
    alert.createdAt,
    Number(alert.started),
    alert.state,
    alert.since,
    alert.heldAt,
    alert.firedAt,
    alert.firedBucket,
    missing?.since ?? null,
    missing?.rounds ?? null,
    missing === null ? null : Number(missing.told),
    lastNotified.state,
    lastNotified.value,
    JSON.stringify(lastNotified.channels),
    alert.label,
    alert.seen === null ? null : JSON.stringify(alert.seen),
    alert.life === null ? null : JSON.stringify(alert.life),
  ];
}

function alertOf(row: Row, names: Pick<Names, "textOf">): Alert {
  const [
    rule,
    subject,
    createdAt,
    started,
    state,
    since,
    heldAt,
    firedAt,
    firedBucket,
    missingSince,
    missingRounds,
    missingTold,
    toldState,
    toldValue,
    toldChannels,
    label,
    seen,
    life,
  ] = row;
  return {
    rule: names.textOf(rule),
    subject: names.textOf(subject),
    createdAt,
    started: started === 1,
    state,
    since,
    heldAt,
    firedAt,
    firedBucket,
    missing:
      missingSince === null || missingRounds === null
        ? null
        : { since: missingSince, rounds: missingRounds, told: missingTold === 1 },
    lastNotified: {
      state: toldState,
      value: toldValue,
      channels: toldChannels === "[]" ? [] : (JSON.parse(toldChannels) as string[]),
    },
    label,
    seen: seen === null ? null : (JSON.parse(seen) as Record<string, string[]>),
    life: life === null ? null : lifeFrom(life),
  };
}

/** What was written before there were acknowledgements does not speak of them. */
function lifeFrom(text: string): NotificationState {
  const life = JSON.parse(text) as Omit<NotificationState, "acked" | "blindTo"> &
    Partial<NotificationState>;
  return { ...life, acked: life.acked ?? null, blindTo: life.blindTo ?? null };
}
