import type { RoundRecord } from "../model/index.ts";
import type { RuleMemory } from "./memory.ts";

/** So many failures are kept by name; the rest is counted. */
export const MOST_NAMED_FAILURES = 50;

/** The record of all groups of one date: those that are over so far. */
export class RoundSum {
  record: RoundRecord;
  /** How many requests the first waves of all groups have. */
  planned = 0;
  /** All rules of the date: the store keeps each list of names once, so they come in one order. */
  readonly #rules: readonly RuleMemory[];

  constructor(date: number, rules: readonly RuleMemory[]) {
    this.#rules = rules;
    this.record = {
      date,
      rules: [],
      requests: 0,
      subjects: 0,
      failures: {},
      failed: 0,
      tookMs: 0,
    };
  }

  /** With the record of one more group. */
  add(one: RoundRecord): RoundRecord {
    const { record } = this;
    const failures = Object.entries({ ...record.failures, ...one.failures });
    this.record = {
      date: record.date,
      rules: this.#withNames(one.rules),
      requests: record.requests + one.requests,
      subjects: record.subjects + one.subjects,
      failures: Object.fromEntries(failures.slice(0, MOST_NAMED_FAILURES)),
      failed: record.failed + one.failed,
      tookMs: Math.max(record.tookMs, one.tookMs),
    };
    return this.record;
  }

  #withNames(names: readonly string[]): readonly string[] {
    // Mostly all rules of a date are of one group.
    if (names.length === this.#rules.length) return names;
    const over = new Set([...this.record.rules, ...names]);
    return this.#rules.map(({ rule }) => rule.name).filter((name) => over.has(name));
  }
}
