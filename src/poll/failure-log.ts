import type { Log } from "../base/log.ts";
import type { Ask, Failure, RoundRecord } from "../model/index.ts";
import type { RuleMemory } from "./memory.ts";
import type { RecordTally, Tallies } from "./tally.ts";

/** What has failed of one kind of records since it could last be had. */
interface Lasting {
  readonly reasons: Set<Failure["reason"]>;
  /** How many were asked for in the last round in which some failed. */
  asked: number;
  /** Rounds since then, in all of which fewer were asked for. */
  since: number;
}

/** What has not failed in so many rounds is over, though fewer are asked for in each of them. */
const MANY_ROUNDS = 100;

/**
 * Says in the log when records of a kind begin to fail in some way, and when that is over; what
 * lasts is not said again in every round. It is over when as many as failed among are asked for and all
 * are answered: other rules may ask for fewer, of which none fails.
 */
export class FailureLog {
  readonly #log: Log;
  readonly #lasting = new Map<Ask["record"], Lasting>();

  constructor(log: Log) {
    this.#log = log;
  }

  observe(tallies: Tallies): void {
    for (const [record, tally] of tallies) this.#observe(record, tally);
  }

  #observe(record: Ask["record"], { reasons, answered }: RecordTally): void {
    const counts = Array.from(reasons.values(), ({ count }) => count);
    const asked = counts.reduce((sum, count) => sum + count, answered);
    const before = this.#lasting.get(record);
    if (reasons.size === 0) {
      if (before === undefined) return;
      before.since += 1;
      if (asked < before.asked && before.since < MANY_ROUNDS) return;
      this.#lasting.delete(record);
      this.#log.info({ record }, "records can be had again");
      return;
    }
    const lasting = before ?? { reasons: new Set(), asked, since: 0 };
    lasting.asked = asked;
    lasting.since = 0;
    for (const [reason, { count, ask, detail }] of reasons) {
      const facts = { record, reason, count, answered, ask, detail };
      if (lasting.reasons.has(reason)) this.#log.debug(facts, "records still cannot be had");
      else this.#log.warn(facts, "records cannot be had");
      lasting.reasons.add(reason);
    }
    this.#lasting.set(record, lasting);
  }
}

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
