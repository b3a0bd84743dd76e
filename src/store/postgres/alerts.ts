import type { Alert, AlertChange } from "../../model/index.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf, alertRow } from "../rows.ts";
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
  removed: readonly { readonly rule: string; readonly subject: string }[],
): Promise<void> {
  if (removed.length === 0) return;
  await session.run(
    `DELETE FROM alerts USING unnest($1::integer[], $2::integer[]) AS given (rule, subject)
     WHERE alerts.rule = given.rule AND alerts.subject = given.subject`,
    [
      removed.map(({ rule }) => names.idOf(rule)),
      removed.map(({ subject }) => names.idOf(subject)),
    ],
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

export function allAlerts(session: Session, names: Names): Promise<Alert[]> {
  return alertsWhere(session, names, "", []);
}

/** How many alerts each of these rules has; one that has none is left out. */
export async function alertCounts(
  session: Session,
  rules: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.query<{ rule: string; alerts: number }>(
    `SELECT names.text AS rule, count(*) AS alerts FROM alerts JOIN names ON names.id = rule
     WHERE names.text = ANY($1::text[]) GROUP BY names.text`,
    [rules],
  );
  return new Map(rows.map(({ rule, alerts }) => [rule, alerts]));
}

/** Alerts of rules that several daemons write. */
export function sharedAlerts(names: Names) {
  /** By rule, the subjects that fired when they were read last. */
  const firing = new Map<string, ReadonlySet<string>>();
  return {
    /** Those of a rule, as they are kept by now. */
    async hear(session: Session, rule: string) {
      const found = await alertsOfRule(session, names, rule);
      const known = found.filter(({ state }) => state === "firing");
      firing.set(rule, new Set(known.map(({ subject }) => subject)));
      return found;
    },
    /**
     * Inside a transaction: those of these alerts that may be written. That one is over which fires by now is for who
     * has heard that it fires.
     */
    async withoutUnheard(session: Session, alerts: readonly Alert[]) {
      const over = alerts.filter(
        ({ rule, subject, state }) =>
          state === "ok" && firing.has(rule) && firing.get(rule)?.has(subject) !== true,
      );
      if (over.length === 0) return alerts;
      const rows = await session.query<{ rule: number; subject: number }>(
        `SELECT alerts.rule, alerts.subject
         FROM alerts JOIN unnest($1::integer[], $2::integer[]) AS given (rule, subject)
           ON given.rule = alerts.rule AND given.subject = alerts.subject
         WHERE state = 'firing' FOR UPDATE OF alerts`,
        [over.map(({ rule }) => names.idOf(rule)), over.map(({ subject }) => names.idOf(subject))],
      );
      const unheard = new Set(rows.map((row) => `${row.rule} ${row.subject}`));
      if (unheard.size === 0) return alerts;
      return alerts.filter(
        ({ rule, subject }) => !unheard.has(`${names.idOf(rule)} ${names.idOf(subject)}`),
      );
    },
  };
}

async function alertsOfRule(session: Session, names: Names, rule: string): Promise<Alert[]> {
  // Others may have named their subjects.
  const found = await session.query<{ id: number; text: string }>(
    `SELECT id, text FROM names WHERE text = $1 UNION SELECT names.id, names.text
     FROM alerts JOIN names ON names.id = subject
     WHERE rule = (SELECT id FROM names WHERE text = $1)`,
    [rule],
  );
  for (const one of found) names.know(one);
  const id = found.find(({ text }) => text === rule)?.id;
  return id === undefined ? [] : await alertsWhere(session, names, "WHERE rule = $1", [id]);
}

async function alertsWhere(
  session: Session,
  names: Names,
  where: string,
  values: readonly unknown[],
): Promise<Alert[]> {
  const columns = ALERT_COLUMNS.map((name) => `"${name}"`).join(", ");
  const rows = await session.query<Record<(typeof ALERT_COLUMNS)[number], unknown>>(
    `SELECT ${columns} FROM alerts ${where}`,
    values,
  );
  return rows.map((row) => alertOf(ALERT_COLUMNS.map((name) => row[name]) as AlertRow, names));
}
