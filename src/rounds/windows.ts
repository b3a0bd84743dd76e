import { PercentileWindow } from "../engine/percentile.ts";
import { StillWindow } from "../engine/still.ts";
import { comparisonsOfRule, limitsOf } from "../engine/terms.ts";
import type { Windows } from "../engine/watched.ts";
import { StateWindow, type WindowNeed } from "../engine/window.ts";
import type { ChangeComparison, PercentileLimit, Rule } from "../model.ts";
import type { SeriesMemory, SubjectMemory } from "./memory.ts";

/** One for all alerts that look at no past. */
const NONE: Windows = new Map();

/** What an alert of the rule has to remember of a subject with state records; its series feed it. */
export function windowsFor(rule: Rule, owner: SubjectMemory): Windows {
  const kept = new Map<Parameters<Windows["get"]>[0], Fed>();
  for (const comparison of comparisonsOfRule(rule)) {
    const series = owner.series.find(({ metric }) => metric === comparison.metric);
    if (series === undefined) continue;
    const third = inForce(rule, series);
    if (comparison.op === "unchanged") {
      kept.set(comparison, feed(series, new StillWindow(third)));
    } else if ("span" in comparison) {
      const need = windowNeed(comparison);
      if (need === null) continue;
      kept.set(comparison, feed(series, new StateWindow(need.kind, need.ms, third)));
    }
    for (const limit of limitsOf(comparison)) {
      if (limit.kind === "percentile") kept.set(limit, percentiles(limit, rule, series));
    }
  }
  return kept.size === 0 ? NONE : kept;
}

type Fed = StateWindow | PercentileWindow | StillWindow;

function feed<T extends Fed>(series: SeriesMemory, window: T): T {
  series.windows.push(window);
  return window;
}

/** Percentiles of one window, such as p10 and p90, share it: it holds every value of a week. */
function percentiles({ ms }: PercentileLimit, rule: Rule, series: SeriesMemory): PercentileWindow {
  const key = `${ms} ${rule.schedule.key}`;
  for (const known of series.windows) {
    if (known instanceof PercentileWindow && known.key === key) return known;
  }
  return feed(series, new PercentileWindow(ms, inForce(rule, series), key));
}

/** Until when a sample is in force for a rule: three intervals, of points of a history three spacings. */
function inForce(rule: Rule, series: SeriesMemory): (date: number) => number {
  return (date) => series.pointUntil(date) ?? rule.schedule.third(date);
}

/** What a comparison has to remember of the past; null: nothing, or the alert does it itself. */
function windowNeed(change: ChangeComparison): { kind: WindowNeed; ms: number } | null {
  const { span, op } = change;
  if (span.kind === "since_last") return null;
  if (span.kind === "since") return { kind: "trail", ms: span.ms };
  const kind = op === "rises" ? "lowest" : op === "falls" ? "highest" : "both";
  return { kind, ms: span.ms };
}
