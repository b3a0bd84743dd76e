import { formatTime } from "../../base/clock.ts";
import { DAY } from "../../base/duration.ts";
import { asMap, isMap, listOf, readMap, textsOf } from "../../base/json.ts";
import type { RawRecord } from "../../model/index.ts";
import type { EntryVerdicts, Settled } from "../kind.ts";
import type { Fresh } from "./follow.ts";

/** So long an entry waits for what rules need to be judged on it. */
const LONGEST_MS = DAY;
/** So many entries of one list wait at most. */
const MOST = 1_000;
/** One that would take more room than this is none of the chain's, and is given up at once. */
const LONGEST_TEXT = 4_000;

/** How an entry is put together that was shown with less before. */
export interface Rejoining {
  /** A record with what it lacks itself, and an earlier one of the same entry told. */
  completed(before: RawRecord, now: RawRecord): RawRecord;
  /** Whether both have the same name. */
  hasName(before: RawRecord, now: RawRecord): boolean;
}

/**
 * What is new and what waits, oldest first. An entry that is shown with more than before takes the
 * place of the one that waits; where none does, all rules are done with it.
 */
export function offer(
  { waiting }: Patience,
  fresh: readonly Fresh<RawRecord>[],
  date: number,
  rejoining: Rejoining,
): readonly Offered[] {
  const left = waiting.map((one) => ({ ...one, since: Math.min(one.since, date) }));
  const offered: Offered[] = [];
  for (const { id, item, lacked } of fresh) {
    const { place, at, value: record, form } = item;
    const lacks = form?.lacks ?? 0;
    const one = { id, since: date, place, at, lacks, rules: null, record };
    if (lacked === null) {
      offered.push(one);
      continue;
    }
    const waits = (other: Offered): boolean => hashIn(other.id) === lacked;
    const named = left.findIndex(
      (other) => waits(other) && rejoining.hasName(other.record, record),
    );
    const index = named < 0 ? left.findIndex(waits) : named;
    const before = left[index];
    if (before === undefined) continue;
    left[index] = {
      ...one,
      at: at ?? before.at,
      lacks: lacks & before.lacks,
      record: rejoining.completed(before.record, record),
      // It stays where it was: entries of one block come in their order, and have the same place.
      since: before.since,
      rules: before.rules,
    };
  }
  if (offered.length === 0) return left;
  return [...left, ...offered].toSorted((a, b) => a.place - b.place);
}

function hashIn(id: string): string {
  return id.slice(0, id.lastIndexOf(":"));
}

/** What an entry that could not be judged depends on. */
export interface Needs {
  readonly date: number;
  /** What is missing beside the entries, in clean words; null: nothing is. */
  readonly trouble: string | null;
  /** The fields that an entry is read by: no others are kept. */
  readonly fields: readonly string[];
  /** What entries tell depends on all that came after them. */
  readonly sequence: boolean;
  /** Entries between those that wait and the new ones were missed. */
  readonly broken: boolean;
}

/** What goes on waiting after a round, and what is given up: to be told where it is news. */
export function settle(
  cursor: string,
  offered: readonly Offered[],
  { blind, told }: Patience,
  verdicts: readonly EntryVerdicts[],
  needs: Needs,
): Settled {
  const { date, trouble, sequence, broken } = needs;
  const unjudged = new Map<string, { readonly rule: string; readonly compares: boolean }[]>();
  for (const { rule, unjudged: ids, compares } of verdicts) {
    for (const id of ids) {
      const known = unjudged.get(id);
      if (known === undefined) unjudged.set(id, [{ rule, compares }]);
      else known.push({ rule, compares });
    }
  }
  const kept: Offered[] = [];
  const given: Offered[] = [];
  // In a sequence what comes later may lack what is needed to judge one that lacks nothing.
  const lastLacking = sequence ? offered.findLastIndex(({ lacks }) => lacks !== 0) : -1;
  for (const [index, one] of offered.entries()) {
    if (broken && one.rules !== null) {
      given.push(one);
      continue;
    }
    // What lacks nothing, and of which all else is known, will never say more.
    const mayTell = trouble !== null || one.lacks !== 0 || index < lastLacking;
    const rules = (unjudged.get(one.id) ?? [])
      .filter(({ compares }) => compares || mayTell)
      .map(({ rule }) => rule);
    if (rules.length === 0 && !(sequence && kept.length > 0)) continue;
    const waits = { ...one, rules, record: readPart(one.record, needs.fields) };
    const isOver = date - one.since >= LONGEST_MS;
    if (isOver || JSON.stringify(waits.record).length > LONGEST_TEXT) given.push(waits);
    else kept.push(waits);
  }
  given.push(...kept.splice(0, Math.max(0, kept.length - MOST)));
  const gaveUp = new Set(given.flatMap(({ rules }) => rules ?? []));
  const isNews = (rule: string): boolean =>
    !blind.includes(rule) && date - (told.get(rule) ?? Number.NEGATIVE_INFINITY) >= LONGEST_MS;
  const rules = [...gaveUp].filter(isNews);
  const stay = verdicts.filter(
    ({ rule, judged, compares }) =>
      !judged && (blind.includes(rule) || ((compares || trouble !== null) && gaveUp.has(rule))),
  );
  const dates = [...told].filter(([, at]) => date - at < LONGEST_MS);
  const patience = {
    waiting: kept,
    blind: stay.map(({ rule }) => rule),
    told: new Map([...dates, ...rules.map((rule) => [rule, date] as const)]),
  };
  const concerned = given.filter((one) => one.rules?.some((rule) => rules.includes(rule)));
  return {
    cursor: withPatience(cursor, patience),
    unjudged:
      rules.length === 0
        ? null
        : { rules, what: sentenceOf(concerned, trouble ?? "values are missing") },
  };
}

function readPart(record: RawRecord, fields: readonly string[]): RawRecord {
  return Object.fromEntries(fields.map((name) => [name, record[name] ?? null]));
}

function sentenceOf(given: readonly Offered[], trouble: string): string {
  const times = given.flatMap(({ at }) => (at === null ? [] : [at]));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const span =
    times.length === 0
      ? ""
      : first === last
        ? ` of ${formatTime(first)}`
        : ` of ${formatTime(first)} to ${formatTime(last)}`;
  const many = given.length === 1 ? "1 entry" : `${given.length} entries`;
  return `${many}${span} could not be judged: ${trouble}`;
}

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
