import type { Log } from "../base/log.ts";
import type { Ask, Failure } from "../model.ts";
import type { RecordTally, Tallies } from "./blind.ts";

/**
 * Says in the log when records of a kind begin to fail in some way, and when that is over; what
 * lasts is not said again in every round.
 */
export class FailureLog {
  readonly #log: Log;
  readonly #lasting = new Map<Ask["record"], ReadonlySet<Failure["reason"]>>();

  constructor(log: Log) {
    this.#log = log;
  }

  observe(tallies: Tallies): void {
    for (const [record, tally] of tallies) this.#observe(record, tally);
  }

  #observe(record: Ask["record"], { reasons, answered }: RecordTally): void {
    const before = this.#lasting.get(record) ?? new Set();
    for (const [reason, { count, ask, detail }] of reasons) {
      const facts = { record, reason, count, answered, ask, detail };
      if (before.has(reason)) this.#log.debug(facts, "records still cannot be had");
      else this.#log.warn(facts, "records cannot be had");
    }
    if (before.size > 0 && reasons.size === 0) {
      this.#log.info({ record }, "records can be had again");
    }
    this.#lasting.set(record, new Set(reasons.keys()));
  }
}
