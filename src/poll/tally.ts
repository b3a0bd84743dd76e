import type { Answer, Ask, Failure } from "../model/index.ts";

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
export function count(tally: RecordTally, ask: Ask, answer: Answer): void {
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
