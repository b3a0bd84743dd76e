import type { Log } from "../base/log.ts";
import type { Answer, Ask, Failure } from "../model/index.ts";

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
      this.#log.info({ record }, "requests for records are answered again");
      return;
    }
    const lasting = before ?? { reasons: new Set(), asked, since: 0 };
    lasting.asked = asked;
    lasting.since = 0;
    for (const [reason, { count, ask, detail }] of reasons) {
      const facts = { record, reason, count, answered, ask, detail };
      if (lasting.reasons.has(reason)) this.#log.debug(facts, "requests for records still fail");
      else this.#log.warn(facts, "requests for records fail");
      lasting.reasons.add(reason);
    }
    this.#lasting.set(record, lasting);
  }
}

/** So many failures are kept by name; the rest is counted. */
export const MOST_NAMED_FAILURES = 50;

/** So many subjects of which a round read too little are named; where there are so many, there may be more. */
export const MOST_UNREAD = 200;

/** How a round fared with one kind of record. */
export interface RecordTally {
  answered: number;
  /** Requests that got no answer, for reasons that lie with the source. */
  failed: number;
  /** The first such reason, in clean words. */
  detail: string | null;
  /** How it fared on each chain. */
  readonly chains: Map<number, ChainTally>;
  /** Every reason with how often it came, and the first ask that met it. */
  readonly reasons: Map<
    Failure["reason"],
    { count: number; readonly ask: string; readonly detail: string }
  >;
}

export interface ChainTally {
  answered: number;
  /** As in `RecordTally`; those that were refused are counted apart. */
  failed: number;
  refused: number;
  /** Of both, those that failed for the key. */
  byKey: number;
  /** The first reason, in clean words. */
  detail: string | null;
}

export type Tallies = ReadonlyMap<Ask["record"], RecordTally>;

/** Counts what became of an ask. A request that is refused says something of its ids, not of the source. */
export function tallyAnswer(tally: RecordTally, ask: Ask, answer: Answer): void {
  const chain = chainOf(tally, ask.chainId);
  if (answer.status !== "failed") {
    tally.answered += 1;
    chain.answered += 1;
    return;
  }
  const { reason, detail } = answer.failure;
  chain.detail ??= detail;
  if (reason === "unauthorized") chain.byKey += 1;
  if (reason === "refused") chain.refused += 1;
  else chain.failed += 1;
  const known = tally.reasons.get(reason);
  if (known === undefined) tally.reasons.set(reason, { count: 1, ask: ask.key, detail });
  else known.count += 1;
  if (reason === "refused") return;
  tally.failed += 1;
  tally.detail ??= detail;
}

export function emptyTally(): RecordTally {
  return { answered: 0, failed: 0, detail: null, chains: new Map(), reasons: new Map() };
}

function chainOf({ chains }: RecordTally, chainId: number): ChainTally {
  let chain = chains.get(chainId);
  if (chain === undefined) {
    chain = { answered: 0, failed: 0, refused: 0, byKey: 0, detail: null };
    chains.set(chainId, chain);
  }
  return chain;
}
