import { chainName } from "../base/chains.ts";
import { formatDuration, HOUR } from "../base/duration.ts";
import type { Written } from "../base/format.ts";
import { cleanText, cutText, shortId } from "../base/text.ts";
import type { Comparison, Condition, Severity, Span, Subject } from "../model.ts";
import type { Description, Metric } from "../watches/watch.ts";

/** The words that headlines and fields share. */

export const SEVERITY_ICONS: Readonly<Record<Severity, string>> = {
  critical: "🔴",
  warning: "🟠",
  info: "🔵",
};
export const GOOD_ICON = "🟢";
export const BLIND_ICON = "⚪";

/** A subject's name: what the chain or the rule says, else an id that tells it from others. */
export function subjectName(
  subject: Subject,
  description: Description | null,
  label: string | null,
): string {
  const { ids, chainId, name } = subject;
  const known = cleanText(description?.label ?? label ?? name ?? "");
  if (known !== "") return known;
  if (ids.pool !== undefined) return cleanText(shortId(ids.pool));
  return ids.nft === undefined ? chainName(chainId) : cleanText(`#${shortId(ids.nft)}`);
}

export function chainOf(subject: Subject, description: Description | null): string {
  return cleanText(description?.chain ?? chainName(subject.chainId));
}

/** How a metric's values are written; symbols of its unit have at most `limit` characters. */
export function writtenAs(
  metric: Metric,
  decimals: number | null,
  description: Description | null,
  limit: number,
): Written {
  const unit = splitUnit(description?.unit(metric.name) ?? "", limit).join(" per ");
  return { quantity: metric.quantity, decimals, unit };
}

/** Longer symbols are cut in a headline. */
const HEADLINE_SYMBOL = 10;

/** The same for a headline: symbols are short, and prices are in `USDC/ETH`. */
export function headlineAs(
  metric: Metric,
  decimals: number | null,
  description: Description | null,
): Written {
  const unit = headlineUnit(description?.unit(metric.name) ?? "").join("/");
  return { quantity: metric.quantity, decimals, unit };
}

/** `USDC per ETH` as its two symbols, short enough for a headline. */
export function headlineUnit(unit: string): readonly string[] {
  return splitUnit(unit, HEADLINE_SYMBOL);
}

/** What a number is called in a headline: its unit says which token it counts. */
export function headlineLabel({ label }: Metric, { unit }: Written): ReturnType<typeof splitLabel> {
  return splitLabel(unit === "" ? label : label.replace(/ of token[01]$/, ""));
}

/** `USDC per ETH` as its two symbols; another unit as one. */
function splitUnit(unit: string, limit: number): readonly string[] {
  return cleanText(unit, 2 * limit + 160)
    .split(" per ")
    .slice(0, 2)
    .map((symbol) => cutText(symbol, limit));
}

/** `in 1 h`, `in 24 h`, `since the last value`. */
export function spanWords(span: Span): string {
  if (span.kind === "since_last") return "since the last value";
  return `in ${windowWords(span.ms)}`;
}

/** As people speak of windows: hours up to two days. */
function windowWords(ms: number): string {
  return ms % HOUR === 0 && ms <= 48 * HOUR ? `${ms / HOUR} h` : formatDuration(ms);
}

export function capital(text: string): string {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("");
}

/** `tip (top 10%)` as what it is and what narrows it down. */
export function splitLabel(label: string): { what: string; which: string | null } {
  const match = /^(.*?) \(([^()]*)\)$/.exec(label);
  return match === null
    ? { what: label, which: null }
    : { what: match[1] ?? label, which: match[2] ?? null };
}

/** `in range`, `not in range`. */
export function booleanText(label: string, value: boolean): string {
  return value ? label : `not ${label}`;
}

/** Whether a comparison with a yes or no fires on that value. */
export function firesOn(comparison: Comparison, when: Condition, value: boolean): boolean {
  if (comparison.op !== "equals" && comparison.op !== "not_equals") return false;
  const limit = comparison.limit.kind === "value" ? comparison.limit.value : null;
  const holds = (limit === value) === (comparison.op === "equals");
  return holds !== isNegated(when, comparison);
}

/** Whether a condition is more than one comparison. */
export function isCompound({ op }: Condition): boolean {
  return op === "all" || op === "any" || op === "not";
}

/** Whether `comparison` stands under an odd number of `not`, so that it fires by being false. */
export function isNegated(condition: Condition, comparison: Comparison): boolean {
  return negations(condition, comparison, false) ?? false;
}

function negations(condition: Condition, wanted: Comparison, negated: boolean): boolean | null {
  switch (condition.op) {
    case "all":
    case "any":
      for (const term of condition.terms) {
        const found = negations(term, wanted, negated);
        if (found !== null) return found;
      }
      return null;
    case "not":
      return negations(condition.term, wanted, !negated);
    default:
      return condition === wanted ? negated : null;
  }
}

/** A condition in the words of the rule file: `all of: tvl_usd falls 10% within 1h; …`. */
export function conditionText(condition: Condition): string {
  switch (condition.op) {
    case "all":
    case "any":
      return `${condition.op} of (${condition.terms.map(conditionText).join("; ")})`;
    case "not":
      return `not (${conditionText(condition.term)})`;
    default:
      return `${condition.metric} ${comparisonText(condition)}`;
  }
}

/** What a comparison asks of its metric: `above 5 gwei`, `outside 2050 to 2250`, `falls 10% in 1 h`. */
export function comparisonText(comparison: Comparison): string {
  switch (comparison.op) {
    case "inside":
    case "outside":
      return `${comparison.op} ${comparison.low.text} to ${comparison.high.text}`;
    case "rises":
    case "falls":
    case "moves":
      return `${comparison.op} ${comparison.by.text} ${spanWords(comparison.span)}`;
    default:
      return `${comparison.op.replace("_", " ")} ${comparison.limit.text}`;
  }
}
