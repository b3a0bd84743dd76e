import { chainName } from "../base/chains.ts";
import { formatDuration, HOUR } from "../base/duration.ts";
import type { Written } from "../base/format.ts";
import { cleanText, cutText, shortId } from "../base/text.ts";
import { knownLabel } from "../decide/description.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Description, Metric } from "../kinds/kind.ts";
import type {
  Comparison,
  Condition,
  Limit,
  Rule,
  Severity,
  Span,
  Subject,
} from "../model/index.ts";

/** The words that headlines and fields share. */

export const SEVERITY_ICONS: Readonly<Record<Severity, string>> = {
  critical: "🔴",
  warning: "🟠",
  info: "🔵",
};
export const GOOD_ICON = "🟢";
export const BLIND_ICON = "⚪";
/** It is over, and not well again. */
export const OVER_ICON = "⚪";

/** A subject's name: what the chain or the rule says, else an id that tells it from others. */
export function subjectName(
  subject: Subject,
  description: Description | null,
  label: string | null,
): string {
  const { ids, chainId, name } = subject;
  const known = cleanText(knownLabel(description?.label ?? null, label) ?? name ?? "");
  if (known !== "") return known;
  if (ids.pool !== undefined) return cleanText(shortId(ids.pool));
  if (ids.nft !== undefined) return cleanText(`#${shortId(ids.nft)}`);
  const { wallet, token = wallet } = ids;
  return token === undefined ? chainName(chainId) : cleanText(shortId(wallet ?? token));
}

export function chainOf(subject: Subject, description: Description | null): string {
  return cleanText(description?.chain ?? chainName(subject.chainId));
}

/** `. Ethereum`, `. Six chains`; nothing where the name says it already. */
export function chainTail(
  { subject, description, rule }: Pick<AlertEvent, "subject" | "description" | "rule">,
  name: string,
): string {
  const chain = chainOf(subject, description);
  if (name === chain) return "";
  return `. ${rule.across === null ? chain : capital(chain)}`;
}

/** The chain where it tells subjects of one rule apart; nothing where all of them are on one. */
export function chainApart({ subject, rule }: AlertEvent, tail: string): readonly string[] {
  const apart = rule.subjects.some(({ chainId }) => chainId !== subject.chainId);
  return apart && rule.across === null && tail !== "" ? [tail] : [];
}

/** Whether a name is a token's symbol, as far as one can tell: `AUSD`, `wstETH`; not `Treasury`. */
function isSymbol(name: string): boolean {
  const letters = name.match(/\p{L}/gu)?.length ?? 0;
  const capitals = name.match(/\p{Lu}/gu)?.length ?? 0;
  return /^[^\s/…#]{2,12}$/u.test(name) && capitals >= 2 && capitals * 2 >= letters;
}

/**
 * What follows a number of this metric, clean. No record names the symbol of a token that counts
 * in `raw` units; often the rule calls the token by it.
 */
function unitOf(metric: Metric, decimals: number | null, description: Description | null): string {
  const given = cleanText(description?.unit(metric.name) ?? "", LONGEST_UNIT);
  if (given !== "" || metric.quantity !== "raw") return given;
  const label = cleanText(description?.label ?? "");
  if (isSymbol(label)) return label;
  return decimals === null ? "" : "tokens";
}

/** Whether a number's unit already says whose it is: `306M AUSD` of AUSD. */
export function unitNames(
  name: string,
  metric: Metric,
  decimals: number | null,
  description: Description | null,
): boolean {
  return name !== "" && name === unitOf(metric, decimals, description);
}

/** How a metric's values are written; symbols of its unit have at most `limit` characters. */
export function writtenAs(
  metric: Metric,
  decimals: number | null,
  description: Description | null,
  limit: number,
): Written {
  const unit = splitUnit(unitOf(metric, decimals, description), limit).join(" per ");
  return { quantity: metric.quantity, decimals, unit };
}

/** Longer symbols are cut in a headline. */
const HEADLINE_SYMBOL = 12;
/** More of a unit is not looked at: two symbols, each cut later. */
const LONGEST_UNIT = 200;

/** The same for a headline: symbols are short, and prices are in `USDC/ETH`. */
export function headlineAs(
  metric: Metric,
  decimals: number | null,
  description: Description | null,
): Written {
  const unit = headlineUnit(unitOf(metric, decimals, description)).join("/");
  return { quantity: metric.quantity, decimals, unit };
}

/** `USDC per ETH` as its two symbols, short enough for a headline. */
export function headlineUnit(unit: string): readonly string[] {
  return splitUnit(unit, HEADLINE_SYMBOL);
}

/** What a number is called in a headline: its unit says which token it counts. */
export function headlineLabel(
  metric: Metric,
  { unit }: Written,
  across: Rule["across"],
): ReturnType<typeof splitLabel> {
  const label = metricLabel(metric, across);
  return splitLabel(unit === "" ? label : label.replace(/ of token[01]$/, ""));
}

/** `lowest tip (top 10%)`: which of the subjects' values a rule over several looks at. */
export function metricLabel({ label }: Metric, across: Rule["across"]): string {
  if (across === "min") return `lowest ${label}`;
  return across === "max" ? `highest ${label}` : label;
}

/** `USDC per ETH` as its two symbols; another unit as one. */
function splitUnit(unit: string, limit: number): readonly string[] {
  return cleanText(unit, LONGEST_UNIT)
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
export function windowWords(ms: number): string {
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
      return `${comparison.op} ${limitWords(comparison.low)} to ${limitWords(comparison.high)}`;
    case "rises":
    case "falls":
    case "moves":
      return `${comparison.op} ${comparison.by.text} ${spanWords(comparison.span)}`;
    case "changes":
      return "changes";
    case "unchanged":
      return `unchanged for ${windowWords(comparison.ms)}`;
    case "no_update_for":
      return `no update for ${windowWords(comparison.ms)}`;
    default:
      return `${comparison.op.replace("_", " ")} ${limitWords(comparison.limit)}`;
  }
}

/** A limit as the user wrote it; of a percentile also of what time. */
function limitWords(limit: Limit): string {
  return limit.kind === "percentile" ? `${limit.text} of ${windowWords(limit.ms)}` : limit.text;
}
