import type { Ask, RoundReads, RoundRecord } from "../model/index.ts";
import type { RuleMemory } from "./memory.ts";
import { MOST_NAMED_FAILURES, MOST_UNREAD, type Tallies } from "./tally.ts";

/** Rules that were polled together, once what was answered is committed. */
export interface EndedGroup {
  readonly rules: readonly RuleMemory[];
  readonly tallies: Tallies;
}

/** All groups of one date: the record of those that are over so far, and what is judged of all together. */
export class RoundSum {
  record: RoundRecord;
  /** How many requests the first waves of all groups have. */
  planned = 0;
  /** All rules of the date: the store keeps each list of names once, so they come in one order. */
  readonly #names: readonly string[];
  readonly #open: Set<EndedGroup["rules"]>;
  #ended: EndedGroup[] = [];

  constructor(date: number, names: readonly string[], groups: readonly EndedGroup["rules"][]) {
    this.#names = names;
    this.#open = new Set(groups);
    this.record = {
      date,
      rules: [],
      requests: 0,
      subjects: 0,
      failures: {},
      failed: 0,
      unread: [],
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
      unread: [...record.unread, ...one.unread].slice(0, MOST_UNREAD),
      tookMs: Math.max(record.tookMs, one.tookMs),
      ...(one.reads === undefined ? {} : { reads: this.#withReads(one.reads) }),
    };
    return this.record;
  }

  /** One more group is over; null: what it was answered could not be committed. Said again it changes nothing. */
  end(rules: EndedGroup["rules"], tallies: Tallies | null): void {
    if (this.#open.delete(rules) && tallies !== null) this.#ended.push({ rules, tallies });
  }

  /**
   * What is to be judged of all groups, once no other is polled: what fails before the rest is answered could be taken
   * for all of the service. A rule that had a later round meanwhile was judged by that.
   */
  get ended(): readonly EndedGroup[] {
    if (this.#open.size > 0) return [];
    const { date } = this.record;
    const isLatest = ({ state }: RuleMemory): boolean =>
      state.lastRound === null || state.lastRound <= date;
    const last = this.#ended.at(-1);
    return this.#ended.map((one) =>
      one === last || one.rules.every(isLatest)
        ? one
        : { rules: one.rules.filter(isLatest), tallies: one.tallies },
    );
  }

  /** What was judged of these is committed. */
  judged(groups: readonly EndedGroup[]): void {
    if (groups.length > 0) this.#ended = [];
  }

  /** One group that has all of the rules need not name them: there may be thousands, in each round. */
  #withReads({ openedAt, groups }: RoundReads): RoundReads {
    const all = [...(this.record.reads?.groups ?? []), ...groups];
    const isAll = ({ rules }: (typeof all)[number]): boolean =>
      rules?.length === this.#names.length;
    return { openedAt, groups: all.map((one) => (isAll(one) ? { ...one, rules: null } : one)) };
  }

  #withNames(names: readonly string[]): readonly string[] {
    // Mostly all rules of a date are of one group.
    if (names.length === this.#names.length) return names;
    const over = new Set([...this.record.rules, ...names]);
    return this.#names.filter((name) => over.has(name));
  }
}

/** The chains on which something of a record was answered. */
export type Answered = ReadonlyMap<Ask["record"], ReadonlySet<number>>;

/** `isLatest`: of which records of a kind on a chain; default: of all. */
export function answeredIn(
  groups: readonly Pick<EndedGroup, "tallies">[],
  isLatest: (record: Ask["record"], chainId: number) => boolean = () => true,
): Answered {
  const all = new Map<Ask["record"], Set<number>>();
  for (const { tallies } of groups) {
    for (const [record, { chains }] of tallies) {
      for (const [chainId, { answered }] of chains) {
        if (answered === 0 || !isLatest(record, chainId)) continue;
        const those = all.get(record) ?? new Set();
        all.set(record, those.add(chainId));
      }
    }
  }
  return all;
}
