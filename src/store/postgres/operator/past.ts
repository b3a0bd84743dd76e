import type {
  Alert,
  AlertChange,
  Failure,
  Notice,
  RuleChange,
  SubjectFacts,
} from "../../../model/index.ts";
import { type AlertPast, type PastNotice, pastNoticesOf } from "../../operator-db/past.ts";
import type { Promised } from "../../operator-db/promised.ts";
import { factsFrom } from "../../operator-db/recorded-facts.ts";
import { alertsOfRule } from "../alerts.ts";
import { namesTable } from "../names.ts";
import type { Session } from "../session.ts";
import type { ServerAccess } from "./access.ts";
import { deliveriesOf } from "./history.ts";

/** The lists of rules that name the rule `$1`. */
const SETS = `ARRAY(SELECT hash FROM rule_sets WHERE EXISTS (
  SELECT 1 FROM json_array_elements_text(names) AS one (name) WHERE name = $1))`;

const IDS = `rule = (SELECT id FROM names WHERE text = $1)
  AND subject = (SELECT id FROM names WHERE text = $2)`;

export function alertPast(access: ServerAccess): Promised<AlertPast> {
  return {
    alerts: (rule) => access.read((session) => alertsOfRule(session, namesTable(), rule), true),
    alert: (rule, subject) =>
      access.read(async (session) => {
        const [found] = await alertsOfRule(session, namesTable(), rule, subject);
        return found ?? null;
      }),
    changes: (...asked) => access.read((session) => changes(session, ...asked)),
    edits: (rule) =>
      access.query<RuleChange>(
        `SELECT text AS rule, at, version FROM rule_changes JOIN names ON names.id = rule
           WHERE text = $1 ORDER BY seq`,
        [rule],
      ),
    version: (version) =>
      access.value<string>("SELECT source FROM rule_versions WHERE version = $1", [version]),
    notices: (...asked) => access.read((session) => notices(session, ...asked)),
    rounds: async (rule, to, most) => {
      const rows = await access.query<{ date: number; failed: number; failures: string }>(
        `SELECT date, failed, failures FROM rounds WHERE date <= $2 AND rule_set = ANY(${SETS})
           ORDER BY date DESC LIMIT $3`,
        [rule, to, most],
      );
      return rows.map(({ failures, ...round }) => ({
        ...round,
        failures: JSON.parse(failures) as Record<string, Failure>,
      }));
    },
    roundAfter: (rule, date) =>
      access.value<number>(
        `SELECT date FROM rounds WHERE date > $2 AND rule_set = ANY(${SETS}) ORDER BY date LIMIT 1`,
        [rule, date],
      ),
    backfilledAt: (subject) =>
      access.value<number>(
        `SELECT max((one.value ->> 1)::bigint) AS at FROM marks
             JOIN names ON names.id = marks.subject, json_array_elements(marks.value::json) AS one
           WHERE names.text = 'priming:' || $1`,
        [subject],
      ),
    facts: (subject, at) => access.read((session) => facts(session, subject, at)),
  };
}

async function changes(
  session: Session,
  rule: string,
  subject: string,
  from: number,
  to: number,
): Promise<AlertChange[]> {
  // A clock that was set back makes later rows of earlier dates: what was written last counts.
  const rows = await session.query<{ at: number; value: string | null; alert: string }>(
    `SELECT at, value, alert FROM alert_changes WHERE ${IDS} AND at <= $4 AND seq >= coalesce(
       (SELECT seq FROM alert_changes WHERE ${IDS} AND at < $3 ORDER BY seq DESC LIMIT 1), 0)
     ORDER BY seq`,
    [rule, subject, from, to],
  );
  return rows.map(({ at, value, alert }) => ({
    at,
    value,
    alert: { rule, subject, ...(JSON.parse(alert) as Omit<Alert, "rule" | "subject">) },
  }));
}

async function notices(
  session: Session,
  rule: string,
  subject: string,
  from: number,
  to: number,
  most: number,
): Promise<PastNotice[]> {
  const found = await session.query<{ seq: number; body: string }>(
    `SELECT seq, body FROM notices WHERE rule = $1 AND subject = $2 AND at BETWEEN $3 AND $4
     ORDER BY seq DESC LIMIT $5`,
    [rule, subject, from, to, most],
  );
  const deliveries = await deliveriesOf(
    session,
    found.map(({ seq }) => seq),
  );
  return pastNoticesOf(
    found.map(({ seq, body }) => ({
      notice: JSON.parse(body) as Notice,
      deliveries: deliveries.get(seq) ?? [],
    })),
  );
}

async function facts(session: Session, subject: string, at: number): Promise<SubjectFacts | null> {
  const [row] = await session.query<{ at: number; facts: string }>(
    `SELECT at, facts FROM subject_facts WHERE subject = (SELECT id FROM names WHERE text = $1)
     ORDER BY at <= $2 DESC, abs(at - $2) LIMIT 1`,
    [subject, at],
  );
  return row === undefined ? null : factsFrom(subject, row.at, row.facts);
}
