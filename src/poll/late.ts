import type { RuleMemory } from "./memory.ts";

/**
 * The rules that have not been evaluated for three of their intervals, at `now`; `since` is when the
 * daemon began to run them. A round that is not committed is none.
 */
export function lateRules(
  rules: readonly RuleMemory[],
  now: number,
  since: number,
): readonly RuleMemory[] {
  return rules.filter(({ rule, state }) => {
    const last = Math.max(state.lastRound ?? since, since);
    return now > rule.schedule.third(last);
  });
}
