import type { AlertMemory } from "../../poll/memory.ts";
import { writtenAs } from "../../rules/describe/metric-words.ts";
import type { AlertDetail } from "../api/schemas/alerts.ts";
import { shownValue } from "./compared.ts";
import { SYMBOL_LENGTH } from "./record.ts";
import { newestOf } from "./restored.ts";
import type { Seen } from "./seen.ts";

/** Every field of the newest record, or those that are kept where no round has read the others for us. */
export function recordView(
  { owner, watched }: AlertMemory,
  seen: Seen | null,
): AlertDetail["record"] {
  if (seen !== null && seen.record !== null) {
    const at = new Date(seen.record.at).toISOString();
    // What the rule looks at comes first.
    const own = new Set(watched.rule.metrics);
    const fields = seen.record.fields.toSorted(
      (a, b) => Number(own.has(b.metric.name)) - Number(own.has(a.metric.name)),
    );
    return fields.map(({ metric, value, as }) => {
      return { metric: metric.name, label: metric.label, value: shownValue(value, as), at };
    });
  }
  return owner.series.map((series) => {
    const metric = watched.kind.metrics.get(series.metric);
    const { value, at } = newestOf(series);
    const decimals = seen?.decimals[series.metric] ?? null;
    return {
      metric: series.metric,
      label: metric?.label ?? series.metric,
      value:
        value === null || metric === undefined
          ? null
          : shownValue(
              value,
              writtenAs(metric, decimals, seen?.description ?? null, SYMBOL_LENGTH),
            ),
      at: Number.isFinite(at) ? new Date(at).toISOString() : null,
    };
  });
}
