import type { PostgresPlace } from "../../../base/postgres-url.ts";
import { CHANNELS_MARK, CONFIGURATION_MARK } from "../../../model/index.ts";
import type { LoadedView } from "../../operator-db/loaded.ts";
import type {
  AckedAlert,
  FiringAlert,
  StatusView,
  UnansweredRule,
  WatchedRule,
} from "../../operator-db/status-view.ts";
import { NOTHING_LOADED } from "../../store.ts";
import { allAlerts } from "../alerts.ts";
import { allTexts, markOf, namesTable } from "../names.ts";
import type { Session } from "../session.ts";
import { openServerAccess } from "./access.ts";

const NAMED = `JOIN names AS rules ON rules.id = alerts.rule
  JOIN names AS subjects ON subjects.id = alerts.subject`;

const ACKED = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label,
    life -> 'acked' ->> 'by' AS by, (life -> 'acked' ->> 'at')::bigint AS at
  FROM alerts ${NAMED} WHERE life -> 'acked' ->> 'at' IS NOT NULL
  ORDER BY 5, rules.text COLLATE "C", subjects.text COLLATE "C"`;

const FIRING = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label,
    coalesce(fired_at, since) AS "firedAt"
  FROM alerts ${NAMED} WHERE state IN ('firing', 'recovering')
  ORDER BY 4, rules.text COLLATE "C", subjects.text COLLATE "C"`;

const BLIND = `SELECT DISTINCT ON (rules.text COLLATE "C") rules.text AS rule,
    count(*) OVER (PARTITION BY alerts.rule) AS subjects, subjects.text AS subject, alerts.label,
    missing_since AS since
  FROM alerts ${NAMED} WHERE missing_told = 1
  ORDER BY rules.text COLLATE "C", missing_since, subjects.text COLLATE "C"`;

// A rule over 100,000 subjects has a text of 10 MB, which stays where it is. What cannot be read in it is null.
const RULES = `SELECT name, last_round AS "lastRound", facts ->> 'schedule' AS schedule,
    facts -> 'subjects' -> 0 ->> 'key' AS "firstSubject",
    facts -> 'subjects' -> -1 ->> 'key' AS "lastSubject"
  FROM rule_states AS states
    LEFT JOIN rule_versions ON rule_versions.version = states.version
    CROSS JOIN LATERAL (SELECT nullif(source, '')::json AS facts) AS read
  ORDER BY name COLLATE "C"`;

export async function statusView(session: Session): Promise<StatusView> {
  const [held] = await session.query<{ count: number; until: number | null }>(
    `SELECT count(*) AS count, min(held_until) AS until FROM owed
     WHERE held_until IS NOT NULL AND message IS NULL`,
  );
  return {
    rules: await session.query<WatchedRule>(RULES),
    firing: await session.query<FiringAlert>(FIRING),
    blind: await session.query<UnansweredRule>(BLIND),
    acked: await session.query<AckedAlert>(ACKED),
    held: held === undefined || held.until === null ? null : { ...held, until: held.until },
    channels: await markOf(session, CHANNELS_MARK),
    configuration: await markOf(session, CONFIGURATION_MARK),
    silences: await session.query<StatusView["silences"][number]>(
      `SELECT starts_at AS "startsAt", ends_at AS "endsAt" FROM silences`,
    ),
    owed: Number(
      await session.value<number>(
        `SELECT count(*) FROM owed LEFT JOIN messages ON messages.seq = owed.message
         WHERE messages.settled_at IS NULL`,
      ),
    ),
  };
}

/** How the daemons of a schema are; null: it has no tables yet. Throws StoreError. */
export async function readServerStatus(place: PostgresPlace): Promise<StatusView | null> {
  const access = await openServerAccess(place);
  try {
    return (await access?.read(statusView, true)) ?? null;
  } finally {
    access?.close();
  }
}

/** The rounds of `from` and later are counted. */
export async function loadedView(session: Session, from: number): Promise<LoadedView> {
  const names = namesTable();
  await names.load(session);
  const rules = await session.query<{
    name: string;
    version: string;
    startedAt: number | null;
    lastRound: number | null;
    source: string | null;
  }>(
    `SELECT name, states.version, started_at AS "startedAt", last_round AS "lastRound", source
     FROM rule_states AS states
       LEFT JOIN rule_versions ON rule_versions.version = states.version ORDER BY name COLLATE "C"`,
  );
  const [rounds] = await session.query<{ count: number | null; first: number | null }>(
    "SELECT sum(requests) AS count, min(date) AS first FROM rounds WHERE date >= $1",
    [from],
  );
  const { count = null, first = null } = rounds ?? {};
  return {
    loaded: {
      ...NOTHING_LOADED,
      alerts: await allAlerts(session, names),
      rules: rules.map(({ source: _text, ...rule }) => rule),
      marks: await allTexts(session, names, "marks"),
    },
    sources: new Map(rules.map(({ name, source }) => [name, source ?? ""])),
    requests: count === null || first === null ? null : { count, first },
  };
}
