import { parseDecimal } from "../base/decimal.ts";
import { formatValue } from "../base/format.ts";
import { cleanText } from "../base/text.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule } from "../model/index.ts";
import type { Track } from "../replay/past/tracks.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";

/** Longer symbols are cut in a table. */
const LONGEST_UNIT = 12;

/** How a rule's values are written for people: exact text to `7.2 gwei`. */
export function valueWriter(
  rule: Rule,
  tracks: ReadonlyMap<string, Track>,
): (subject: string, metric: string | null, text: string | null) => string {
  const kind = KINDS.get(rule.kind);
  return (subject, metric, text) => {
    if (text === null || metric === null) return "";
    const value = parseDecimal(text);
    const spec = kind?.metrics.get(metric);
    if (value === null || spec === undefined) return cleanText(text, 40);
    const facts = tracks.get(subject)?.past.facts;
    const decimals = rule.decimals.get(subject) ?? facts?.decimals(metric) ?? null;
    return formatValue(value, writtenAs(spec, decimals, facts?.description ?? null, LONGEST_UNIT));
  };
}
