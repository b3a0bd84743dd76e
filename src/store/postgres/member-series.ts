import type { Run, SeriesName } from "../../model/index.ts";
import type { Names } from "./names.ts";
import type { Session } from "./session.ts";

/** Columns of the server hold less. */
const OWN = 2 ** 31;

/**
 * The numbers of series where several daemons make them: memory has numbers of its own for new ones, and the server
 * gives the number under which they are kept.
 */
export function memberSeries() {
  const ids = new Map<number, number>();
  let fresh: number[] = [];
  let loads = 0;
  const idOf = (id: number): number => {
    if (id < OWN) return id;
    const known = ids.get(id);
    if (known === undefined) throw new Error(`series ${id} has no number yet`);
    return known;
  };
  return {
    /** A number from which on memory may number new series; another one each time. */
    next() {
      loads += 1;
      return loads * OWN;
    },
    /** Inside a transaction: sees to it that these have a number of the server's. */
    async put(session: Session, names: Names, series: readonly SeriesName[]) {
      const missing = series.filter(({ id }) => id >= OWN && !ids.has(id));
      if (missing.length === 0) return;
      const keys = [missing.map((one) => names.idOf(one.subject)), missing.map((s) => s.metric)];
      await session.run(
        `INSERT INTO series (id, subject, metric)
         SELECT nextval('series_ids'), given.subject, given.metric
         FROM unnest($1::integer[], $2::text[]) AS given (subject, metric)
         ORDER BY 2, 3 ON CONFLICT (subject, metric) DO NOTHING`,
        keys,
      );
      const rows = await session.query<{ id: number; subject: number; metric: string }>(
        `SELECT series.id, series.subject, series.metric FROM series
         JOIN unnest($1::integer[], $2::text[]) AS given (subject, metric)
           ON given.subject = series.subject AND given.metric = series.metric`,
        keys,
      );
      const found = new Map(rows.map(({ id, subject, metric }) => [`${subject} ${metric}`, id]));
      for (const { id, subject, metric } of missing) {
        const known = found.get(`${names.idOf(subject)} ${metric}`);
        if (known === undefined) throw new Error(`a series of ${subject} was not written`);
        ids.set(id, known);
        fresh.push(id);
      }
    },
    /** The server's number; one that was loaded is its own. */
    idOf,
    /** Runs by the server's numbers. */
    runsOf: (runs: readonly Run[]) =>
      runs.some(({ series }) => series >= OWN)
        ? runs.map((run) => ({ ...run, series: idOf(run.series) }))
        : runs,
    /** The transaction was committed, or not (false): then what it put is forgotten. */
    end(isDone: boolean) {
      for (const id of isDone ? [] : fresh) ids.delete(id);
      fresh = [];
    },
  };
}

/** So that what one daemon alone has numbered is nobody's new number. In a transaction of its own. */
export async function countOn(session: Session): Promise<void> {
  await session.query("SELECT pg_advisory_xact_lock(hashtextextended('tickwatch counts', 0))");
  await session.query(
    `SELECT setval('series_ids', highest) FROM (SELECT max(id) AS highest FROM series) AS all_series
     WHERE highest > (SELECT last_value FROM series_ids)`,
  );
  await session.query(
    `SELECT setval('written_rows', highest) FROM (SELECT greatest(
         (SELECT max(written) FROM rules), (SELECT max(written) FROM closed_rounds),
         (SELECT max(written) FROM slot_rounds)) AS highest) AS all_rows
     WHERE highest > (SELECT last_value FROM written_rows)`,
  );
}
