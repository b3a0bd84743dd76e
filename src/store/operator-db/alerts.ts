import type { Alert } from "../../model/index.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf } from "../rows.ts";
import { query, type Work } from "./work.ts";

const COLUMNS = [
  "rules.text AS rule",
  "subjects.text AS subject",
  ...ALERT_COLUMNS.slice(2).map((name) => `alerts.${name}`),
];

/** The alerts of a rule, on a subject, or all (null), as the daemon has left them. */
export function* alertsOf(rule: string | null, subject: string | null = null): Work<Alert[]> {
  const values: string[] = [];
  const where = ["true"];
  const id = (text: string): string => `(SELECT id FROM names WHERE text = $${values.push(text)})`;
  if (rule !== null) where.push(`alerts.rule = ${id(rule)}`);
  if (subject !== null) where.push(`alerts.subject = ${id(subject)}`);
  const rows = yield* query<Record<string, unknown>>(
    `SELECT ${COLUMNS.join(", ")} FROM alerts JOIN names AS rules ON rules.id = alerts.rule
       JOIN names AS subjects ON subjects.id = alerts.subject WHERE ${where.join(" AND ")}`,
    values,
  );
  return rows.map((row) => alertOf(Object.values(row) as AlertRow, { textOf: String }));
}
