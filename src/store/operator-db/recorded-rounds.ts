import { isMap } from "../../base/json.ts";
import type { Failure } from "../../model/index.ts";
import type { Database } from "../sqlite/driver.ts";
import type { Access } from "./access.ts";
import { NOTHING_TOLD, type RoundTold, toldFrom, unreadFrom } from "./recorded-reads.ts";

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

/** A database of before a format has no such table or column. */
export function hasRevisions(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'revisions'").get() !== undefined;
}

function hasReads(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'round_reads'").get() !== undefined;
}

type RoundRow = [
  date: number,
  set: string,
  failed: number,
  failures: string,
  unread: string,
  reads: number | null,
];

const NO_FAILURES: RecordedRound["failures"] = {};

/** So many of what rounds read are kept at a time: mostly it is the same few. */
const MOST_TOLD = 500;

/** The rounds of [from, to] in their order, a page at a time. */
export function* roundPages(
  access: Access,
  from: number,
  to: number,
): Generator<readonly RecordedRound[]> {
  const sets = new Map<string, readonly string[]>();
  const known = new Map<number, RoundTold>();
  let after = from - 1;
  const select = access.read((db) =>
    db
      .prepare<[number, number], RoundRow>(
        `SELECT date, rule_set, failed, failures, ${hasRevisions(db) ? "unread" : "'[]'"},
           ${hasReads(db) ? "reads" : "NULL"}
         FROM rounds WHERE date > ? AND date <= ? ORDER BY date LIMIT ${PAGE}`,
      )
      .raw(),
  );
  for (;;) {
    const rounds = access.read((db) => {
      const rows = select.all(after, to);
      const names = db
        .prepare<[string], string>("SELECT names FROM rule_sets WHERE hash = ?")
        .pluck();
      const toldOf = (id: number): RoundTold => {
        let told = known.get(id);
        if (told !== undefined) return told;
        told = toldFrom(
          db
            .prepare<[number], string>("SELECT reads FROM round_reads WHERE id = ?")
            .pluck()
            .get(id),
        );
        if (known.size >= MOST_TOLD) known.clear();
        known.set(id, told);
        return told;
      };
      return rows.map(([date, set, failed, failures, unread, reads]): RecordedRound => {
        let rules = sets.get(set);
        if (rules === undefined) {
          rules = listOfNames(names.get(set));
          sets.set(set, rules);
        }
        return {
          date,
          rules,
          failed,
          failures: failed === 0 ? NO_FAILURES : failuresOf(failures),
          told:
            reads !== null ? toldOf(reads) : unread === "[]" ? NOTHING_TOLD : unreadFrom(unread),
        };
      });
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
export function listOfNames(text: string | undefined): readonly string[] {
  const names: unknown = JSON.parse(text ?? "[]");
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
