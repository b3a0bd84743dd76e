import type { Schedule } from "../../base/schedule.ts";
import type { Rule } from "../../model/index.ts";

/** From when to when, epoch milliseconds and both included, the past of a rule has a point only so often. */
export interface Pace {
  readonly from: number;
  readonly to: number;
  readonly spacingMs: number;
}

/**
 * A rule as a daemon would run it that can look no more often than there are points: where its schedule is
 * finer than that it waits for the next point, and a value is in force for three of them.
 */
export function paced(rule: Rule, paces: readonly Pace[]): Rule {
  return paces.length === 0 ? rule : { ...rule, schedule: pacedSchedule(rule.schedule, paces) };
}

function pacedSchedule(own: Schedule, paces: readonly Pace[]): Schedule {
  const spacingAt = (at: number): number | null => {
    let most = 0;
    for (const { from, to, spacingMs } of paces) {
      if (from <= at && at <= to) most = Math.max(most, spacingMs);
    }
    if (most === 0) return null;
    const ownMs = own.everyMs ?? (own.third(at) - at) / 3;
    return ownMs < most ? most : null;
  };
  return {
    text: own.text,
    key: own.key,
    everyMs: own.everyMs,
    eachBlock: own.eachBlock,
    next: (after) => {
      const spacing = spacingAt(after);
      return spacing === null ? own.next(after) : (Math.floor(after / spacing) + 1) * spacing;
    },
    third: (after) => {
      const spacing = spacingAt(after);
      return spacing === null ? own.third(after) : after + 3 * spacing;
    },
  };
}
