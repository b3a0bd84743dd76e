import type { Server } from "../postgres/support/server.ts";

/** What the database noted of leases and commits, by triggers that no daemon knows of. */
export interface Watcher {
  /** In which order things were committed, by `track_commit_timestamp`: what must never have been, in words. */
  faults(): Promise<readonly string[]>;
  commits(): Promise<number>;
  /** Members that work at the moment, by name. */
  working(): Promise<readonly string[]>;
  /** The first lease that anybody took after that time, by the server's clock, in milliseconds; null: nobody has. */
  takenAfter(at: number): Promise<number | null>;
  now(): Promise<number>;
  /**
   * The least of the dates, by the server's clock in milliseconds, up to which slots were looked at by daemons that have
   * them and are alive; 0: one has no such owner.
   */
  lookedAt(): Promise<number>;
  /** How the work is shared, the newest notices and what became of each, as JSON: for who looks for a fault. */
  picture(): Promise<string>;
}

const TABLES = `
CREATE SCHEMA watcher;
CREATE TABLE watcher.takes (
  lease text NOT NULL, epoch bigint NOT NULL, owner uuid NOT NULL, of uuid,
  at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE watcher.leaves (member uuid NOT NULL);
CREATE TABLE watcher.writes (series integer NOT NULL);
CREATE TABLE watcher.works (lease text NOT NULL);
CREATE TABLE watcher.commits (session text NOT NULL, fence bigint NOT NULL, seq bigint NOT NULL);
CREATE FUNCTION watcher.note_take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watcher.takes (lease, epoch, owner, of)
    VALUES (NEW.name, NEW.epoch, NEW.owner, CASE TG_OP WHEN 'UPDATE' THEN OLD.owner END);
  RETURN NULL;
END $$;
CREATE FUNCTION watcher.note_leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watcher.leaves VALUES (OLD.owner);
  RETURN NULL;
END $$;
CREATE FUNCTION watcher.note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watcher.writes VALUES (NEW.series);
  RETURN NULL;
END $$;
CREATE FUNCTION watcher.note_closed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watcher.works VALUES ('s' || lpad(NEW.slot::text, 3, '0'));
  RETURN NULL;
END $$;
CREATE FUNCTION watcher.note_message() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watcher.works VALUES ('channel:' || NEW.channel);
  RETURN NULL;
END $$;
CREATE FUNCTION watcher.note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watcher.commits VALUES (NEW.session, NEW.fence, NEW.seq);
  RETURN NULL;
END $$;
`;

/** Two commits of one number, or a number left out: one was done twice, or by somebody who may not. */
const COUNTED = `
SELECT session, fence, count(*) AS commits, count(DISTINCT seq) AS numbers, min(seq) AS first, max(seq) AS last
FROM watcher.commits WHERE seq > 0 GROUP BY session, fence
HAVING count(*) <> max(seq) - min(seq) + 1 OR count(DISTINCT seq) <> count(*)`;

/**
 * A sample by another daemon than the one before it, without a take by that one in between: one of the two had the slot
 * no more. A take waits for the commits of the one before. With a new configuration a series may be another slot's,
 * which a daemon has already: then the one before has lost its slot, or decides it by the new one as well.
 */
const STALE = `
WITH written AS (
  SELECT series, session, pg_xact_commit_timestamp(writes.xmin) AS at
  FROM watcher.writes JOIN watcher.commits ON commits.xmin = writes.xmin
), ordered AS (
  SELECT series, session, at, lag(session) OVER its AS before, lag(at) OVER its AS since
  FROM written WINDOW its AS (PARTITION BY series ORDER BY at)
)
SELECT series, before, since, session, at FROM ordered
WHERE before <> session AND NOT EXISTS (
  SELECT FROM watcher.takes WHERE owner::text = split_part(session, ' ', 1)
    AND pg_xact_commit_timestamp(takes.xmin) BETWEEN ordered.since AND ordered.at)
  AND NOT EXISTS (
  SELECT FROM watcher.leaves WHERE member::text = split_part(before, ' ', 1)
    AND pg_xact_commit_timestamp(leaves.xmin) BETWEEN ordered.since AND ordered.at)`;

/**
 * What a daemon did in a slot, or with a message, after another one had taken that from it: a take waits for the commits
 * of the one before, and no later one gets through. Until it is taken, what a daemon has that counts as dead is its own.
 */
const LATE = `
SELECT takes.of AS member, lease, takes.epoch, takes.owner AS taker, session, seq,
  pg_xact_commit_timestamp(takes.xmin) AS taken, pg_xact_commit_timestamp(commits.xmin) AS at
FROM watcher.takes JOIN watcher.works USING (lease) JOIN watcher.commits
  ON commits.xmin = works.xmin AND split_part(session, ' ', 1) = of::text
WHERE pg_xact_commit_timestamp(commits.xmin) > pg_xact_commit_timestamp(takes.xmin)`;

const TWO_OWNERS =
  "SELECT lease, epoch, count(*) AS takes FROM watcher.takes GROUP BY lease, epoch HAVING count(*) > 1";

/** Notices of one id are one notice; a second one of the same date has another id, and is none that was wanted. */
const DOUBLED = (schema: string): string =>
  `SELECT notices.id, notices.body, first.body AS first,
     pg_xact_commit_timestamp(notices.xmin) AS at, pg_xact_commit_timestamp(first.xmin) AS first_at,
     (SELECT session FROM watcher.commits WHERE commits.xmin = notices.xmin) AS by,
     (SELECT session FROM watcher.commits WHERE commits.xmin = first.xmin) AS first_by
   FROM ${schema}.notices
     JOIN ${schema}.notices AS first ON first.id = regexp_replace(notices.id, '-[0-9]+$', '')
   WHERE notices.id ~ '-[0-9]+$'`;

export async function watchOver(server: Server, schema: string): Promise<Watcher> {
  await server.sql(`${TABLES}
    CREATE TRIGGER note_take AFTER INSERT OR UPDATE OF owner ON ${schema}.leases FOR EACH ROW
      WHEN (NEW.owner IS NOT NULL) EXECUTE FUNCTION watcher.note_take();
    CREATE TRIGGER note_leave AFTER UPDATE ON ${schema}.leases FOR EACH ROW
      WHEN (OLD.owner IS NOT NULL AND (OLD.owner IS DISTINCT FROM NEW.owner
        OR OLD.decides IS DISTINCT FROM NEW.decides)) EXECUTE FUNCTION watcher.note_leave();
    CREATE TRIGGER note_write AFTER INSERT OR UPDATE ON ${schema}.newest FOR EACH ROW
      EXECUTE FUNCTION watcher.note_write();
    CREATE TRIGGER note_closed AFTER INSERT OR UPDATE ON ${schema}.slot_rounds FOR EACH ROW
      EXECUTE FUNCTION watcher.note_closed();
    CREATE TRIGGER note_message AFTER INSERT OR UPDATE ON ${schema}.messages FOR EACH ROW
      EXECUTE FUNCTION watcher.note_message();
    CREATE TRIGGER note_commit AFTER INSERT OR UPDATE ON ${schema}.writers FOR EACH ROW
      EXECUTE FUNCTION watcher.note_commit()`);
  const rowsOf = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    (await server.sql(sql)).rows;
  return {
    async faults() {
      const found: string[] = [];
      for (const row of await rowsOf(COUNTED)) found.push(`gap or double: ${JSON.stringify(row)}`);
      for (const row of await rowsOf(STALE)) found.push(`stale commit: ${JSON.stringify(row)}`);
      for (const row of await rowsOf(LATE)) found.push(`late commit: ${JSON.stringify(row)}`);
      for (const row of await rowsOf(TWO_OWNERS)) found.push(`two owners: ${JSON.stringify(row)}`);
      for (const row of await rowsOf(DOUBLED(schema))) {
        found.push(`doubled notice: ${JSON.stringify(row)}`);
      }
      return found;
    },
    async commits() {
      const [row] = await rowsOf("SELECT count(*)::integer AS commits FROM watcher.commits");
      return Number(row?.commits);
    },
    async working() {
      const rows = await rowsOf(
        `SELECT DISTINCT members.name FROM ${schema}.members JOIN ${schema}.leases ON owner = members.id`,
      );
      return rows.map(({ name }) => String(name));
    },
    async takenAfter(at) {
      const [row] = await rowsOf(
        `SELECT (extract(epoch FROM min(at)) * 1000)::float8 AS at FROM watcher.takes
         WHERE at > to_timestamp(${at / 1_000})`,
      );
      return row?.at === null || row === undefined ? null : Number(row.at);
    },
    async lookedAt() {
      const [row] = await rowsOf(
        `SELECT coalesce(min(CASE WHEN members.id IS NULL THEN 0 ELSE date END), 0)::float8 AS date
         FROM (SELECT slot, max(date) AS date FROM ${schema}.slot_rounds GROUP BY slot) AS looked
         JOIN ${schema}.leases ON leases.name = 's' || lpad(slot::text, 3, '0')
         LEFT JOIN ${schema}.members ON members.id = owner AND NOT dead
         -- What was looked at no more soon after a rollout is elsewhere by now.
         WHERE date > (SELECT extract(epoch FROM max(begun_at)) * 1000 + 10000 FROM ${schema}.configs)`,
      );
      return Number(row?.date);
    },
    async picture() {
      const asked = [
        `SELECT number, hash, by, at, begun_at FROM ${schema}.configs ORDER BY number DESC LIMIT 15`,
        `SELECT id, name, config, until, dead, status FROM ${schema}.members
         WHERE NOT dead OR until > now() - interval '3 minutes' ORDER BY until`,
        `SELECT owner, decides, config, count(*), min(name), max(name) FROM ${schema}.leases
         GROUP BY owner, decides, config`,
        `SELECT notices.seq, notices.id, kind, rule, subject, notices.at, message, state, attempts
         FROM ${schema}.notices LEFT JOIN ${schema}.owed ON notice = notices.seq
           LEFT JOIN ${schema}.messages ON messages.seq = message
         ORDER BY notices.seq DESC LIMIT 20`,
        `SELECT pid, state, wait_event_type, wait_event, now() - xact_start AS since,
           left(query, 200) AS query FROM pg_stat_activity WHERE xact_start IS NOT NULL`,
      ];
      const found: string[] = [];
      for (const sql of asked) {
        found.push(...(await rowsOf(sql)).map((row) => JSON.stringify(row)), "");
      }
      return found.join("\n");
    },
    async now() {
      const [row] = await rowsOf(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
      );
      return Number(row?.now);
    },
  };
}
