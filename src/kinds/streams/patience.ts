import { asMap, isMap, listOf, readMap, textsOf } from "../../base/json.ts";
import type { RawRecord } from "../../model/index.ts";

/** An entry that is there to be tested. */
export interface Offered {
  readonly id: string;
  /** The date of the round in which it was new, epoch milliseconds. */
  readonly since: number;
  readonly place: number;
  /** Its own time in epoch milliseconds; null: it does not tell. */
  readonly at: number | null;
  /** The fields that it lacks itself (bits as of `Form.lacks`). */
  readonly lacks: number;
  /**
   * The rules that wait to be judged on it, by name; null: it is new, so that all are. None: it is
   * there for what comes before it in a sequence.
   */
  readonly rules: readonly string[] | null;
  readonly record: RawRecord;
}

/** What is remembered with a list of entries that rules could not be judged on. */
export interface Patience {
  readonly waiting: readonly Offered[];
  /** Rules that gave up on entries for lack of something besides, and were judged on none since. */
  readonly blind: readonly string[];
  /** When it was last said that a rule gave up on entries, by its name. */
  readonly told: ReadonlyMap<string, number>;
}

const NOTHING: Patience = { waiting: [], blind: [], told: new Map() };
const MARK = ',"waiting":';

/** The text of a list's memory with what waits. */
export function withPatience(cursor: string, { waiting, blind, told }: Patience): string {
  if (waiting.length + blind.length + told.size === 0) return cursor;
  const entries = waiting.map(({ id, since, place, at, lacks, rules, record }) => [
    id,
    since,
    place,
    at,
    lacks,
    rules,
    record,
  ]);
  return `${cursor.slice(0, -1)}${MARK}${JSON.stringify({ blind, told: [...told], entries })}}`;
}

/** Whether any entry waits, in a text of `withPatience`. */
export function isWaiting(cursor: string | null): boolean {
  return readPatience(cursor).waiting.length > 0;
}

/** What `withPatience` wrote; nothing for any other text. */
export function readPatience(cursor: string | null): Patience {
  // Mostly there is none, and then a long text need not be read.
  if (cursor === null || !cursor.includes(MARK)) return NOTHING;
  const kept = asMap(readMap(cursor)?.waiting) ?? {};
  const entries = listOf(kept.entries).map(readOffered);
  return {
    waiting: entries.filter((one) => one !== null),
    blind: textsOf(kept.blind),
    told: datesOf(kept.told),
  };
}

function readOffered(raw: unknown): Offered | null {
  const [id, since, place, at, lacks, rules, record] = listOf(raw);
  if (typeof id !== "string" || typeof since !== "number" || typeof place !== "number") return null;
  if (typeof lacks !== "number" || !isMap(record)) return null;
  const time = typeof at === "number" ? at : null;
  return { id, since, place, at: time, lacks, rules: textsOf(rules), record };
}

function datesOf(raw: unknown): ReadonlyMap<string, number> {
  const dates = new Map<string, number>();
  for (const one of listOf(raw)) {
    const [name, date] = listOf(one);
    if (typeof name === "string" && typeof date === "number") dates.set(name, date);
  }
  return dates;
}
