import type { Cursor } from "../../model.ts";
import type { Database } from "./driver.ts";
import type { Names } from "./names.ts";

/** Where the lists that are followed were left. Writing goes inside a transaction. */
export interface CursorTable {
  put(cursor: Cursor): void;
  /** By subject. */
  all(): Map<string, string>;
}

export function cursorTable(db: Database, names: Names): CursorTable {
  const put = db.prepare("INSERT OR REPLACE INTO cursors VALUES (?, ?)");
  const all = db.prepare<[], [number, string]>("SELECT subject, value FROM cursors").raw();
  return {
    put: ({ subject, value }) => void put.run(names.idOf(subject), value),
    all: () => new Map(all.all().map(([subject, value]) => [names.textOf(subject), value])),
  };
}
