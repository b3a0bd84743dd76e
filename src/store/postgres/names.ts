import type { Change, SeriesName, SubjectFacts } from "../../model/index.ts";
import { insert, lastOfEach, replacing } from "./rows.ts";
import type { Session } from "./session.ts";

/**
 * The names of rules and keys of subjects, as numbers that the server gives. They are all kept in memory, where
 * each text is one string for everything that is loaded with it.
 */
export function namesTable() {
  const ids = new Map<string, number>();
  const texts = new Map<number, string>();
  let fresh: [text: string, id: number][] = [];
  const know = ({ id, text }: { readonly id: number; readonly text: string }): void => {
    ids.set(text, id);
    texts.set(id, text);
  };
  return {
    /** One that was read. */
    know,
    /** Inside a transaction: sees to it that all of these have a number. */
    async put(session: Session, wanted: Iterable<string>) {
      // In one order: two who name the same wait for each other, and not in a circle.
      const missing = [...new Set(wanted)].filter((text) => !ids.has(text)).toSorted();
      if (missing.length === 0) return;
      await session.run(
        "INSERT INTO names (text) SELECT unnest($1::text[]) ON CONFLICT (text) DO NOTHING",
        [missing],
      );
      const found = await session.query<{ id: number; text: string }>(
        "SELECT id, text FROM names WHERE text = ANY($1::text[])",
        [missing],
      );
      found.forEach(know);
      fresh.push(...found.map(({ id, text }): [string, number] => [text, id]));
    },
    /** Of a text that was put. */
    idOf(text: string) {
      const id = ids.get(text);
      if (id === undefined) throw new Error(`the name ${text} has no number`);
      return id;
    },
    textOf(id: number) {
      const text = texts.get(id);
      if (text === undefined) throw new Error(`name ${id} is not known`);
      return text;
    },
    async load(session: Session) {
      for (const one of await session.query<{ id: number; text: string }>(
        "SELECT id, text FROM names",
      )) {
        know(one);
      }
    },
    /** The transaction was committed, or not (false): then what it put is forgotten. */
    end(isDone: boolean) {
      for (const [text, id] of isDone ? [] : fresh) {
        ids.delete(text);
        texts.delete(id);
      }
      fresh = [];
    },
  };
}

export type Names = ReturnType<typeof namesTable>;

/** Every name that a change speaks of. */
export function* namesIn(change: Change): Generator<string> {
  for (const { subject } of change.series) yield subject;
  for (const { subject } of change.facts) yield subject;
  for (const { subject } of change.cursors) yield subject;
  for (const { subject } of change.marks) yield subject;
  for (const { rule, subject } of change.alerts) yield* [rule, subject];
  for (const { rule, subject } of change.removedAlerts) yield* [rule, subject];
  for (const { alert } of change.alertChanges) yield* [alert.rule, alert.subject];
  for (const { name } of change.rules) yield name;
  for (const { rule } of change.ruleChanges) yield rule;
  yield* change.removedRules;
}

const SERIES = { id: "integer", subject: "integer", metric: "text" };

/** Inside a transaction; throws for a number or a name that is taken by another series. */
export async function putSeries(
  session: Session,
  names: Names,
  series: readonly SeriesName[],
): Promise<void> {
  const all = lastOfEach(series, ({ id, subject, metric }) =>
    JSON.stringify([id, subject, metric]),
  );
  const rows = all.map(({ id, subject, metric }) => [id, names.idOf(subject), metric] as const);
  const put = await insert(
    session,
    {
      table: "series",
      columns: SERIES,
      conflict: `(id) DO UPDATE SET metric = excluded.metric
        WHERE series.subject = excluded.subject AND series.metric = excluded.metric`,
    },
    rows,
  );
  if (put !== rows.length) throw new Error("a series has another name already");
}

export async function allSeries(session: Session, names: Names): Promise<SeriesName[]> {
  const rows = await session.query<{ id: number; subject: number; metric: string }>(
    "SELECT id, subject, metric FROM series",
  );
  return rows.map(({ id, subject, metric }) => ({ id, subject: names.textOf(subject), metric }));
}

/**
 * Puts what the samples of subjects do not say, where that is another than before; a range always, since where the
 * price was is so at that date only. Inside a transaction.
 */
export async function putFacts(
  session: Session,
  names: Names,
  all: readonly SubjectFacts[],
): Promise<void> {
  if (all.length === 0) return;
  const last = new Map<string, string>();
  const rows: [number, number, string, boolean][] = [];
  for (const { subject, at, ...facts } of all) {
    const text = JSON.stringify(facts);
    const hasRange = (facts.range ?? null) !== null;
    if (hasRange || last.get(subject) !== text)
      rows.push([names.idOf(subject), at, text, hasRange]);
    last.set(subject, text);
  }
  const given = lastOfEach(rows, ([subject, at]) => `${subject} ${at}`);
  await session.run(
    `INSERT INTO subject_facts (subject, at, facts)
     SELECT given.subject, given.at, given.facts
     FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::boolean[])
       AS given (subject, at, facts, ranged)
       LEFT JOIN LATERAL (
         SELECT facts FROM subject_facts AS one WHERE one.subject = given.subject
         ORDER BY one.at DESC LIMIT 1) AS latest ON true
     WHERE given.ranged OR coalesce(latest.facts, '') <> given.facts
     ON CONFLICT (subject, at) DO UPDATE SET facts = excluded.facts`,
    [
      given.map(([id]) => id),
      given.map(([, at]) => at),
      given.map(([, , text]) => text),
      given.map(([, , , hasRange]) => hasRange),
    ],
  );
}

const TEXTS = { subject: "integer", value: "text" };

/** One text for each subject; inside a transaction, and replaces what was there. */
export async function putTexts(
  session: Session,
  names: Names,
  table: "cursors" | "marks",
  all: readonly { readonly subject: string; readonly value: string }[],
): Promise<void> {
  await insert(
    session,
    { table, columns: TEXTS, conflict: replacing(["subject"], TEXTS) },
    lastOfEach(all, ({ subject }) => subject).map(({ subject, value }) => [
      names.idOf(subject),
      value,
    ]),
  );
}

export async function allTexts(
  session: Session,
  names: Names,
  table: "cursors" | "marks",
): Promise<Map<string, string>> {
  const rows = await session.query<{ subject: number; value: string }>(
    `SELECT subject, value FROM ${table}`,
  );
  return new Map(rows.map(({ subject, value }) => [names.textOf(subject), value]));
}

/** The mark of one name; null: it was never made. */
export async function markOf(session: Session, mark: string): Promise<string | null> {
  return await session.value<string>(
    "SELECT value FROM marks JOIN names ON names.id = subject WHERE names.text = $1",
    [mark],
  );
}
