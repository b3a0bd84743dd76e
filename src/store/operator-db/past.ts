import type {
  Alert,
  AlertChange,
  Failure,
  Notice,
  RuleChange,
  SubjectFacts,
} from "../../model/index.ts";
import { StoreError } from "../store.ts";
import { alertsOf } from "./alerts.ts";
import { noticesOf, type StoredDelivery } from "./history.ts";
import { factsFrom } from "./recorded-facts.ts";
import { markOf } from "./reload.ts";
import { type Access, hasTable, query, value, type Work } from "./work.ts";

/** A notice of the past, and what became of it at each channel. */
export interface PastNotice {
  readonly notice: Notice;
  /** Empty: it was for nobody, or was dropped while it was held back. */
  readonly deliveries: readonly PastDelivery[];
}

/** `state`: as of `notices_v`. */
export interface PastDelivery extends Omit<StoredDelivery, "state"> {
  readonly state: (typeof STATES)[StoredDelivery["state"]];
}

export interface PastRound {
  readonly date: number;
  readonly failed: number;
  /** By ask key, at most a bounded number of them. */
  readonly failures: Readonly<Record<string, Failure>>;
}

/** What the database keeps of the life of alerts. Dates are epoch milliseconds. */
export interface AlertPast {
  /** The alerts of a rule as the daemon has left them. */
  alerts(rule: string): Promise<Alert[]>;
  /** One of them; null: it is not watched. */
  alert(rule: string, subject: string): Promise<Alert | null>;
  /** What became of an alert in [from, to], oldest first, and before that what it was then, if that is kept. */
  changes(rule: string, subject: string, from: number, to: number): Promise<AlertChange[]>;
  /** Since when a rule was which version, oldest first. */
  edits(rule: string): Promise<RuleChange[]>;
  /** A version of a rule as canonical text; null: it is not kept. */
  version(version: string): Promise<string | null>;
  /** What was told of an alert in [from, to], oldest first; of so many the newest. */
  notices(
    rule: string,
    subject: string,
    from: number,
    to: number,
    most: number,
  ): Promise<PastNotice[]>;
  /** The newest rounds of a rule up to a date, newest first. */
  rounds(rule: string, to: number, most: number): Promise<PastRound[]>;
  /** The first round of a rule after a date. */
  roundAfter(rule: string, date: number): Promise<number | null>;
  /** When a history was put into the samples of a subject last; null: never. */
  backfilledAt(subject: string): Promise<number | null>;
  /** What the samples of a subject do not say, as it was at a date or, before that was known, first; null: nothing. */
  facts(subject: string, at: number): Promise<SubjectFacts | null>;
}

/** Throws StoreError, and so do its methods: `older` where no daemon has upgraded the database yet. */
export function alertPast(access: Access): AlertPast {
  const read = <T>(work: Work<T>, long?: boolean): Promise<T> =>
    access.read(upgraded(access.where, work), long);
  return {
    alerts: (rule) => read(alertsOf(rule), true),
    alert: async (rule, subject) => (await read(alertsOf(rule, subject)))[0] ?? null,
    changes: (...asked) => read(changes(...asked)),
    edits: (rule) => read(query<RuleChange>(EDITS, [rule])),
    version: (version) => read(value<string>(VERSION, [version])),
    notices: (...asked) => read(notices(...asked)),
    rounds: (...asked) => read(rounds(...asked)),
    roundAfter: (...asked) => read(roundAfter(...asked)),
    backfilledAt: (subject) => read(backfilledAt(subject)),
    facts: (...asked) => read(facts(...asked)),
  };
}

function* upgraded<T>(where: string, work: Work<T>): Work<T> {
  if (yield* hasTable("alert_changes")) return yield* work;
  throw new StoreError(
    "older",
    `${where} was written by an older tickwatch, which kept nothing to explain: the next \`tickwatch run\` upgrades it`,
  );
}

const EDITS = `SELECT text AS rule, at, version FROM rule_changes JOIN names ON names.id = rule
  WHERE text = $1 ORDER BY seq`;

const VERSION = "SELECT source FROM rule_versions WHERE version = $1";

const IDS = `rule = (SELECT id FROM names WHERE text = $1)
  AND subject = (SELECT id FROM names WHERE text = $2)`;

function* changes(rule: string, subject: string, from: number, to: number): Work<AlertChange[]> {
  // A clock that was set back makes later rows of earlier dates: what was written last counts.
  const rows = yield* query<{ at: number; value: string | null; alert: string }>(
    `SELECT at, value, alert FROM alert_changes WHERE ${IDS} AND at <= $4 AND seq >= coalesce(
       (SELECT seq FROM alert_changes WHERE ${IDS} AND at < $3 ORDER BY seq DESC LIMIT 1), 0)
     ORDER BY seq`,
    [rule, subject, from, to],
  );
  return rows.map(({ alert, ...row }) => ({
    ...row,
    alert: { rule, subject, ...(JSON.parse(alert) as Omit<Alert, "rule" | "subject">) },
  }));
}

function* notices(...asked: Parameters<AlertPast["notices"]>): Work<PastNotice[]> {
  const found = yield* noticesOf(
    "WHERE rule = $1 AND subject = $2 AND at BETWEEN $3 AND $4 ORDER BY seq DESC LIMIT $5",
    asked,
  );
  return found.toReversed().map(({ notice, deliveries }) => ({
    notice,
    deliveries: deliveries.map((one) => ({ ...one, state: STATES[one.state] })),
  }));
}

const STATES = {
  owed: "queued",
  held: "suppressed",
  due: "queued",
  waiting: "retrying",
  sent: "sent",
  dead: "dead",
} as const;

/** The hashes of the lists of rules that name a rule. */
function* setsOf(rule: string): Work<string[]> {
  const rows = yield* query<{ readonly hash: string }>(
    `SELECT hash FROM rule_sets WHERE EXISTS (
       SELECT 1 FROM json_array_elements_text(names) AS one WHERE one.value = $1)`,
    [rule],
  );
  return rows.map(({ hash }) => hash);
}

function* rounds(rule: string, to: number, most: number): Work<PastRound[]> {
  const rows = yield* query<{ date: number; failed: number; failures: string }>(
    `SELECT date, failed, failures FROM rounds WHERE date <= $2 AND rule_set = ANY($1)
     ORDER BY date DESC LIMIT $3`,
    [yield* setsOf(rule), to, most],
  );
  return rows.map(({ failures, ...round }) => ({
    ...round,
    failures: JSON.parse(failures) as Record<string, Failure>,
  }));
}

function* roundAfter(rule: string, date: number): Work<number | null> {
  return yield* value<number>(
    "SELECT date FROM rounds WHERE date > $2 AND rule_set = ANY($1) ORDER BY date LIMIT 1",
    [yield* setsOf(rule), date],
  );
}

function* backfilledAt(subject: string): Work<number | null> {
  const primed = JSON.parse((yield* markOf(`priming:${subject}`)) ?? "[]") as [string, number][];
  return primed.length === 0 ? null : Math.max(...primed.map(([, at]) => at));
}

function* facts(subject: string, at: number): Work<SubjectFacts | null> {
  const [row] = yield* query<{ at: number; facts: string }>(
    `SELECT at, facts FROM subject_facts WHERE subject = (SELECT id FROM names WHERE text = $1)
     ORDER BY at <= $2 DESC, abs(at - $2) LIMIT 1`,
    [subject, at],
  );
  return row === undefined ? null : factsFrom(subject, row.at, row.facts);
}
