import { type ChainNeeds, FROM_LOGS } from "../chain/needs.ts";
import { KINDS } from "../kinds/index.ts";
import { ownerAsk } from "../kinds/owned.ts";
import { type Ask, chainsOf, type Rule } from "../model/index.ts";
import type { Memory } from "../poll/memory.ts";

/** What the subjects that are in memory, a part of all, need of chains beside what they ask for. */
export function chainNeedsOf({ subjects, rules }: Memory, now: number): ChainNeeds {
  const indexed = new Set<number>();
  const look = (asks: readonly Ask[]): void => {
    for (const { record, chainId } of asks) if (FROM_LOGS.has(record)) indexed.add(chainId);
  };
  for (const { kind, subject, cursor, extras, followed } of subjects.values()) {
    look(kind.asks(subject, now, cursor));
    look(extras);
    look(followed);
  }
  const watched = new Set<number>();
  for (const { rule } of rules) {
    look(ownerAsks(rule));
    if (rule.schedule.eachBlock) for (const chainId of chainsOf(rule)) watched.add(chainId);
  }
  return { indexed, watched };
}

/** What owners hold is read again and again, whatever it was last. */
function ownerAsks({ kind, owners = [] }: Rule): readonly Ask[] {
  const its = KINDS.get(kind);
  if (its === undefined) return [];
  return owners.flatMap((owner) => ownerAsk(its, owner) ?? []);
}
