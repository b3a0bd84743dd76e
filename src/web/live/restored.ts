import { shift, valueFromText } from "../../base/decimal.ts";
import { countsRaw } from "../../base/quantity.ts";
import { comparisonsOf, limitsOf } from "../../decide/condition-tree.ts";
import { FALSE, TRUE, type Truth } from "../../decide/evaluation-context.ts";
import type { Alert, Value } from "../../model/index.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import type { SeriesMemory } from "../../poll/series-memory.ts";
import type { Seen } from "./seen.ts";

/** What its condition was, by the state that the alert has since. */
export function truthOf({ state }: Alert): Truth {
  return state === "ok" || state === "recovering" ? FALSE : TRUE;
}

/** The newest value of a series that is kept, and when that was, epoch milliseconds; not finite: there is none. */
export function newestOf({ buckets, text, quantity, last }: SeriesMemory): {
  readonly value: Value | null;
  readonly at: number;
} {
  const newest = buckets?.newest(Number.MAX_SAFE_INTEGER, 0) ?? null;
  return { value: newest?.value ?? valueFromText(text, quantity), at: newest?.at ?? last };
}

/**
 * What was seen of an alert before the daemon started, as far as it was kept: the value of its first comparison
 * with limits that its rule writes. Rounds of hours and days may be long in coming. Null: nothing was kept of it.
 */
export function restoredSeen({ alert, owner, watched, subject }: AlertMemory): Seen | null {
  const { rule, kind } = watched;
  if (alert === null) return null;
  for (const comparison of comparisonsOf(rule.when)) {
    const decimals = rule.decimals.get(subject.key);
    const limits = limitsOf(comparison).flatMap((one): Value[] => {
      if (one.kind === "value") return [one.value];
      return one.kind === "tokens" && decimals !== undefined ? [shift(one.amount, decimals)] : [];
    });
    const metric = kind.metrics.get(comparison.metric);
    const series = owner.series.find((one) => one.metric === comparison.metric);
    if (metric === undefined || series === undefined) continue;
    if (limits.length === 0 || limits.length < limitsOf(comparison).length) continue;
    const { value, at } = newestOf(series);
    if (value === null || !Number.isFinite(at)) continue;
    if (countsRaw(metric.quantity) && decimals === undefined) continue;
    const evidence = { comparison, metric, value, limits, base: null, baseAt: null };
    return {
      at,
      truth: truthOf(alert),
      evidence,
      known: evidence,
      others: [],
      description: null,
      decimals: decimals === undefined ? {} : { [metric.name]: decimals },
      closed: false,
      trouble: null,
      bucket: null,
      record: null,
    };
  }
  return null;
}
