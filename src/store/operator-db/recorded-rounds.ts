import { isMap } from "../../base/json.ts";
import type { Failure } from "../../model/index.ts";
import { NOTHING_TOLD, type RoundTold, toldFrom, unreadFrom } from "./recorded-reads.ts";
import { done, hasTable, type SqliteAccess } from "./sqlite-access.ts";
import { query, type Work } from "./work.ts";

/** One round as it was written down. */
export interface RecordedRound {
  readonly date: number;
  /** The rules that were due, by name; one list for all rounds that have the same. */
  readonly rules: readonly string[];
  /** How many asks failed, of which `failures` names the first 50 by their keys. */
  readonly failed: number;
  readonly failures: Readonly<Record<string, Failure>>;
  /** What else it read, and too little of; one object for all rounds that read the same. */
  readonly told: RoundTold;
}

/** Rows of one page: few enough that they are young when they are done with, so that memory stays flat. */
export const PAGE = 500;

/** A round as both databases have it. */
export interface RoundRow {
  readonly date: number;
  /** The hash of the list of its rules. */
  readonly set: string;
  readonly failed: number;
  readonly failures: string;
  readonly unread: string;
  /** The number of what it read. */
  readonly reads: number | null;
}

const NO_FAILURES: RecordedRound["failures"] = {};

/** So many of what rounds read are kept at a time: mostly it is the same few. */
const MOST_TOLD = 500;

/** Makes rounds of rows. What many of them share is parsed once. */
export class RoundReader {
  readonly #sets = new Map<string, readonly string[]>();
  readonly #told = new Map<number, RoundTold>();

  /** All that these rows refer to. */
  knows(rows: readonly RoundRow[]): boolean {
    return rows.every(
      ({ set, reads }) => this.#sets.has(set) && (reads === null || this.#told.has(reads)),
    );
  }

  /** Reads what these rows refer to and is not known yet. */
  *know(rows: readonly RoundRow[]): Work<void> {
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    const sets = new Set(rows.map(({ set }) => set).filter((set) => !this.#sets.has(set)));
    const reads = new Set(
      rows.flatMap(({ reads: id }) => id ?? []).filter((id) => !this.#told.has(id)),
    );
    if (sets.size > 0) {
      const sql = "SELECT hash, names FROM rule_sets WHERE hash = ANY($1)";
      const lists = yield* query<{ readonly hash: string; readonly names: string }>(sql, [
        [...sets],
      ]);
      for (const { hash, names } of lists) this.#sets.set(hash, listOfNames(names));
    }
    if (reads.size > 0) {
      const sql = "SELECT id, reads FROM round_reads WHERE id = ANY($1)";
      const texts = yield* query<{ readonly id: number; readonly reads: string }>(sql, [
        [...reads],
      ]);
      for (const one of texts) this.#told.set(one.id, toldFrom(one.reads));
    }
  }

  round({ date, set, failed, failures, unread, reads }: RoundRow): RecordedRound {
    const told = reads === null ? null : (this.#told.get(reads) ?? NOTHING_TOLD);
    return {
      date,
      rules: this.#sets.get(set) ?? [],
      failed,
      failures: failed === 0 ? NO_FAILURES : failuresOf(failures),
      told: told ?? (unread === "[]" ? NOTHING_TOLD : unreadFrom(unread)),
    };
  }
}

/** The rounds of [from, to] in their order, a page at a time. */
export function* roundPages(
  access: SqliteAccess,
  from: number,
  to: number,
): Generator<readonly RecordedRound[]> {
  const reader = new RoundReader();
  let after = from - 1;
  const select = access.look((db) =>
    db.prepare<[number, number], RoundRow>(
      `SELECT date, rule_set AS "set", failed, failures,
         ${hasTable(db, "revisions") ? "unread" : "'[]' AS unread"}, ${hasTable(db, "round_reads") ? "reads" : "NULL AS reads"}
       FROM rounds WHERE date > ? AND date <= ? ORDER BY date LIMIT ${PAGE}`,
    ),
  );
  for (;;) {
    const rounds = access.look((db) => {
      const rows = select.all(after, to);
      done(db, reader.know(rows));
      return rows.map((row) => reader.round(row));
    });
    const end = rounds.at(-1);
    if (end === undefined) return;
    yield rounds;
    if (rounds.length < PAGE) return;
    after = end.date;
  }
}

function failuresOf(text: string): RecordedRound["failures"] {
  const found: unknown = JSON.parse(text);
  const failures: Record<string, Failure> = {};
  for (const [key, failure] of Object.entries(isMap(found) ? found : {})) {
    if (isFailure(failure)) failures[key] = failure;
  }
  return failures;
}

/** As far as a round writes it down: whatever reason it names is one. */
function isFailure(value: unknown): value is Failure {
  return isMap(value) && typeof value.reason === "string" && typeof value.detail === "string";
}

/** The names of a set of rules, as it is stored. */
export function listOfNames(text: string): readonly string[] {
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
