import type { Written } from "../../base/format.ts";
import { cleanText, cutText } from "../../base/text.ts";
import type { Description, Metric } from "../../kinds/kind.ts";
import type { Rule } from "../../model/index.ts";

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
