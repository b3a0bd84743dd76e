import type { SeriesName, SubjectFacts } from "../../model/index.ts";
import type { Database } from "./driver.ts";

/**
 * The names of rules and keys of subjects, as numbers. They are all kept in memory, where each
 * text is one string for everything that is loaded with it; that no text has two numbers is seen
 * to here, which holds because only one process writes.
 */
export interface Names {
  /** Gives a number to a new text; inside a transaction only. */
  idOf(text: string): number;
  textOf(id: number): string;
  /** A transaction begins. */
  begin(): void;
  /** It was not committed: takes back the numbers that it gave. */
  undo(): void;
}

export function namesTable(db: Database): Names {
  const insert = db.prepare<[number, string]>("INSERT INTO names (id, text) VALUES (?, ?)");
  const ids = new Map<string, number>();
  /** By id; ids count from 0 without gaps. */
  const texts: string[] = [];
  let committed = 0;

  for (const text of db.prepare<[], string>("SELECT text FROM names ORDER BY id").pluck().all()) {
    ids.set(text, texts.push(text) - 1);
  }

  return {
    idOf(text) {
      const known = ids.get(text);
      if (known !== undefined) return known;
      const id = texts.length;
      insert.run(id, text);
      texts.push(text);
      ids.set(text, id);
      return id;
    },
    textOf(id) {
      const text = texts[id];
      if (text === undefined) throw new Error(`name ${id} is not known`);
      return text;
    },
    begin() {
      committed = texts.length;
    },
    undo() {
      for (const text of texts.splice(committed)) ids.delete(text);
    },
  };
}

/**
 * Puts what the samples of a subject do not say, where that is another than before; a range always, since where the
 * price was is so at that date only. Inside a transaction.
 */
export function factsTable(db: Database, names: Names): { put(facts: SubjectFacts): void } {
  const put = db.prepare<[number, number, string, number, number, string]>(
    `INSERT OR REPLACE INTO subject_facts (subject, at, facts) SELECT ?, ?, ?
     WHERE ? OR ifnull((SELECT facts FROM subject_facts WHERE subject = ? ORDER BY at DESC LIMIT 1), '') <> ?`,
  );
  return {
    put: ({ subject, at, ...facts }) => {
      const [id, text] = [names.idOf(subject), JSON.stringify(facts)];
      const hasRange = (facts.range ?? null) !== null;
      put.run(id, at, text, hasRange ? 1 : 0, id, text);
    },
  };
}

export interface SeriesTable {
  /** Inside a transaction; throws for a number or a name that is taken by another series. */
  put(name: SeriesName): void;
  all(): SeriesName[];
}

export function seriesTable(db: Database, names: Names): SeriesTable {
  const put = db.prepare<[number, number, string]>(
    `INSERT INTO series (id, subject, metric) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET metric = excluded.metric
     WHERE subject = excluded.subject AND metric = excluded.metric`,
  );
  const all = db
    .prepare<[], [number, number, string]>("SELECT id, subject, metric FROM series")
    .raw();
  return {
    put({ id, subject, metric }) {
      if (put.run(id, names.idOf(subject), metric).changes === 0) {
        throw new Error(`series ${id} has another name already`);
      }
    },
    all: () =>
      Array.from(all.iterate(), ([id, subject, metric]) => ({
        id,
        subject: names.textOf(subject),
        metric,
      })),
  };
}

/** One text for each subject, such as where a list that is followed was left. */
export interface SubjectTexts {
  /** Inside a transaction only; replaces what was there. */
  put(of: { readonly subject: string; readonly value: string }): void;
  /** Of one subject; null: none. */
  find(subject: string): string | null;
  /** By subject. */
  all(): Map<string, string>;
}

export function subjectTexts(db: Database, names: Names, table: "cursors" | "marks"): SubjectTexts {
  const put = db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`);
  const find = db
    .prepare<[string], string>(
      `SELECT value FROM ${table} JOIN names ON names.id = subject WHERE names.text = ?`,
    )
    .pluck();
  const all = db.prepare<[], [number, string]>(`SELECT subject, value FROM ${table}`).raw();
  return {
    put: ({ subject, value }) => void put.run(names.idOf(subject), value),
    find: (subject) => find.get(subject) ?? null,
    all: () => new Map(all.all().map(([subject, value]) => [names.textOf(subject), value])),
  };
}
