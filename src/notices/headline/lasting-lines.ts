import { Decimal } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import { formatValue, type Written } from "../../base/format.ts";
import { formatSeconds } from "../../base/times.ts";
import type { AlertEvent, Evidence } from "../../decide/event.ts";
import type { SilenceComparison, UnchangedComparison, Value } from "../../model/index.ts";
import { booleanText, headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { capital, GOOD_ICON, SEVERITY_ICONS } from "../wording.ts";
import type { Line } from "./fit.ts";
import { shortText } from "./level-lines.ts";

export type LastingComparison = SilenceComparison | UnchangedComparison;

export function isLasting(comparison: { readonly op: string }): comparison is LastingComparison {
  return comparison.op === "unchanged" || comparison.op === "no_update_for";
}

/**
 * What has stood still: `Price unchanged for 2 h: ETH/USDC 0.05% at 2,086.04 USDC/ETH`, or
 * `No update for 1 h: ETH/USDC 0.05%. Last at 2026-11-28 12:00 UTC`.
 */
export function lastingLines(
  event: AlertEvent,
  { metric, value }: Evidence,
  { op, ms }: LastingComparison,
  name: string,
  tail: string,
): readonly Line[] {
  const icon = SEVERITY_ICONS[event.rule.severity];
  const time = formatDuration(ms);
  if (op === "no_update_for") {
    const before = `${icon} No update for ${time}: `;
    return [
      { before, name, after: `. Last at ${timeOf(value)}`, tails: [tail] },
      { before, name, after: "", tails: [tail] },
    ];
  }
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what, which } = headlineLabel(metric, as, event.rule.across);
  const tails = which === null ? [tail] : [`. ${capital(which)}`, tail];
  const before = `${icon} ${capital(what)} unchanged for ${time}: `;
  return [
    { before, name, after: ` ${atValue(value, metric.label, as)}`, tails },
    { before, name, after: "", tails },
  ];
}

/** How it went on: `Price moves again: ETH/USDC 0.05% at 2,090 USDC/ETH`. `ends`: where, for how long. */
export function goesOnLines(
  event: AlertEvent,
  { metric, value }: Evidence,
  { op }: LastingComparison,
  name: string,
  ends: readonly string[],
): readonly Line[] {
  if (op === "no_update_for") {
    return [{ before: `${GOOD_ICON} Updated again: `, name, after: "", tails: ends }];
  }
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what } = headlineLabel(metric, as, event.rule.across);
  const before = `${GOOD_ICON} ${capital(what)} changes again: `;
  return [
    { before, name, after: ` ${atValue(value, metric.label, as)}`, tails: ends },
    { before, name, after: "", tails: ends },
  ];
}

function atValue(value: Value, label: string, as: Written): string {
  if (typeof value === "boolean") return booleanText(label, value);
  return typeof value === "string" ? shortText(value) : `at ${formatValue(value, as)}`;
}

/** Unix seconds, or the text of a bucket's own time. */
function timeOf(value: Value): string {
  if (value instanceof Decimal) return formatSeconds(value) ?? "an unknown time";
  return shortText(String(value));
}
