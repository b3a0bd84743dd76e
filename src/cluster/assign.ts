import { createHash } from "node:crypto";

/** Nobody has more than this much of the mean. */
const CAP = 1.1;

/**
 * Who is to own what: each name by the rank that its hash with each member gives (rendezvous hashing), unless that
 * member has its part already. The same for all who know the same members; who joins or leaves moves little else
 * than what it gets or had. Pure; of no members nobody owns anything.
 */
export function assign(
  names: readonly string[],
  members: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const most = Math.ceil((names.length / Math.max(1, members.length)) * CAP);
  const counts = new Map<string, number>();
  for (const name of names) {
    const ranked = members
      .map((member) => ({ member, rank: rankOf(name, member) }))
      .toSorted((a, b) => (a.rank < b.rank ? 1 : a.rank > b.rank ? -1 : 0));
    const first = ranked.find(({ member }) => (counts.get(member) ?? 0) < most);
    if (first === undefined) continue;
    found.set(name, first.member);
    counts.set(first.member, (counts.get(first.member) ?? 0) + 1);
  }
  return found;
}

const RANKS = new Map<string, string>();

/** Computed once for each: every look asks for all of them. */
function rankOf(name: string, member: string): string {
  const key = `${name} ${member}`;
  let rank = RANKS.get(key);
  if (rank === undefined) {
    rank = createHash("sha256").update(key).digest("hex");
    if (RANKS.size > MOST_RANKS) RANKS.clear();
    RANKS.set(key, rank);
  }
  return rank;
}

const MOST_RANKS = 50_000;
