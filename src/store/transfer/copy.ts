import { createHash } from "node:crypto";
import { StoreError } from "../store.ts";
import { type Rows, type Source, TABLES, type Table, type Target, type Value } from "./tables.ts";

/** What was copied. */
export interface Moved {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Copies all rows of all tables into an empty database, reads that again, and compares the number of rows and a
 * digest of each table. Throws StoreError `corrupt` where they differ.
 */
export async function copyAll(source: Source, target: Target): Promise<Moved> {
  const sums = new Map<string, Sum>();
  const names = new NameNumbers();
  for (const table of TABLES) {
    const sum = new Sum();
    for await (const rows of source.read(table)) {
      sum.add(table, rows, names.textOf);
      await target.write(table, names.renumbered(table, rows));
    }
    sums.set(table.name, sum);
  }
  await target.finish();
  const texts = new Map<number, string>();
  let rows = 0;
  for (const table of TABLES) {
    const sum = new Sum();
    for await (const page of target.read(table)) {
      if (table.name === "names") {
        for (const [id, text] of page) texts.set(Number(id), String(text));
      }
      sum.add(table, page, (id) => texts.get(id) ?? "");
    }
    const wanted = sums.get(table.name);
    if (wanted === undefined || !sum.equals(wanted)) {
      throw new StoreError(
        "corrupt",
        `the copy of ${table.name} is not what was read (${sum.rows} of ${wanted?.rows ?? 0} rows): nothing was kept`,
      );
    }
    rows += sum.rows;
  }
  return { tables: TABLES.length, rows };
}

/** Names are numbered anew, from 0 and without gaps, as SQLite needs it. */
class NameNumbers {
  readonly #texts = new Map<number, string>();
  readonly #numbers = new Map<number, number>();

  readonly textOf = (id: number): string => this.#texts.get(id) ?? "";

  renumbered(table: Table, rows: Rows): Rows {
    if (table.name === "names") {
      return rows.map(([id, text]) => {
        const number = this.#numbers.size;
        this.#numbers.set(Number(id), number);
        this.#texts.set(Number(id), String(text));
        return [number, text ?? null];
      });
    }
    if (table.names.length === 0) return rows;
    const places = table.names.map((name) => table.columns.indexOf(name));
    return rows.map((row) => {
      const copy = [...row];
      for (const place of places) copy[place] = this.#numbers.get(Number(row[place])) ?? null;
      return copy;
    });
  }
}

/** The number of rows and a digest in which their order does not matter. */
class Sum {
  rows = 0;
  #sum = 0n;

  add(table: Table, rows: Rows, textOf: (id: number) => string): void {
    const places = new Set(table.names.map((name) => table.columns.indexOf(name)));
    // The numbers of names differ: their texts are compared, here and wherever they stand.
    if (table.name === "names") places.add(0);
    for (const row of rows) {
      const values = row.map((value, at) => {
        if (table.name === "names" && at === 0) return null;
        return places.has(at) ? textOf(Number(value)) : plain(value);
      });
      const hash = createHash("sha256").update(JSON.stringify(values)).digest("hex");
      this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash}`));
    }
    this.rows += rows.length;
  }

  equals(other: Sum): boolean {
    return this.rows === other.rows && this.#sum === other.#sum;
  }
}

function plain(value: Value): string | number | null {
  return Buffer.isBuffer(value) ? value.toString("hex") : value;
}
