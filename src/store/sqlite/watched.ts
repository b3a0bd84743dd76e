import type {
  ClosedRound,
  RoundRecord,
  RuleChange,
  RuleState,
  Run,
  SeriesName,
  SubjectFacts,
} from "../../model/index.ts";
import { hashOf, readsText } from "../rows.ts";
import type { Database } from "./driver.ts";

/** Rules, their versions and their rounds. Writing goes inside a transaction. */
export function ruleTables(db: Database, names: Names) {
  const put = db.prepare("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?, ?)");
  const remove = db.prepare<[number]>("DELETE FROM rules WHERE name = ?");
  const all = db.prepare<[], RuleState>(
    "SELECT name, version, started_at AS startedAt, last_round AS lastRound FROM rule_states",
  );
  const putVersion = db.prepare(
    "INSERT INTO rule_versions (version, source) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const note = db.prepare<[number, number, string | null]>(
    "INSERT INTO rule_changes (rule, at, version) VALUES (?, ?, ?)",
  );
  const hasSet = db.prepare<[string]>("SELECT 1 FROM rule_sets WHERE hash = ?");
  const putSet = db.prepare("INSERT INTO rule_sets (hash, names) VALUES (?, ?)");
  const close = db.prepare("INSERT OR REPLACE INTO closed_rounds VALUES (?, ?, ?)");
  const putRound = db.prepare(
    `INSERT OR REPLACE INTO rounds (date, rule_set, requests, subjects, failed, failures, took_ms, reads)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const readsOf = db.prepare<[string], number>("SELECT id FROM round_reads WHERE hash = ?").pluck();
  const putReads = db.prepare<[string, string]>(
    "INSERT INTO round_reads (hash, reads) VALUES (?, ?)",
  );
  const hashes = new WeakMap<readonly string[], string>();
  let written = Number(
    db
      .prepare(
        `SELECT max(coalesce((SELECT max(written) FROM rules), 0),
           coalesce((SELECT max(written) FROM closed_rounds), 0))`,
      )
      .pluck()
      .get(),
  );

  /** The hash of a list that is kept from now on. */
  function setOf(rules: readonly string[]): string {
    const hash = hashes.get(rules) ?? hashOf(JSON.stringify(rules));
    hashes.set(rules, hash);
    if (hasSet.get(hash) === undefined) putSet.run(hash, JSON.stringify(rules));
    return hash;
  }

  /** What a round read is mostly what the one before it did: the same is kept once. */
  function idOfReads(round: Pick<RoundRecord, "unread" | "reads">): number | bigint {
    const text = readsText(round);
    const hash = hashOf(text);
    return readsOf.get(hash) ?? putReads.run(hash, text).lastInsertRowid;
  }

  return {
    put: ({ name, version, startedAt, lastRound }: RuleState) => {
      written += 1;
      put.run(names.idOf(name), version, startedAt, lastRound, written);
    },
    /** The last round of these rules, as far as they are there. */
    close: ({ date, rules }: ClosedRound) => {
      written += 1;
      close.run(setOf(rules), date, written);
    },
    remove: (name: string) => void remove.run(names.idOf(name)),
    note: ({ rule, at, version }: RuleChange) => void note.run(names.idOf(rule), at, version),
    putVersion: ({ version, source }: { readonly version: string; readonly source: string }) =>
      void putVersion.run(version, source),
    /** A round of the same date is replaced. */
    putRound({ date, rules, requests, subjects, failed, failures, tookMs, ...rest }: RoundRecord) {
      const set = setOf(rules);
      const reads = idOfReads(rest);
      const counts = [requests, subjects, failed] as const;
      putRound.run(date, set, ...counts, JSON.stringify(failures), tookMs, reads);
    },
    all: () => all.all(),
  };
}

/** What buckets said from which round on. */
export function revisionTable(db: Database) {
  const put = db.prepare<[number, number, number, string | null]>(
    "INSERT OR REPLACE INTO revisions (at, series, first, value) VALUES (?, ?, ?, ?)",
  );
  return {
    /** Inside a transaction: those of the runs that are news of a bucket. */
    put(runs: readonly Run[]) {
      for (const { seen, series, first, value } of runs) {
        if (seen !== undefined) put.run(seen, series, first, value);
      }
    },
  };
}

/**
 * The names of rules and keys of subjects, as numbers. They are all kept in memory, where each
 * text is one string for everything that is loaded with it; that no text has two numbers is seen
 * to here, which holds because only one process writes.
 */
export function namesTable(db: Database) {
  const insert = db.prepare<[number, string]>("INSERT INTO names (id, text) VALUES (?, ?)");
  const ids = new Map<string, number>();
  /** By id; ids count from 0 without gaps. */
  const texts: string[] = [];
  let committed = 0;

  for (const text of db.prepare<[], string>("SELECT text FROM names ORDER BY id").pluck().all()) {
    ids.set(text, texts.push(text) - 1);
  }

  return {
    /** The number of a text, if it has one. */
    find: (text: string) => ids.get(text),
    /** Gives a number to a new text; inside a transaction only. */
    idOf(text: string) {
      const known = ids.get(text);
      if (known !== undefined) return known;
      const id = texts.length;
      insert.run(id, text);
      texts.push(text);
      ids.set(text, id);
      return id;
    },
    textOf(id: number) {
      const text = texts[id];
      if (text === undefined) throw new Error(`name ${id} is not known`);
      return text;
    },
    /** A transaction begins. */
    begin() {
      committed = texts.length;
    },
    /** It was not committed: takes back the numbers that it gave. */
    undo() {
      for (const text of texts.splice(committed)) ids.delete(text);
    },
  };
}

export type Names = ReturnType<typeof namesTable>;

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

export function seriesTable(db: Database, names: Names) {
  const put = db.prepare<[number, number, string]>(
    `INSERT INTO series (id, subject, metric) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET metric = excluded.metric
     WHERE subject = excluded.subject AND metric = excluded.metric`,
  );
  const all = db
    .prepare<[], [number, number, string]>("SELECT id, subject, metric FROM series")
    .raw();
  return {
    /** Inside a transaction; throws for a number or a name that is taken by another series. */
    put({ id, subject, metric }: SeriesName) {
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
export function subjectTexts(db: Database, names: Names, table: "cursors" | "marks") {
  const put = db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`);
  const find = db.prepare<[number], string>(`SELECT value FROM ${table} WHERE subject = ?`).pluck();
  const all = db.prepare<[], [number, string]>(`SELECT subject, value FROM ${table}`).raw();
  return {
    /** Inside a transaction only; replaces what was there. */
    put: ({ subject, value }: { readonly subject: string; readonly value: string }) =>
      void put.run(names.idOf(subject), value),
    /** Of one subject; null: none. */
    find(subject: string): string | null {
      const id = names.find(subject);
      return id === undefined ? null : (find.get(id) ?? null);
    },
    /** By subject. */
    all: () => new Map(all.all().map(([subject, value]) => [names.textOf(subject), value])),
  };
}
