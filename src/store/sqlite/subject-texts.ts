import type { Database } from "./driver.ts";
import type { Names } from "./names.ts";

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
