import type { PostgresPlace } from "../../../base/postgres-url.ts";
import type { Run, SeriesName } from "../../../model/index.ts";
import { factsFrom } from "../../operator-db/recorded-facts.ts";
import {
  listOfNames,
  type RecordedRound,
  RoundReader,
  type RoundRow,
} from "../../operator-db/recorded-rounds.ts";
import type { Recorded, RecordedAlert, RecordedSpan } from "../../operator-db/recorded-view.ts";
import { openServerAccess, type ServerAccess } from "./access.ts";

/** What daemons recorded in a schema; null: it has no tables yet. Throws StoreError, and so does the work with it. */
export async function openServerRecorded(place: PostgresPlace): Promise<Recorded | null> {
  const access = await openServerAccess(place);
  return access === null ? null : recordedIn(access);
}

function recordedIn(access: ServerAccess): Recorded {
  return {
    series: (keys) =>
      access.read(
        (session) =>
          session.query<SeriesName>(
            `SELECT series.id, text AS subject, metric
             FROM series JOIN names ON names.id = series.subject
             WHERE ${KEY} = ANY($1::text[]) ORDER BY series.id`,
            [keys],
          ),
        true,
      ),
    watched: (keys) =>
      access.read(
        (session) =>
          session.query<RecordedAlert>(
            `SELECT rules.text AS rule, subjects.text AS subject, alerts.label
             FROM alerts JOIN names AS rules ON rules.id = alerts.rule
               JOIN names AS subjects ON subjects.id = alerts.subject
             WHERE subjects.text = ANY($1::text[])`,
            [keys],
          ),
        true,
      ),
    facts: (keys) =>
      access.read(async (session) => {
        const rows = await session.query<{ subject: string; at: number; facts: string }>(
          `SELECT text AS subject, at, facts FROM subject_facts JOIN names ON names.id = subject
           WHERE ${KEY} = ANY($1::text[]) ORDER BY at`,
          [keys],
        );
        return rows.map(({ subject, at, facts }) => factsFrom(subject, at, facts));
      }, true),
    rules: async () => {
      const rows = await access.query<{ names: string }>("SELECT names FROM rule_sets");
      return new Set(rows.flatMap(({ names }) => listOfNames(names)));
    },
    spans: (series) =>
      access.read(async (session) => {
        const rows = await session.query<RecordedSpan & { readonly series: number }>(SPANS, [
          series,
        ]);
        return new Map(rows.map(({ series: id, ...span }) => [id, span]));
      }, true),
    span: async () => {
      const [row] = await access.query<{ first: number | null; last: number | null }>(
        "SELECT min(date) AS first, max(date) AS last FROM rounds",
      );
      const { first = null, last = null } = row ?? {};
      return first === null || last === null ? null : { first, last };
    },
    runs: (series, from, to) => access.pages<Run>(RUNS, [series, from, to]),
    revisedSince: (series) =>
      access.read(async (session) => {
        const rows = await session.query<{ series: number; at: number }>(
          `SELECT series, min(at) AS at FROM revisions
           WHERE series = ANY($1::integer[]) GROUP BY series`,
          [series],
        );
        return new Map(rows.map(({ series: id, at }) => [id, at]));
      }, true),
    revisions: (series, from, to) => access.pages<Run>(REVISIONS, [series, from, to]),
    rounds: (from, to) => roundPages(access, from, to),
    close: () => access.close(),
  };
}

/** The key of a subject that may have a generation: `KEY@1`, `KEY~2`. */
const KEY = "split_part(split_part(text, '@', 1), '~', 1)";

const SPANS = `SELECT newest.series, least(newest.first, coalesce(oldest.first, newest.first)) AS first,
    newest.last
  FROM newest LEFT JOIN LATERAL (
    SELECT first FROM runs WHERE runs.series = newest.series ORDER BY first LIMIT 1) AS oldest ON true
  WHERE newest.series = ANY($1::integer[])`;

/** In the order of their dates those of before `from`, one of each series, come first by themselves. */
const RUNS = `SELECT series, first, last, value FROM newest
    WHERE series = ANY($1::integer[]) AND first <= $3::bigint
  UNION ALL
  SELECT series, first, last, value FROM runs
    WHERE series = ANY($1::integer[]) AND first BETWEEN $2::bigint AND $3::bigint
  UNION ALL
  SELECT older.series, older.first, older.last, older.value
  FROM newest CROSS JOIN LATERAL (
    SELECT series, first, last, value FROM runs
    WHERE runs.series = newest.series AND runs.first < $2::bigint ORDER BY first DESC LIMIT 1) AS older
  WHERE newest.series = ANY($1::integer[]) AND newest.first >= $2::bigint
  ORDER BY first, series`;

const REVISIONS = `SELECT series, first, first AS last, value, at AS seen FROM revisions
  WHERE at BETWEEN $2::bigint AND $3::bigint AND series = ANY($1::integer[])
  ORDER BY at, series, first`;

async function* roundPages(
  access: ServerAccess,
  from: number,
  to: number,
): AsyncGenerator<readonly RecordedRound[]> {
  const reader = new RoundReader();
  const pages = access.pages<RoundRow>(
    `SELECT date, rule_set AS "set", failed, failures, unread, reads FROM rounds
     WHERE date BETWEEN $1::bigint AND $2::bigint ORDER BY date`,
    [from, to],
  );
  for await (const rows of pages) {
    const { sets, reads } = reader.missing(rows);
    if (sets.length > 0 || reads.length > 0) {
      await access.read(async (session) => {
        const lists = await session.query<{ hash: string; names: string }>(
          "SELECT hash, names FROM rule_sets WHERE hash = ANY($1::text[])",
          [sets],
        );
        for (const { hash, names } of lists) reader.knowSet(hash, names);
        const told = await session.query<{ id: number; reads: string }>(
          "SELECT id, reads FROM round_reads WHERE id = ANY($1::integer[])",
          [reads],
        );
        for (const one of told) reader.knowReads(one.id, one.reads);
      });
    }
    yield rows.map((row) => reader.round(row));
  }
}
