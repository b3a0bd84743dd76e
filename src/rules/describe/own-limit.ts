import type { Decimal } from "../../base/decimal.ts";
import { type Figure, formatFigure, type Scale, type Written } from "../../base/format.ts";
import { group } from "../../base/numerals.ts";
import type { Limit } from "../../model/index.ts";

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
