import { createHash } from "node:crypto";

/** Nobody has more than this much of its share. */
const CAP = 1.1;

/** One that may own something, and how much of it beside the others. */
export interface Candidate {
  readonly id: string;
  /** Above 0: one of 2 gets twice as much as one of 1. */
  readonly weight: number;
}

/**
 * Who is to own what: each name by the rank that its hash with each member gives (weighted rendezvous hashing), unless that
 * member has its part already. The same for all who know the same members; who joins or leaves moves little else
 * than what it gets or had. Pure; of no members nobody owns anything.
 */
export function assign(
  names: readonly string[],
  members: readonly Candidate[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const left = new Map(
    members.map(({ id, weight }) => [id, Math.ceil((names.length * weight * CAP) / total)]),
  );
  for (const name of names) {
    const ranked = members
      .map(({ id, weight }) => ({ id, rank: rankOf(name, id) / weight }))
      .toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
    const first = ranked.find(({ id }) => (left.get(id) ?? 0) > 0);
    if (first === undefined) continue;
    found.set(name, first.id);
    left.set(first.id, (left.get(first.id) ?? 0) - 1);
  }
  return found;
}

const RANKS = new Map<string, number>();
const HEX_DIGITS = 13;

/**
 * An exponentially distributed number that follows from the two texts: the least of several, each divided by a weight, is
 * that of one with a chance as its weight. Computed once for each: every look asks for all of them.
 */
function rankOf(name: string, member: string): number {
  const key = `${name} ${member}`;
  let rank = RANKS.get(key);
  if (rank === undefined) {
    const digits = createHash("sha256").update(key).digest("hex").slice(0, HEX_DIGITS);
    rank = -Math.log((Number.parseInt(digits, 16) + 0.5) / 16 ** HEX_DIGITS);
    if (RANKS.size > MOST_RANKS) RANKS.clear();
    RANKS.set(key, rank);
  }
  return rank;
}

const MOST_RANKS = 50_000;
