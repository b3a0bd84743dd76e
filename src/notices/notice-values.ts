import { cleanText } from "../base/text.ts";
import type { Evidence } from "../decide/event.ts";
import { valueToText } from "../decide/watched.ts";
import type { Description } from "../kinds/kind.ts";
import type { NoticeValue } from "../model/index.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";

/** So many characters of a text value are kept; no number is as long. */
const LONGEST_TEXT = 400;
/** Symbols of a unit are cut to this. */
const SYMBOL_LENGTH = 24;

/** What was compared, exact, for programs. */
export function noticeValue(
  subject: string,
  { comparison, metric, value, limits, base, baseAt }: Evidence,
  description: Description | null,
  decimals: number | null,
): NoticeValue {
  const exact = (one: Evidence["value"]): string =>
    typeof one === "string" ? cleanText(one, LONGEST_TEXT) : (valueToText(one) ?? "");
  return {
    subject,
    metric: metric.name,
    quantity: metric.quantity,
    value: exact(value),
    decimals: metric.quantity.startsWith("raw") ? decimals : null,
    unit: writtenAs(metric, decimals, description, SYMBOL_LENGTH).unit ?? "",
    op: comparison.op,
    limits: limits.map(exact),
    base: base === null ? null : exact(base),
    baseAt,
  };
}
