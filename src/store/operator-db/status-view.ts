import { CHANNELS_MARK, CONFIGURATION_MARK } from "../../model/index.ts";
import type { Database } from "../sqlite/driver.ts";

/** What a look at the database of a running daemon shows. */
export interface StatusView {
  /** The rules that the daemon watches since it was started last, by their names. */
  readonly rules: readonly WatchedRule[];
  /** The alerts that fire, those that fire for longest first. */
  readonly firing: readonly FiringAlert[];
  /** The rules of which people were told that subjects have no data, by their names. */
  readonly blind: readonly UnansweredRule[];
  /** The alerts that somebody looks after, who, and since when (epoch milliseconds), the oldest first. */
  readonly acked: readonly AckedAlert[];
  /** Notices that are still to be delivered. */
  readonly owed: number;
  /** Those of them that are held back, and when the first of them is looked at anew; null: none is. */
  readonly held: { readonly count: number; readonly until: number } | null;
  /** The troubles of channels as they were written down (`CHANNELS_MARK`); null: there were none yet. */
  readonly channels: string | null;
  /** The configuration that runs, as it was written down (`CONFIGURATION_MARK`); null: it was not. */
  readonly configuration: string | null;
  /** Begins and ends of silences, epoch milliseconds, also of those that have ended. */
  readonly silences: readonly { readonly startsAt: number; readonly endsAt: number }[];
}

/** A rule as the daemon wrote it down when it started. */
export interface WatchedRule {
  readonly name: string;
  /** The date of its last whole round, epoch milliseconds; null: it had none yet. */
  readonly lastRound: number | null;
  /** The key of its schedule; null: it is not known. */
  readonly schedule: string | null;
  /** The keys of the first and the last of its subjects in the order of their keys. */
  readonly firstSubject: string | null;
  readonly lastSubject: string | null;
}

export interface FiringAlert {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
  /** Epoch milliseconds. */
  readonly firedAt: number;
}

/** A rule, how many of its subjects have no data, and the one of them that has had none for longest. */
export interface UnansweredRule {
  readonly rule: string;
  readonly subjects: number;
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
  /** The last round with a value, or else its first round, epoch milliseconds. */
  readonly since: number;
}

export interface AckedAlert {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
  readonly by: string;
  readonly at: number;
}

const ACKED = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label,
    json_extract(life, '$.acked.by') AS by, json_extract(life, '$.acked.at') AS at
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE json_extract(life, '$.acked.at') IS NOT NULL ORDER BY at, rule, subject`;

const FIRING = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label,
    coalesce(fired_at, since) AS firedAt
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE state IN ('firing', 'recovering') ORDER BY firedAt, rule, subject`;

// Beside min() the other columns are those of its row. Source: sqlite.org/lang_select.html, "Bare columns".
const BLIND = `SELECT rules.text AS rule, count(*) AS subjects, subjects.text AS subject,
    alerts.label, min(missing_since) AS since
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE missing_told = 1 GROUP BY rules.text ORDER BY rule`;

const HELD = `SELECT count(*) AS count, min(held_until) AS until FROM owed
  WHERE held_until IS NOT NULL AND message IS NULL`;

const OWED = `SELECT count(*) FROM owed LEFT JOIN messages ON messages.seq = owed.message
  WHERE messages.settled_at IS NULL`;

// A rule over 100,000 subjects has a text of 10 MB, which is parsed once. What cannot be read in it is null.
const RULES = `WITH watched AS MATERIALIZED (
    SELECT name, last_round, CASE WHEN json_valid(source) THEN
      json_extract(source, '$.schedule', '$.subjects[0].key', '$.subjects[#-1].key') END AS facts
    FROM rule_states AS states LEFT JOIN rule_versions ON rule_versions.version = states.version
  )
  SELECT name, last_round AS lastRound, CAST(facts ->> 0 AS TEXT) AS schedule,
    CAST(facts ->> 1 AS TEXT) AS firstSubject, CAST(facts ->> 2 AS TEXT) AS lastSubject
  FROM watched ORDER BY name`;

const MARK = "SELECT value FROM marks JOIN names ON names.id = subject WHERE names.text = ?";

const SILENCES = "SELECT starts_at AS startsAt, ends_at AS endsAt FROM silences";

export function statusView(db: Database): StatusView {
  const mark = db.prepare<[string], string>(MARK).pluck();
  const held = db.prepare<[], { count: number; until: number | null }>(HELD).get();
  return {
    rules: db.prepare<[], WatchedRule>(RULES).all(),
    firing: db.prepare<[], FiringAlert>(FIRING).all(),
    blind: db.prepare<[], UnansweredRule>(BLIND).all(),
    acked: db.prepare<[], AckedAlert>(ACKED).all(),
    held: held === undefined || held.until === null ? null : { ...held, until: held.until },
    channels: mark.get(CHANNELS_MARK) ?? null,
    configuration: mark.get(CONFIGURATION_MARK) ?? null,
    silences: db.prepare<[], StatusView["silences"][number]>(SILENCES).all(),
    owed: Number(db.prepare(OWED).pluck().get()),
  };
}
