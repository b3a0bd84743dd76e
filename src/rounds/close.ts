import type { Change, RoundRecord } from "../model.ts";
import type { Store } from "../store/store.ts";
import { type Blindness, isDown, judgeBlindness } from "./blind.ts";
import type { Committer } from "./commit.ts";
import type { LagGuard } from "./lag-guard.ts";
import type { MarkWriter } from "./marks.ts";
import type { Memory } from "./memory.ts";
import type { Telling } from "./notices.ts";
import type { PlanCache, RulesPlan } from "./plan.ts";
import { changeOfStarts, type StartedRule, type Starts } from "./started.ts";
import type { Tallies } from "./tally.ts";
import { Turns } from "./turns.ts";

/** So many rules start in one transaction. */
const STARTS_SLICE = 500;

/** A round whose answers are decided and committed. */
interface EndedRound {
  readonly plan: RulesPlan;
  readonly date: number;
  /** Of all groups of the date that are over. */
  readonly record: RoundRecord;
  readonly starts: Starts;
  readonly guard: LagGuard;
  readonly tallies: Tallies;
}

interface ClosingParts {
  readonly committer: Committer;
  readonly marks: MarkWriter;
  readonly plans: PlanCache;
  readonly memory: Memory;
  readonly selfChannels: readonly string[];
  readonly onNotices: (tellings: readonly Telling[]) => void;
}

interface Closing {
  readonly change: Change;
  readonly started: readonly StartedRule[];
  readonly blind: Blindness;
}

/**
 * The end of a round: what started, and in its last transaction whose source is down or back, that the
 * rules were evaluated, the record. Rejects with what the store threw.
 */
export async function closeRound(round: EndedRound, parts: ClosingParts): Promise<void> {
  const { plan, date, record, starts, guard, tallies } = round;
  const { rules, names, works } = plan;
  const { memory, selfChannels, onNotices } = parts;
  const decide = async (store: Store): Promise<Closing> => {
    const turns = new Turns();
    const blind = judgeBlindness(rules, date, tallies, memory, selfChannels);
    if (turns.isDue) await turns.give();
    const all = await starts.begin(rules, date, (asked, rule) =>
      isDown(asked, rule, date, tallies, memory),
    );
    // All were judged by what was committed before; each start is whole by itself.
    let left: readonly StartedRule[] = all;
    for (; left.length > STARTS_SLICE; left = left.slice(STARTS_SLICE)) {
      await commitStarts(left.slice(0, STARTS_SLICE), store, onNotices);
      if (turns.isDue) await turns.give();
    }
    if (turns.isDue) await turns.give();
    const started = changeOfStarts(left);
    const change: Change = {
      ...started,
      alerts: [...started.alerts, ...blind.alerts.map(({ alert }) => alert), ...blind.sources],
      notices: [...started.notices, ...blind.tellings, ...guard.tellings()],
      closed: [{ date, rules: names }],
      rules: started.rules.map((state) => ({ ...state, lastRound: date })),
      marks: parts.marks.take(rules[0]?.group ?? 0, works),
      round: record,
    };
    return { change, started: left, blind };
  };
  await parts.committer.take(decide, ({ change, started, blind }) => {
    applyStarts(started);
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

async function commitStarts(
  started: readonly StartedRule[],
  store: Store,
  onNotices: ClosingParts["onNotices"],
): Promise<void> {
  const change = changeOfStarts(started);
  await store.commit(change);
  applyStarts(started);
  if (change.notices.length > 0) onNotices(change.notices);
}

function applyStarts(started: readonly StartedRule[]): void {
  for (const { memory, state, alerts } of started) {
    memory.state = state;
    for (const { memory: one, alert } of alerts) one.alert = alert;
  }
}
