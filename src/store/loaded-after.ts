import type { Change } from "../model/index.ts";
import type { Loaded } from "./store.ts";

/** What is loaded once these were committed as well, in their order. Pure. */
export function loadedAfter(stored: Loaded, changes: Iterable<Change>): Loaded {
  const alerts = new Map(stored.alerts.map((alert) => [keyOf(alert), alert]));
  const rules = new Map(stored.rules.map((rule) => [rule.name, rule]));
  const series = new Map(stored.series.map((one) => [one.id, one]));
  const newest = new Map(stored.newest);
  const cursors = new Map(stored.cursors);
  const marks = new Map(stored.marks);
  const slotRounds = new Map(stored.slotRounds);
  for (const change of changes) {
    for (const one of change.series) series.set(one.id, one);
    for (const { series: id, first, last, value } of change.runs) {
      if (first >= (newest.get(id)?.first ?? first)) {
        newest.set(id, { series: id, first, last, value });
      }
    }
    for (const { subject, value } of change.cursors) cursors.set(subject, value);
    for (const { subject, value } of change.marks) marks.set(subject, value);
    for (const one of change.removedAlerts) alerts.delete(keyOf(one));
    for (const alert of change.alerts) alerts.set(keyOf(alert), alert);
    for (const name of change.removedRules) rules.delete(name);
    for (const { rules: names, date, slots = [] } of change.closed) {
      for (const name of names) {
        const rule = rules.get(name);
        if (rule !== undefined) rules.set(name, { ...rule, lastRound: date });
        if (slots.length === 0) continue;
        const dates = slots.map((slot) => [slot, date] as const);
        slotRounds.set(name, new Map([...(slotRounds.get(name) ?? []), ...dates]));
      }
    }
    for (const rule of change.rules) rules.set(rule.name, rule);
  }
  return {
    ...stored,
    alerts: [...alerts.values()],
    rules: [...rules.values()],
    series: [...series.values()],
    newest,
    cursors,
    marks,
    ...(stored.slotRounds === undefined ? {} : { slotRounds }),
  };
}

function keyOf({ rule, subject }: { readonly rule: string; readonly subject: string }): string {
  return JSON.stringify([rule, subject]);
}
