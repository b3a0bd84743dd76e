import { type Change, NO_CHANGE, type RoundRecord } from "../model/index.ts";
import type { Memory } from "../poll/memory.ts";
import type { PlanCache, RulesPlan } from "../poll/plan.ts";
import type { Tallies } from "../poll/tally.ts";
import type { Committer } from "./committer.ts";
import type { AddressedNotice } from "./notices.ts";
import { judgeOutages, type OutageVerdict } from "./outage.ts";
import type { LagGuard, MarkWriter } from "./watermark.ts";

/** A round whose answers are decided and committed. */
interface EndedRound {
  readonly plan: RulesPlan;
  readonly date: number;
  /** Of all groups of the date that are over. */
  readonly record: RoundRecord;
  readonly guard: LagGuard;
  readonly tallies: Tallies;
}

interface ClosingParts {
  readonly committer: Committer;
  readonly marks: MarkWriter;
  readonly plans: PlanCache;
  readonly memory: Memory;
  readonly selfChannels: readonly string[];
  readonly onNotices: (tellings: readonly AddressedNotice[]) => void;
}

interface Closing {
  readonly change: Change;
  readonly blind: OutageVerdict;
}

/**
 * The end of a round: whose source is down or back, that the rules were evaluated, the record. Rejects
 * with what the store threw.
 */
export async function closeRound(round: EndedRound, parts: ClosingParts): Promise<void> {
  const { plan, date, record, guard, tallies } = round;
  const { rules, names, works } = plan;
  const { memory, selfChannels, onNotices } = parts;
  const decide = (): Promise<Closing> => {
    const blind = judgeOutages(rules, date, tallies, memory, selfChannels);
    const change: Change = {
      ...NO_CHANGE,
      alerts: [...blind.alerts.map(({ alert }) => alert), ...blind.sources],
      notices: [...blind.tellings, ...guard.tellings()],
      closed: [{ date, rules: names }],
      marks: parts.marks.take(rules[0]?.group ?? 0, works),
      round: record,
    };
    return Promise.resolve({ change, blind });
  };
  await parts.committer.take(decide, ({ change, blind }) => {
    for (const rule of rules) {
      const { name, version, startedAt } = rule.state;
      rule.state = { name, version, startedAt, lastRound: date };
    }
    for (const source of blind.sources) memory.sources.set(source.subject, source);
    if (blind.isOver) {
      memory.outages.ended(date);
      if (forgetRefusedFacts(memory)) parts.plans.forgetAll();
    }
    for (const { memory: one, alert } of blind.alerts) one.alert = alert;
    if (change.notices.length > 0) onNotices(change.notices);
  });
}

/** What was refused while nothing was answered is asked anew. */
function forgetRefusedFacts({ facts }: Memory): boolean {
  const refused = [...facts].filter(([, { status }]) => status === "failed");
  for (const [key] of refused) facts.delete(key);
  return refused.length > 0;
}
