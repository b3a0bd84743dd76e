import type { PostgresPlace } from "../../../base/postgres-url.ts";
import type { Run } from "../../../model/index.ts";
import {
  type RecordedRound,
  RoundReader,
  type RoundRow,
} from "../../operator-db/recorded-rounds.ts";
import { recordedIn } from "../../operator-db/recorded-tables.ts";
import type { Recorded } from "../../operator-db/recorded-view.ts";
import { openServerAccess, type ServerAccess } from "./access.ts";

/** What daemons recorded in a schema; null: it has no tables yet. Throws StoreError, and so does the work with it. */
export async function openServerRecorded(place: PostgresPlace): Promise<Recorded | null> {
  const access = await openServerAccess(place);
  if (access === null) return null;
  return recordedIn(access, {
    runs: (series, from, to) => access.pages<Run>(RUNS, [series, from, to]),
    revisions: (series, from, to) => access.pages<Run>(REVISIONS, [series, from, to]),
    rounds: (from, to) => roundPages(access, from, to),
  });
}

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
    if (!reader.knows(rows)) await access.read(reader.know(rows));
    yield rows.map((row) => reader.round(row));
  }
}
