import { setImmediate as breathe } from "node:timers/promises";
import type { Database } from "../sqlite/driver.ts";
import type { Rows, Source, Table, Target, Value } from "./tables.ts";

/** Rows that are read or written without a pause. */
const PAGE = 2_000;

/** Reads an open database of the newest format; one moment of it if nobody else writes, or in a transaction. */
export function sqliteSource(db: Database): Source {
  return {
    async *read({ name, columns }) {
      const order = name === "runs" ? "ORDER BY series, first" : "";
      const rows = db
        .prepare<[], Value[]>(`SELECT ${listed(columns)} FROM ${name} ${order}`)
        .raw()
        .iterate();
      let page: Value[][] = [];
      for (const row of rows) {
        page.push(row);
        if (page.length < PAGE) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
  };
}

/** Fills an empty database of the newest format in one transaction, which `finish` ends. */
export function sqliteTarget(db: Database): Target {
  db.exec("BEGIN");
  // Of each series: the first date of the run that came last.
  const previous = new Map<Value, Value>();

  /** The runs of a series are a chain: each has the first date of the one before. */
  function chained({ name }: Table, rows: Rows): Rows {
    if (name !== "runs" && name !== "newest") return rows;
    return rows.map((row) => {
      const [series = null, first = null] = row;
      const prev = previous.get(series) ?? null;
      if (name === "runs") previous.set(series, first);
      return [...row, prev];
    });
  }

  return {
    ...sqliteSource(db),
    async write(table, rows) {
      const columns = ["runs", "newest"].includes(table.name)
        ? [...table.columns, "prev"]
        : table.columns;
      const insert = db.prepare<Value[]>(
        `INSERT INTO ${table.name} (${listed(columns)}) VALUES (${columns.map(() => "?").join(", ")})`,
      );
      for (const row of chained(table, rows)) insert.run(...row);
      await breathe();
    },
    async finish() {
      db.exec("COMMIT");
    },
  };
}

function listed(columns: readonly string[]): string {
  return columns.map((name) => `"${name}"`).join(", ");
}
