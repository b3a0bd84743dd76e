import { comparisonsOfRule, lookBackOf, looksOf } from "../decide/condition-tree.ts";
import { type AlertPlace, GateFinder, gateOrder, placesOf } from "../decide/gates.ts";
import type { Look, Windows } from "../decide/runtime.ts";
import { PercentileWindow } from "../decide/windows/percentile.ts";
import type { SampledWindow } from "../decide/windows/sampled.ts";
import { UnchangedWindow } from "../decide/windows/sampled.ts";
import { StateWindow, type WindowNeed } from "../decide/windows/window.ts";
import type { Alert, ChangeComparison, PercentileLimit, Rule, Subject } from "../model/index.ts";
import type { AlertMemory, MemoryGate, RuleMemory, SubjectMemory } from "./memory.ts";
import type { SeriesMemory } from "./series-memory.ts";

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
      ? new UnchangedWindow(rule.schedule, series, lookBackOf(look))
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

/**
 * A subject as it is asked for: several rules may watch it and call it differently, so that what is read
 * of it names it as the service does, and each alert has its own rule's name.
 */
export function nameless(subject: Subject): Subject {
  return subject.name === null ? subject : { ...subject, name: null };
}

/**
 * An alert whose rule was edited: it may have been called by a name that the rule gives no more. The
 * first answer names it anew.
 */
export function unnamed(alert: Alert, subject: Subject): Alert {
  return subject.name !== null || alert.label === null ? alert : { ...alert, label: null };
}

/**
 * Gives every alert of a rule with gates the alerts of other rules that it depends on, and every rule
 * its place in the order of decisions. The rules were checked when they were loaded: no gate is
 * missing, and there is no circle.
 */
export function linkGates(rules: readonly RuleMemory[]): void {
  const gated = rules.filter(({ rule }) => rule.gates !== null);
  if (gated.length === 0) return;
  const { ranks } = gateOrder(rules.map(({ rule }) => rule));
  const byName = new Map(rules.map((memory) => [memory.rule.name, memory]));
  const finders = new Map<RuleMemory, GateFinder<AlertMemory>>();
  const gateOf = (name: string, place: AlertPlace, anyChain: boolean): MemoryGate => {
    const other = byName.get(name);
    if (other === undefined) throw new Error(`no rule ${name}`);
    const finder = finders.get(other) ?? new GateFinder(other.rule, other.alerts);
    finders.set(other, finder);
    return { rule: other.rule, alerts: finder.find(place, anyChain) };
  };
  for (const memory of gated) {
    const { gates, name } = memory.rule;
    if (gates === null) continue;
    memory.rank = ranks.get(name) ?? 0;
    const places = placesOf(memory.rule);
    for (const [index, alert] of memory.alerts.entries()) {
      const place = places[index];
      if (place === undefined) continue;
      const find = (gate: string): MemoryGate => gateOf(gate, place, gates.anyChain);
      alert.gates = { onlyWhile: gates.onlyWhile.map(find), unless: gates.unless.map(find) };
    }
  }
}
