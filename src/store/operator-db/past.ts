import type {
  Alert,
  AlertChange,
  Failure,
  Notice,
  RuleChange,
  SubjectFacts,
} from "../../model/index.ts";
import type { Database } from "../sqlite/driver.ts";
import { readAlerts } from "../sqlite/watched.ts";
import { StoreError } from "../store.ts";
import type { Access } from "./access.ts";
import { deliveriesOf, type StoredDelivery, type StoredNotice } from "./history.ts";
import { factsFrom } from "./recorded-facts.ts";

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
  alerts(rule: string): Alert[];
  /** One of them; null: it is not watched. */
  alert(rule: string, subject: string): Alert | null;
  /** What became of an alert in [from, to], oldest first, and before that what it was then, if that is kept. */
  changes(rule: string, subject: string, from: number, to: number): AlertChange[];
  /** Since when a rule was which version, oldest first. */
  edits(rule: string): RuleChange[];
  /** A version of a rule as canonical text; null: it is not kept. */
  version(version: string): string | null;
  /** What was told of an alert in [from, to], oldest first; of so many the newest. */
  notices(rule: string, subject: string, from: number, to: number, most: number): PastNotice[];
  /** The newest rounds of a rule up to a date, newest first. */
  rounds(rule: string, to: number, most: number): PastRound[];
  /** The first round of a rule after a date. */
  roundAfter(rule: string, date: number): number | null;
  /** When a history was put into the samples of a subject last; null: never. */
  backfilledAt(subject: string): number | null;
  /** What the samples of a subject do not say, as it was at a date or, before that was known, first; null: nothing. */
  facts(subject: string, at: number): SubjectFacts | null;
}

/** Since when the tables are there that this looks into. */
const FORMAT = 5;

/** Throws StoreError, and so do its methods: `older` where no daemon has upgraded the database yet. */
export function alertPast(access: Access): AlertPast {
  const read = <T>(work: (db: Database) => T): T =>
    access.read((db) => {
      if (Number(db.pragma("user_version", { simple: true })) < FORMAT) throw notUpgraded(db.name);
      return work(db);
    });
  return {
    alerts: (rule) => read((db) => readAlerts(db, rule)),
    alert: (rule, subject) => read((db) => readAlerts(db, rule, subject)[0] ?? null),
    changes: (...asked) => read((db) => changes(db, ...asked)),
    edits: (rule) =>
      read((db) =>
        db
          .prepare<[string], RuleChange>(
            `SELECT text AS rule, at, version FROM rule_changes JOIN names ON names.id = rule
             WHERE text = ? ORDER BY seq`,
          )
          .all(rule),
      ),
    version: (version) =>
      read(
        (db) =>
          db
            .prepare<[string], string>("SELECT source FROM rule_versions WHERE version = ?")
            .pluck()
            .get(version) ?? null,
      ),
    notices: (...asked) => read((db) => notices(db, ...asked)),
    rounds: (...asked) => read((db) => rounds(db, ...asked)),
    roundAfter: (rule, date) =>
      read(
        (db) =>
          db
            .prepare<[number, string], number>(
              `SELECT date FROM rounds WHERE date > ? AND rule_set IN (${SETS}) ORDER BY date LIMIT 1`,
            )
            .pluck()
            .get(date, rule) ?? null,
      ),
    backfilledAt: (subject) =>
      read(
        (db) =>
          db
            .prepare<[string], number | null>(
              `SELECT max(json_extract(one.value, '$[1]')) FROM marks
               JOIN names ON names.id = marks.subject JOIN json_each(marks.value) AS one
               WHERE names.text = 'priming:' || ?`,
            )
            .pluck()
            .get(subject) ?? null,
      ),
    facts: (subject, at) => read((db) => facts(db, subject, at)),
  };
}

function notUpgraded(path: string): StoreError {
  return new StoreError(
    "older",
    `${path} was written by an older tickwatch, which kept nothing to explain: the next \`tickwatch run\` upgrades it`,
  );
}

const IDS =
  "rule = (SELECT id FROM names WHERE text = ?) AND subject = (SELECT id FROM names WHERE text = ?)";

/** The lists of rules that name a rule. */
const SETS =
  "SELECT hash FROM rule_sets WHERE EXISTS (SELECT 1 FROM json_each(names) WHERE value = ?)";

function changes(
  db: Database,
  rule: string,
  subject: string,
  from: number,
  to: number,
): AlertChange[] {
  // A clock that was set back makes later rows of earlier dates: what was written last counts.
  const start =
    db
      .prepare<[string, string, number], number>(
        `SELECT seq FROM alert_changes WHERE ${IDS} AND at < ? ORDER BY seq DESC LIMIT 1`,
      )
      .pluck()
      .get(rule, subject, from) ?? 0;
  return db
    .prepare<[string, string, number, number], { at: number; value: string | null; alert: string }>(
      `SELECT at, value, alert FROM alert_changes WHERE ${IDS} AND seq >= ? AND at <= ? ORDER BY seq`,
    )
    .all(rule, subject, start, to)
    .map(({ at, value, alert }) => ({
      at,
      value,
      alert: { rule, subject, ...(JSON.parse(alert) as Omit<Alert, "rule" | "subject">) },
    }));
}

interface NoticeRow {
  readonly seq: number;
  readonly body: string;
}

function notices(
  db: Database,
  rule: string,
  subject: string,
  from: number,
  to: number,
  most: number,
): PastNotice[] {
  const found = db
    .prepare<[string, string, number, number, number], NoticeRow>(
      `SELECT seq, body FROM notices WHERE rule = ? AND subject = ? AND at BETWEEN ? AND ?
       ORDER BY seq DESC LIMIT ?`,
    )
    .all(rule, subject, from, to, most);
  const deliveries = deliveriesOf(
    db,
    found.map(({ seq }) => seq),
  );
  return pastNoticesOf(
    found.map(({ seq, body }) => ({
      notice: JSON.parse(body) as Notice,
      deliveries: deliveries.get(seq) ?? [],
    })),
  );
}

/** The notices that were found, the newest first, in the order in which they were told. */
export function pastNoticesOf(
  found: readonly Pick<StoredNotice, "notice" | "deliveries">[],
): PastNotice[] {
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

function rounds(db: Database, rule: string, to: number, most: number): PastRound[] {
  return db
    .prepare<[number, string, number], { date: number; failed: number; failures: string }>(
      `SELECT date, failed, failures FROM rounds WHERE date <= ? AND rule_set IN (${SETS})
       ORDER BY date DESC LIMIT ?`,
    )
    .all(to, rule, most)
    .map(({ date, failed, failures }) => ({
      date,
      failed,
      failures: JSON.parse(failures) as Record<string, Failure>,
    }));
}

function facts(db: Database, subject: string, at: number): SubjectFacts | null {
  const row = db
    .prepare<[string, number, number], { at: number; facts: string }>(
      `SELECT at, facts FROM subject_facts WHERE subject = (SELECT id FROM names WHERE text = ?)
       ORDER BY at <= ? DESC, abs(at - ?) LIMIT 1`,
    )
    .get(subject, at, at);
  return row === undefined ? null : factsFrom(subject, row.at, row.facts);
}
