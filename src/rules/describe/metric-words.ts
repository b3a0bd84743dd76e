import { type Decimal, group } from "../../base/decimal.ts";
import { type Figure, formatFigure, type Scale, type Written } from "../../base/format.ts";
import { cleanText, cutText } from "../../base/text.ts";
import type { Description, Metric } from "../../kinds/kind.ts";
import type { Limit, Rule } from "../../model/index.ts";

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

/** Limits as their rules write them: whoever wrote `0.0001 gwei` must not have to reckon in wei. */

/** How a value and the limits that it is compared with are written. */
export interface OwnLimits {
  /** How the value is written: in the unit of its limits, where they have one. */
  readonly as: Written;
  /** In the order of the limits; null: the rule gives no amount, or none that reads better. */
  readonly figures: readonly (Figure | null)[];
}

/** `values`: the limits in the metric's own unit, in the same order. */
export function ownLimits(
  limits: readonly Limit[],
  values: readonly Decimal[],
  as: Written,
): OwnLimits {
  const written = limits.map((limit) => readWritten(limit, as));
  const units = new Set(written.map((one) => one?.unit ?? ""));
  const [unit = ""] = units;
  const counted = units.size === 1 ? countedIn(unit, as) : as;
  return {
    as: counted,
    figures: written.map((one, i) => {
      const value = values[i];
      return one === null || value === undefined ? null : figureOf(one, value, as, counted);
    }),
  };
}

/** An amount as it stands in the file. */
interface WrittenAmount {
  /** `0.0001 gwei`, `2bps`: as a whole, its digits in groups. */
  readonly text: string;
  /** `-`, or nothing. */
  readonly sign: string;
  /** `5M`, `1,000,000`. */
  readonly digits: string;
  /** In small letters; empty where there is none. */
  readonly unit: string;
}

const AMOUNT = /^([+-]?)(\$?) ?([+-]?)([\d_]+)((?:\.[\d_]+)?(?:[eE][+-]?\d+)?)( *)(.*)$/;
const UNITS: ReadonlySet<string> = new Set([
  "",
  "wei",
  "gwei",
  "usd",
  "%",
  "bps",
  "token",
  "tokens",
  "raw",
  "tick",
  "ticks",
]);

function readWritten({ kind, text }: Limit, { quantity }: Written): WrittenAmount | null {
  if (kind !== "value" && kind !== "tokens") return null;
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  const [, before = "", dollar = "", after = "", whole = "", part = "", space = "", rest = ""] =
    match;
  const known = UNITS.has(rest.toLowerCase());
  const multiple = known ? "" : rest.slice(0, 1);
  const unit = (known ? rest : rest.slice(1).trim()).toLowerCase();
  if (!UNITS.has(unit)) return null;
  const plain = whole.replaceAll("_", "");
  const digits = `${plain.length > 3 ? group(plain) : plain}${part.replaceAll("_", "")}${multiple}`;
  // Raw units without a word for them are no rule's own text.
  if (unit === "" && kind === "value" && quantity.startsWith("raw")) return null;
  const sign = before === "-" || after === "-" ? "-" : "";
  return {
    text: `${sign}${dollar}${digits}${multiple === "" ? space : ""}${known ? rest : rest.slice(1)}`,
    sign,
    digits,
    unit: dollar === "" ? unit : "usd",
  };
}

const SCALES: Readonly<Record<string, Scale>> = { wei: "wei", gwei: "gwei", bps: "bps" };

/** How values are written beside a limit in this unit. */
function countedIn(unit: string, as: Written): Written {
  const scale = SCALES[unit];
  if (scale !== undefined) return { ...as, scale };
  // Raw units stay what they are, whatever the decimals.
  return unit === "raw" ? { ...as, decimals: null } : as;
}

/** Null where a plain number in the metric's own unit reads better in another. */
function figureOf(
  { text, sign, digits, unit }: WrittenAmount,
  value: Decimal,
  as: Written,
  counted: Written,
): Figure | null {
  const figure = (number: string, its: string): Figure => ({ number, unit: its, shown: value });
  switch (as.quantity) {
    case "usd":
      return figure(`${sign}$${digits}`, "");
    case "wei":
    case "ratio":
    case "percent":
    case "fee":
      if (unit === "") return null;
      if (unit === "%") return figure(`${sign}${digits}%`, "");
      break;
    case "price":
    case "count":
    case "integer":
    case "tick":
      return figure(sign + digits, as.unit ?? "");
    case "tokens":
    case "raw":
    case "raw(token0)":
    case "raw(token1)":
      if (unit !== "raw") return figure(sign + digits, as.unit ?? "");
      break;
    default:
      return null;
  }
  // In a unit that such a number would not have by itself, both say so.
  const usual = formatFigure(value, as);
  const here = formatFigure(value, counted);
  return usual.unit === here.unit ? figure(sign + digits, here.unit) : figure(text, "");
}
