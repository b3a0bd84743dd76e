import type { SeriesName, SubjectFacts } from "../../model/index.ts";
import { factsFrom } from "./recorded-facts.ts";
import { listOfNames } from "./recorded-rounds.ts";
import type { Recorded, RecordedAlert, RecordedSpan } from "./recorded-view.ts";
import { type Access, hasTable, query, type Sql, type Work } from "./work.ts";

/** What is read at once of what is recorded; `pages`: how the database is read a page at a time. */
export function recordedIn(
  access: Access,
  pages: Pick<Recorded, "runs" | "revisions" | "rounds">,
): Recorded {
  return {
    series: (keys) => access.read(query<SeriesName>(SERIES, [keys]), true),
    watched: (keys) => access.read(query<RecordedAlert>(WATCHED, [keys]), true),
    facts: (keys) => access.read(factsOf(keys), true),
    rules: () => access.read(rules()),
    spans: (series) => access.read(spansOf(series), true),
    span: () => access.read(span()),
    revisedSince: (series) => access.read(revisedSince(series), true),
    close: () => access.close(),
    ...pages,
  };
}

/** The text for each database; the key of a subject may be followed by a generation: `KEY@1`, `KEY~2`. */
function withKey(textOf: (key: string) => string): Sql {
  return {
    sqlite: textOf("substr(text, 1, min(instr(text || '@', '@'), instr(text || '~', '~')) - 1)"),
    postgres: textOf("split_part(split_part(text, '@', 1), '~', 1)"),
  };
}

const SERIES = withKey(
  (key) => `SELECT series.id, text AS subject, metric
    FROM series JOIN names ON names.id = series.subject WHERE ${key} = ANY($1) ORDER BY series.id`,
);

const FACTS = withKey(
  (key) => `SELECT text AS subject, at, facts FROM subject_facts JOIN names ON names.id = subject
    WHERE ${key} = ANY($1) ORDER BY at`,
);

const WATCHED = `SELECT rules.text AS rule, subjects.text AS subject, alerts.label
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE subjects.text = ANY($1)`;

function* factsOf(keys: readonly string[]): Work<SubjectFacts[]> {
  if (!(yield* hasTable("subject_facts"))) return [];
  const rows = yield* query<{ subject: string; at: number; facts: string }>(FACTS, [keys]);
  return rows.map(({ subject, at, facts }) => factsFrom(subject, at, facts));
}

function* rules(): Work<ReadonlySet<string>> {
  const rows = yield* query<{ readonly names: string }>("SELECT names FROM rule_sets");
  return new Set(rows.flatMap(({ names }) => listOfNames(names)));
}

function* spansOf(series: readonly number[]): Work<ReadonlyMap<number, RecordedSpan>> {
  const rows = yield* query<RecordedSpan & { readonly series: number; oldest: number | null }>(
    `SELECT series, first, last, (SELECT runs.first FROM runs WHERE runs.series = newest.series
       ORDER BY runs.first LIMIT 1) AS oldest
     FROM newest WHERE series = ANY($1)`,
    [series],
  );
  return new Map(
    rows.map(({ series: id, first, last, oldest }) => {
      return [id, { first: Math.min(first, oldest ?? first), last }];
    }),
  );
}

function* span(): Work<RecordedSpan | null> {
  const [row] = yield* query<{ first: number | null; last: number | null }>(
    "SELECT min(date) AS first, max(date) AS last FROM rounds",
  );
  const { first = null, last = null } = row ?? {};
  return first === null || last === null ? null : { first, last };
}

function* revisedSince(series: readonly number[]): Work<ReadonlyMap<number, number>> {
  if (!(yield* hasTable("revisions"))) return new Map();
  const rows = yield* query<{ readonly series: number; readonly at: number }>(
    "SELECT series, min(at) AS at FROM revisions WHERE series = ANY($1) GROUP BY series",
    [series],
  );
  return new Map(rows.map(({ series: id, at }) => [id, at]));
}
