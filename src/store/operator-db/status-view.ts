import { CHANNELS_MARK, CONFIGURATION_MARK } from "../../model/index.ts";
import { markOf } from "./reload.ts";
import { query, value, type Work } from "./work.ts";

/** What a look at the database of a running daemon shows. */
export interface StatusView {
  /** The rules that the daemon watches since it was started last, by their names. */
  readonly rules: readonly WatchedRule[];
  /** The alerts that fire, those that fire for longest first. */
  readonly firing: readonly FiringAlert[];
  /** The rules of which people were told that subjects have no data, by their names. */
  readonly withoutData: readonly UnansweredRule[];
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

const NAMED = `FROM alerts JOIN names AS rules ON rules.id = alerts.rule
  JOIN names AS subjects ON subjects.id = alerts.subject`;

const BY_NAME = 'rules.text COLLATE "C", subjects.text COLLATE "C"';

const ACKED = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label,
    life -> 'acked' ->> 'by' AS by, CAST(life -> 'acked' ->> 'at' AS bigint) AS at
  ${NAMED} WHERE life -> 'acked' ->> 'at' IS NOT NULL ORDER BY 5, ${BY_NAME}`;

const FIRING = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label,
    coalesce(fired_at, since) AS "firedAt"
  ${NAMED} WHERE state IN ('firing', 'recovering') ORDER BY 4, ${BY_NAME}`;

const WITHOUT_DATA = {
  // Beside min() the other columns are those of its row. Source: sqlite.org/lang_select.html, "Bare columns".
  sqlite: `SELECT rules.text AS rule, count(*) AS subjects, subjects.text AS subject,
      alerts.label, min(missing_since) AS since
    ${NAMED} WHERE missing_told = 1 GROUP BY rules.text ORDER BY rule`,
  postgres: `SELECT DISTINCT ON (rules.text COLLATE "C") rules.text AS rule,
      count(*) OVER (PARTITION BY alerts.rule) AS subjects, subjects.text AS subject, alerts.label,
      missing_since AS since
    ${NAMED} WHERE missing_told = 1
    ORDER BY rules.text COLLATE "C", missing_since, subjects.text COLLATE "C"`,
};

// A rule over 100,000 subjects has a text of 10 MB, which stays where it is. What cannot be read in it is null.
const RULES = {
  sqlite: `WITH watched AS MATERIALIZED (
      SELECT name, last_round, CASE WHEN json_valid(source) THEN
        json_extract(source, '$.schedule', '$.subjects[0].key', '$.subjects[#-1].key') END AS facts
      FROM rule_states AS states LEFT JOIN rule_versions ON rule_versions.version = states.version
    )
    SELECT name, last_round AS lastRound, CAST(facts ->> 0 AS TEXT) AS schedule,
      CAST(facts ->> 1 AS TEXT) AS firstSubject, CAST(facts ->> 2 AS TEXT) AS lastSubject
    FROM watched ORDER BY name`,
  postgres: `SELECT name, last_round AS "lastRound", facts ->> 'schedule' AS schedule,
      facts -> 'subjects' -> 0 ->> 'key' AS "firstSubject",
      facts -> 'subjects' -> -1 ->> 'key' AS "lastSubject"
    FROM rule_states AS states
      LEFT JOIN rule_versions ON rule_versions.version = states.version
      CROSS JOIN LATERAL (SELECT nullif(source, '')::json AS facts) AS read
    ORDER BY name COLLATE "C"`,
};

const HELD = `SELECT count(*) AS count, min(held_until) AS until FROM owed
  WHERE held_until IS NOT NULL AND message IS NULL`;

const OWED = `SELECT count(*) AS count FROM owed LEFT JOIN messages ON messages.seq = owed.message
  WHERE messages.settled_at IS NULL`;

const SILENCES = `SELECT starts_at AS "startsAt", ends_at AS "endsAt" FROM silences`;

export function* statusView(): Work<StatusView> {
  const [held] = yield* query<{ readonly count: number; readonly until: number | null }>(HELD);
  return {
    rules: yield* query<WatchedRule>(RULES),
    firing: yield* query<FiringAlert>(FIRING),
    withoutData: yield* query<UnansweredRule>(WITHOUT_DATA),
    acked: yield* query<AckedAlert>(ACKED),
    held: held === undefined || held.until === null ? null : { ...held, until: held.until },
    channels: yield* markOf(CHANNELS_MARK),
    configuration: yield* markOf(CONFIGURATION_MARK),
    silences: yield* query<StatusView["silences"][number]>(SILENCES),
    owed: (yield* value<number>(OWED)) ?? 0,
  };
}
