import { DAY } from "../base/duration.ts";
import type { AlertStory, Firing } from "../replay/past/firings.ts";
import type { Support } from "../replay/past/support.ts";
import type { World } from "./backtest-run.ts";

/** How a rule did. */
export interface RuleSummary {
  readonly support: Support;
  readonly stories: readonly AlertStory[];
  /** Oldest first, over all subjects. */
  readonly firings: readonly Firing[];
  readonly perWeek: number;
  /** Milliseconds of all alerts together, and the longest of one. */
  readonly firingMs: number;
  readonly longestMs: number;
  /** The share of the time of all its alerts in which they fired, 0 to 1. */
  readonly share: number;
  /** Times at which people would have been told that it flaps. */
  readonly flapping: number;
  /** Notices by kind. */
  readonly told: ReadonlyMap<string, number>;
}

/** Sums up the rules of a world over [from, until], in their order. */
export function summariesOf(
  { supports, result }: World,
  from: number,
  until: number,
): readonly RuleSummary[] {
  const stories = result.stories.all;
  return supports.map((support) => {
    const own = stories.filter(({ rule }) => rule === support.name);
    const firings = own
      .flatMap((story) => story.firings)
      .toSorted((a, b) => a.start - b.start || (a.subject < b.subject ? -1 : 1));
    const told = new Map<string, number>();
    for (const story of own) {
      for (const [kind, count] of story.told) told.set(kind, (told.get(kind) ?? 0) + count);
    }
    const lasted = firings.map((one) => lastedMs(one, until));
    const firingMs = lasted.reduce((sum, ms) => sum + ms, 0);
    const watchedMs = own.reduce((sum, { first, last }) => sum + last - first, 0);
    return {
      support,
      stories: own,
      firings,
      perWeek: until > from ? (firings.length * 7 * DAY) / (until - from) : 0,
      firingMs,
      longestMs: lasted.reduce((most, ms) => Math.max(most, ms), 0),
      share: watchedMs === 0 ? 0 : Math.min(1, firingMs / watchedMs),
      flapping: told.get("flapping") ?? 0,
      told,
    };
  });
}

/** For how long it fired by then, in milliseconds; an event takes no time. */
export function lastedMs({ event, start, end }: Firing, until: number): number {
  return event ? 0 : (end ?? until) - start;
}

/** The furthest that a value went, exact; null: it is true or false, which goes no further. */
export function furthestOf({ extreme, first }: Firing): string | null {
  return extreme ?? (first === "true" || first === "false" ? null : first);
}
