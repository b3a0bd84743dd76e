import {
  compare,
  Decimal,
  decimalFromInteger,
  isZero,
  negate,
  parseDecimal,
  shift,
} from "../../base/decimal.ts";
import { nearest } from "../../base/nearest.ts";
import { kindOf } from "../../base/settings.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { AmountLimit, Distance } from "../../model/index.ts";
import { QuantityError, shown } from "../finding.ts";
import { checkBare, missingPercent } from "../lint/bare-number.ts";
import { suggestNumbers, suggestUnit } from "../suggest/quantity.ts";
import {
  addressLimit,
  booleanLimit,
  isBoundedRatio,
  isNeverNegative,
  MULTIPLES,
  textLimit,
  UNITS,
  type Units,
} from "./units.ts";

const ONE = decimalFromInteger(1);

/**
 * Reads a limit for `metric`: `5 gwei`, `1_000_000 usd`, `$1m`, `95%`, `5M tokens`, or a plain number
 * in the metric's own unit; for text, addresses and booleans the value itself. `raw` is text (numbers
 * as they stand in the file), a boolean or, from code, a number. Exact; throws QuantityError.
 */
export function parseLimit(raw: unknown, metric: Metric): AmountLimit {
  const text = textOf(raw, metric);
  if (metric.quantity === "boolean") return booleanLimit(text);
  if (metric.quantity === "address") return addressLimit(text);
  if (metric.quantity === "text") return textLimit(text, metric);
  const amount = parseAmount(text, metric, "limit");
  const value = amount.kind === "tokens" ? amount.amount : amount.value;
  if (value instanceof Decimal && value.digits < 0n && isNeverNegative(metric)) {
    throw new QuantityError("out-of-range", `${metric.name} is never below zero`, {
      expected: unitsOf(metric).expected,
    });
  }
  return amount;
}

/**
 * Reads how far a value must go: an amount as in `parseLimit`, or a percentage of the base (`10%`,
 * `25 bps`). Always above zero. Throws QuantityError.
 */
export function parseDistance(raw: unknown, metric: Metric): Distance {
  const text = textOf(raw, metric);
  const units = unitsOf(metric);
  const parts = split(text);
  if (parts !== null && (parts.rest === "%" || parts.rest.toLowerCase() === "bps")) {
    if (metric.quantity === "tick") {
      throw new QuantityError(
        "wrong-unit",
        `${shown(text)} of ticks is not supported: a tick is already 0.01%`,
        {
          expected: units.expected,
        },
      );
    }
    const percent = parts.rest === "%" ? parts.number : shift(parts.number, -2);
    return { kind: "percent", percent: positive(percent, text), text: cleanText(text) };
  }
  // Of any metric a part of the value before may be asked for, in whatever way it is written.
  const share = parts === null ? null : suggestUnit(parts.rest, "ratio");
  if (
    share !== null &&
    metric.quantity !== "tick" &&
    suggestUnit(parts?.rest ?? "", metric.quantity) === null
  ) {
    throw new QuantityError(
      "wrong-unit",
      `${shown(text)} does not fit ${metric.name} (${metric.label})`,
      {
        expected: `a percentage such as 10%, or ${units.expected}`,
        suggestion: joined(text.slice(0, text.lastIndexOf(parts?.rest ?? "")).trimEnd(), share),
      },
    );
  }
  const limit = parseAmount(text, metric, "distance");
  const value = limit.kind === "tokens" ? limit.amount : limit.value;
  if (value instanceof Decimal) positive(value, text);
  return { kind: "absolute", limit, text: limit.text };
}

function positive(value: Decimal, text: string): Decimal {
  if (value.digits > 0n) return value;
  throw new QuantityError("out-of-range", `${shown(text)} is not above zero`, {
    expected: "how far the value must go",
    ...(isZero(value) ? {} : { suggestion: text.replace("-", "") }),
  });
}

function parseAmount(text: string, metric: Metric, use: "limit" | "distance"): AmountLimit {
  const units = unitsOf(metric);
  const parts = split(text);
  // What goes on with a digit or such is no unit: the number is written as elsewhere.
  if (parts === null || /^[.,'\d]/.test(parts.rest)) throw notANumber(text, metric, units);
  const { power, unit } = unitOf(text, parts, metric, units);
  if (unit === "") checkBare(text, parts.number, metric, use);
  const amount = shift(parts.number, power);
  const factor = units.powers[unit] ?? 0;
  if (factor === "tokens") return { kind: "tokens", amount, text: cleanText(text) };
  const value = shift(amount, factor);
  if (isBoundedRatio(metric) && compare(value, ONE) > 0) {
    throw new QuantityError(
      "out-of-range",
      `${shown(text)} is more than the whole: ${metric.name} is at most 100%`,
      {
        expected: units.expected,
      },
    );
  }
  return { kind: "value", value, text: cleanText(text) };
}

interface Parts {
  readonly number: Decimal;
  /** `$` stood before the number. */
  readonly dollar: boolean;
  /** What follows the number. */
  readonly rest: string;
}

const PARTS =
  /^([+-]?)(\$?)[ ]?([+-]?)(\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d{1,4})?)[ ]*(.*)$/;

function split(text: string): Parts | null {
  const match = PARTS.exec(text);
  if (match === null) return null;
  const [, before = "", dollar = "", after = "", digits = "", rest = ""] = match;
  if ((before !== "" && after !== "") || /^0+_/.test(digits)) return null;
  const number = parseDecimal(digits.replaceAll("_", ""));
  if (number === null) return null;
  const negative = before === "-" || after === "-";
  return { number: negative ? negate(number) : number, dollar: dollar !== "", rest };
}

/** The unit's name and the power of ten that a multiple (`k`, `M`, `b`) stands for. */
function unitOf(
  text: string,
  { rest, dollar, number }: Parts,
  metric: Metric,
  units: Units,
): { unit: string; power: number } {
  const known = (word: string): string | null => {
    if (dollar)
      return ["", "usd"].includes(word.toLowerCase()) && "usd" in units.powers ? "usd" : null;
    const lower = word.toLowerCase();
    return Object.hasOwn(units.powers, lower) ? lower : null;
  };
  const whole = known(rest);
  if (whole !== null) return { unit: whole, power: 0 };
  const multiple = rest.slice(0, 1);
  const power = MULTIPLES.get(multiple);
  const unit = known(rest.slice(1).trim());
  if (units.multiples && power !== undefined && unit !== null) {
    if (multiple !== "m" || units.smallMillion) return { unit, power };
    throw new QuantityError("wrong-unit", `the m of ${shown(text)} may be a million or a minute`, {
      expected: units.expected,
      suggestion: text.replace(/m(?=[^m]*$)/, "M"),
    });
  }
  if (rest === "" && !dollar) throw missingPercent(text, number, "has no unit", units.expected);
  throw wrongUnit(text, rest, metric, units);
}

function wrongUnit(text: string, rest: string, metric: Metric, units: Units): QuantityError {
  if (text.includes("$")) return noDollars(text, metric, units);
  const near = suggestUnit(rest, metric.quantity) ?? nearest(rest, Object.keys(units.powers));
  const place = text.lastIndexOf(rest);
  const number = text.slice(0, place).trimEnd();
  return new QuantityError(
    "wrong-unit",
    `${shown(text)} does not fit ${metric.name} (${metric.label})`,
    {
      expected: units.expected,
      ...(near === null || near === "" ? {} : { suggestion: joined(number, near) }),
    },
  );
}

/** What counts something else is no money, and a dollar may be meant as one token of it, or a price. */
function noDollars(text: string, metric: Metric, { expected }: Units): QuantityError {
  const bare = text.replace(/\$ ?/, "").replace(/ *usd$/i, "");
  const suggestion = [`${bare} tokens`, metric.quantity === "price" ? bare : ""].find(
    (one) => one !== "" && isAmount(one, metric),
  );
  const message = `${shown(text)} does not fit ${metric.name} (${metric.label}), which is not counted in dollars`;
  return new QuantityError("wrong-unit", message, { expected, suggestion });
}

/** A multiple and `%` stand right after the number, a unit after a space. */
function joined(number: string, unit: string): string {
  return /^(?:[kKmMbB](?: |$)|%| )/.test(unit) ? `${number}${unit}` : `${number} ${unit}`;
}

function notANumber(text: string, metric: Metric, { expected }: Units): QuantityError {
  if (/^p\d+(?:\.\d+)?$/i.test(text)) {
    return new QuantityError("bad-percentile", `${shown(text)} is a level, not a distance`, {
      expected,
    });
  }
  const readings = suggestNumbers(text);
  if (readings.length > 0 || /^[-+$ ]*\d[\d.]*,\d/.test(text)) {
    const why = text.includes(",")
      ? "has a comma in its number"
      : "is a number in another notation";
    const possible = readings.filter((one) => isAmount(one, metric));
    const suggestion = (possible.length > 0 ? possible : readings).join(" or ");
    const hint = suggestion === "" ? { expected } : { expected, suggestion };
    return new QuantityError("number-format", `${shown(text)} ${why}`, hint);
  }
  if (/^[-+]?\.\d/.test(text)) {
    return new QuantityError("number-format", `${shown(text)} begins with a point`, {
      expected,
      suggestion: text.replace(".", "0."),
    });
  }
  return new QuantityError("not-a-number", `${shown(text)} is not a number`, { expected });
}

/** Whether a reading can stand: a count is whole, and a share is not above the whole. */
function isAmount(text: string, metric: Metric): boolean {
  if (WHOLE.has(metric.quantity) && /\.\d+(?: ?ticks?)?$/.test(text)) return false;
  try {
    parseAmount(text, metric, "limit");
    return true;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return false;
  }
}

const WHOLE: ReadonlySet<Metric["quantity"]> = new Set(["count", "tick", "seconds"] as const);

function unitsOf(metric: Metric): Units {
  const units = UNITS[metric.quantity];
  if (units !== null) return units;
  throw new QuantityError("metric-no-number", `${metric.name} is not a number`, {
    expected: "equals or not_equals",
  });
}

/** The text of a threshold; refuses lists, maps, nothing, and true or false where a number is due. */
function textOf(raw: unknown, metric: Metric): string {
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean" && metric.quantity === "boolean") return String(raw);
  const expected = UNITS[metric.quantity]?.expected ?? "a value";
  if (typeof raw === "string") {
    const text = raw.trim();
    if (text !== "") {
      if (/^\d.*%\s+of\s+\S/.test(text)) {
        throw new QuantityError("wrong-unit", `${shown(text)} does not fit here`, { expected });
      }
      return text;
    }
  }
  if (raw === null || raw === undefined || raw === "") {
    throw new QuantityError("wrong-type", "has no value", { expected });
  }
  throw new QuantityError("wrong-type", `${kindOf(raw)} is not a limit for ${metric.name}`, {
    expected,
  });
}
