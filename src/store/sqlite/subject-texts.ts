import type { Database } from "./driver.ts";
import type { Names } from "./names.ts";

/** One text for each subject, such as where a list that is followed was left. */
export interface SubjectTexts {
  /** Inside a transaction only; replaces what was there. */
  put(of: { readonly subject: string; readonly value: string }): void;
  /** By subject. */
  all(): Map<string, string>;
}

export function subjectTexts(db: Database, names: Names, table: "cursors" | "marks"): SubjectTexts {
  const put = db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`);
  const all = db.prepare<[], [number, string]>(`SELECT subject, value FROM ${table}`).raw();
  return {
    put: ({ subject, value }) => void put.run(names.idOf(subject), value),
    all: () => new Map(all.all().map(([subject, value]) => [names.textOf(subject), value])),
  };
}
