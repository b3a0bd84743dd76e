import { isMap } from "../../base/json.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import { errorAt, errorAtKey, type Path, type Report, warningAtKey } from "../../rules/finding.ts";

/** What looks at a past or at a state, and an entry has neither. */
const OF_SAMPLES: ReadonlySet<string> = new Set([
  "not",
  "within",
  "since",
  "rises",
  "falls",
  "moves",
  "changes",
  "crosses",
  "unchanged",
  "no_update_for",
]);

/**
 * Whether a rule at `path` is tested on each entry of a stream, by the metrics that it names. Reports
 * what makes no sense there.
 */
export function checkEntries(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  metrics: readonly string[],
  kind: WatchKind,
  report: Report,
): boolean {
  const entry = metrics.find((name) => kind.metrics.get(name)?.entry === true);
  if (entry === undefined) return false;
  const state = metrics.find((name) => kind.metrics.get(name)?.entry !== true);
  if (state !== undefined) {
    const message = `${entry} is of one entry and ${state} is not: they cannot be in one rule`;
    report(errorAt("not-for-events", [...path, "when"], message, "two rules"));
  }
  if ("across" in raw) {
    const message = `across does not work with ${entry}: every entry is notified by itself`;
    report(errorAtKey("not-for-events", [...path, "across"], message));
  }
  for (const key of keysOf(raw.when, [...path, "when"])) {
    const name = String(key.at(-1));
    const message = `${name} does not belong to ${entry}: each entry is evaluated alone, once`;
    report(errorAtKey("not-for-events", key, message));
  }
  return true;
}

/** Where in a condition something stands that entries cannot be asked. */
function keysOf(condition: unknown, path: Path): readonly Path[] {
  if (Array.isArray(condition)) {
    const items: readonly unknown[] = condition;
    return items.flatMap((item, i) => keysOf(item, [...path, i]));
  }
  if (!isMap(condition)) return [];
  return Object.entries(condition).flatMap(([key, value]) => [
    ...(OF_SAMPLES.has(key) ? [[...path, key]] : []),
    ...keysOf(value, [...path, key]),
  ]);
}

/** What belongs to a state, and an event has none. */
const OF_STATES = [
  "for",
  "resolve_when",
  "resolve_after",
  "remind",
  "worse_by",
  "on_missing",
] as const;

/** Checks the keys of a rule at `path` whose `when` holds an event, or speaks of entries as it says. */
export function checkEventKeys(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  report: Report,
  what = "changes or crosses",
): void {
  for (const key of OF_STATES) {
    if (!(key in raw)) continue;
    const message = `${key} does not belong to a rule with ${what}: an event is over at once`;
    report(errorAtKey("not-for-events", [...path, key], message));
  }
  if ("send_resolved" in raw) {
    const message = `send_resolved has no effect with ${what}: an event never resolves`;
    report(warningAtKey("not-for-events", [...path, "send_resolved"], message));
  }
}
