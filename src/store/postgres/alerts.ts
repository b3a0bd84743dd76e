import type { Alert, AlertChange } from "../../model/index.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf, alertRow } from "../alert-rows.ts";
import type { Names } from "./names.ts";
import { insert, lastOfEach, replacing } from "./rows.ts";
import type { Session } from "./session.ts";

const ALERT: Readonly<Record<(typeof ALERT_COLUMNS)[number], string>> = {
  rule: "integer",
  subject: "integer",
  created_at: "bigint",
  started: "smallint",
  state: "text",
  since: "bigint",
  held_at: "bigint",
  fired_at: "bigint",
  fired_bucket: "bigint",
  missing_since: "bigint",
  missing_rounds: "integer",
  missing_told: "smallint",
  told_state: "text",
  told_value: "text",
  told_channels: "text",
  label: "text",
  seen: "text",
  life: "json",
};

const CHANGE = {
  rule: "integer",
  subject: "integer",
  at: "bigint",
  state: "text",
  told_state: "text",
  no_data: "smallint",
  value: "text",
  alert: "text",
};

/** Inside a transaction. */
export async function putAlerts(
  session: Session,
  names: Names,
  alerts: readonly Alert[],
): Promise<void> {
  await insert(
    session,
    { table: "alerts", columns: ALERT, conflict: replacing(["rule", "subject"], ALERT) },
    lastOfEach(alerts, ({ rule, subject }) => JSON.stringify([rule, subject])).map((alert) =>
      alertRow(alert, names),
    ),
  );
}

/** Inside a transaction. */
export async function removeAlerts(
  session: Session,
  names: Names,
  gone: readonly { readonly rule: string; readonly subject: string }[],
): Promise<void> {
  if (gone.length === 0) return;
  await session.run(
    `DELETE FROM alerts USING unnest($1::integer[], $2::integer[]) AS given (rule, subject)
     WHERE alerts.rule = given.rule AND alerts.subject = given.subject`,
    [gone.map(({ rule }) => names.idOf(rule)), gone.map(({ subject }) => names.idOf(subject))],
  );
}

/** Inside a transaction: what became of alerts, for people who ask later. */
export async function noteAlerts(
  session: Session,
  names: Names,
  changes: readonly AlertChange[],
): Promise<void> {
  await insert(
    session,
    { table: "alert_changes", columns: CHANGE },
    changes.map(({ at, value, alert: { rule, subject, ...alert } }) => {
      const { state, lastNotified, missing } = alert;
      const ids = [names.idOf(rule), names.idOf(subject)] as const;
      const noData = Number(missing?.told === true);
      return [...ids, at, state, lastNotified.state, noData, value, JSON.stringify(alert)];
    }),
  );
}

export async function allAlerts(session: Session, names: Names): Promise<Alert[]> {
  const columns = ALERT_COLUMNS.map((name) => `"${name}"`).join(", ");
  const rows = await session.query<Record<(typeof ALERT_COLUMNS)[number], unknown>>(
    `SELECT ${columns} FROM alerts`,
  );
  return rows.map((row) => alertOf(ALERT_COLUMNS.map((name) => row[name]) as AlertRow, names));
}
