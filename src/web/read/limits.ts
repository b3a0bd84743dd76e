import { Decimal, shift, valueToText } from "../../base/decimal.ts";
import { comparisonsOf, limitsOf } from "../../decide/condition-tree.ts";
import type { Comparison } from "../../model/index.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import type { Samples } from "../api/schemas/history.ts";
import { readableComparison } from "../live/compared.ts";

/** The limits that a rule draws on a chart of a metric. */
export function limitsOn(
  { watched }: AlertMemory,
  metric: string,
  decimals: number | null,
): Samples["limits"] {
  const { rule } = watched;
  const own = comparisonsOf(rule.when).filter((one) => one.metric === metric);
  const ends = rule.resolveWhen === null ? [] : comparisonsOf(rule.resolveWhen);
  const resolve = ends.filter((one) => one.metric === metric);
  return own.map((comparison) => ({
    rule: rule.name,
    op: comparison.op,
    fires: readableComparison(comparison),
    values: fixedLimits(comparison, decimals),
    resolve: resolve.flatMap((one) => fixedLimits(one, decimals)),
    window_ms:
      "span" in comparison && "ms" in comparison.span
        ? comparison.span.ms
        : "ms" in comparison
          ? comparison.ms
          : null,
  }));
}

/** Those that are known without a look at the past; exact, in the metric's own unit. */
function fixedLimits(comparison: Comparison, decimals: number | null): string[] {
  return limitsOf(comparison).flatMap((limit) => {
    if (limit.kind === "value") return [valueToText(limit.value) ?? ""];
    if (limit.kind !== "tokens" || decimals === null) return [];
    return limit.amount instanceof Decimal ? [shift(limit.amount, decimals).toString()] : [];
  });
}
