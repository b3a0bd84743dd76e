import { comparisonsOfRule, lookBackOf, looksOf } from "../decide/condition-tree.ts";
import type { Look, Windows } from "../decide/watched.ts";
import { PercentileWindow } from "../decide/windows/percentile.ts";
import type { SampledWindow } from "../decide/windows/sampled.ts";
import { StillWindow } from "../decide/windows/still.ts";
import { StateWindow, type WindowNeed } from "../decide/windows/window.ts";
import type { ChangeComparison, PercentileLimit, Rule } from "../model/index.ts";
import type { RuleMemory, SeriesMemory, SubjectMemory } from "./memory.ts";

/** One for all alerts that look at no past. */
const NONE: Windows = [];

/** What an alert of the rule has to remember of a subject with state records; its series feed it. */
export function windowsFor({ rule, looks }: RuleMemory, owner: SubjectMemory): Windows {
  let windows = NONE;
  if (looks.length === 0) return windows;
  // The rule's looks are from the same comparisons in the same order.
  for (const comparison of comparisonsOfRule(rule)) {
    const series = owner.series.find(({ metric }) => metric === comparison.metric);
    for (const look of looksOf(comparison)) {
      windows = windows.concat(series === undefined ? null : windowOf(look, rule, series));
    }
  }
  return windows;
}

function windowOf(look: Look, rule: Rule, series: SeriesMemory): NonNullable<Windows[number]> {
  if ("percentile" in look) return percentiles(look, rule, series);
  return feed(
    series,
    look.op === "unchanged"
      ? new StillWindow(rule.schedule, series)
      : new StateWindow(windowNeed(look), lookBackOf(look), rule.schedule, series),
  );
}

function feed<T extends SampledWindow>(series: SeriesMemory, window: T): T {
  series.windows = series.windows.concat(window);
  return window;
}

/** Percentiles of one window, such as p10 and p90, share it: it holds every value of a week. */
function percentiles({ ms }: PercentileLimit, rule: Rule, series: SeriesMemory): PercentileWindow {
  for (const known of series.windows) {
    if (known instanceof PercentileWindow && known.is(ms, rule.schedule)) return known;
  }
  return feed(series, new PercentileWindow(ms, rule.schedule, series));
}

function windowNeed({ span, op }: ChangeComparison): WindowNeed {
  if (span.kind === "since") return "trail";
  return op === "rises" ? "lowest" : op === "falls" ? "highest" : "both";
}
