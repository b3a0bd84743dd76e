import { Decimal, shift } from "../../base/decimal.ts";
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from "../../base/duration.ts";
import { formatValue, type Written } from "../../base/format.ts";
import type { ChangeComparison, Comparison, Distance, Limit, Span } from "../../model/index.ts";
import { ownLimits } from "./own-limit.ts";

/** What a comparison says of its value: a verb and what follows it. */
export interface Predicate {
  /** `is`: a state that can last; else a verb such as `falls`. */
  readonly verb: "is" | "rises" | "falls" | "moves" | "changes" | "crosses" | "stays";
  /** `above 5 gwei`, `10% within 1 h`; may be empty. */
  readonly rest: string;
}

/** Limits are written with every digit: a rounded one would be another rule. */
export function predicateOf(comparison: Comparison, as: Written): Predicate {
  switch (comparison.op) {
    case "inside":
    case "outside": {
      const low = limitText(comparison.low, as);
      const high = limitText(comparison.high, as);
      return { verb: "is", rest: `${comparison.op} ${withoutUnit(low, high)} to ${high}` };
    }
    case "rises":
    case "falls":
    case "moves":
      return { verb: comparison.op, rest: changeText(comparison, as) };
    case "changes":
      return { verb: "changes", rest: "" };
    case "unchanged":
      return { verb: "stays", rest: `the same for ${spelledDuration(comparison.ms)}` };
    case "no_update_for":
      return { verb: "is", rest: `older than ${spelledDuration(comparison.ms)}` };
    case "crosses":
      return { verb: "crosses", rest: limitText(comparison.limit, as) };
    case "equals":
      return { verb: "is", rest: limitText(comparison.limit, as) };
    case "not_equals":
      return { verb: "is", rest: `not ${limitText(comparison.limit, as)}` };
    default:
      return {
        verb: "is",
        rest: `${comparison.op.replace("_", " ")} ${limitText(comparison.limit, as)}`,
      };
  }
}

function limitText(limit: Limit, as: Written): string {
  if (limit.kind === "percentile")
    return `${limit.text} of the last ${spelledDuration(limit.ms).replace(/^1 (\w+)$/, "$1")}`;
  if (limit.kind === "reference") return limit.text;
  if (limit.kind === "tokens") {
    const decimals = as.decimals ?? null;
    if (decimals !== null) return formatValue(shift(limit.amount, decimals), as, "full");
    return formatValue(limit.amount, { quantity: "tokens", unit: as.unit || "tokens" }, "full");
  }
  if (typeof limit.value === "boolean") return String(limit.value);
  if (limit.value instanceof Decimal) {
    // In the unit of the rule: `0.0001 gwei` is not read again in `100,000 wei`.
    const { scale } = ownLimits([limit], [limit.value], as).as;
    return formatValue(limit.value, scale === undefined ? as : { ...as, scale }, "full");
  }
  return limit.value.startsWith("0x") ? limit.value : `"${limit.text}"`;
}

/** `2,050 USDC per ETH` beside `2,250 USDC per ETH` is `2,050`. */
function withoutUnit(low: string, high: string): string {
  const unit = / .*$/.exec(high)?.[0] ?? "";
  return unit !== "" && low.endsWith(unit) ? low.slice(0, -unit.length) : low;
}

function changeText({ by, span }: ChangeComparison, as: Written): string {
  return `${distanceText(by, as)} ${spanText(span)}`;
}

/** How far, with every digit: `10%`, `$50,000`, `200 ticks`. */
export function distanceText(by: Distance, as: Written): string {
  const distance = as.quantity === "tick" ? { ...as, unit: "ticks" } : as;
  return by.kind === "percent" ? by.text.replaceAll(" ", "") : limitText(by.limit, distance);
}

function spanText(span: Span): string {
  if (span.kind === "since_last") return "against the last value";
  const { ms } = span;
  const time = ms % HOUR === 0 && ms <= 2 * DAY ? `${ms / HOUR} h` : formatDuration(ms);
  return span.kind === "within" ? `within ${time}` : `against ${time} before`;
}

const LENGTHS: readonly [ms: number, noun: string][] = [
  [DAY, "day"],
  [HOUR, "hour"],
  [MINUTE, "minute"],
  [SECOND, "second"],
];

/** `5 minutes`, `1 hour 30 minutes`; exact to the second. */
export function spelledDuration(ms: number): string {
  let left = ms;
  const parts: string[] = [];
  for (const [length, noun] of LENGTHS) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count} ${noun}${count === 1 ? "" : "s"}`);
  }
  return parts.join(" ");
}
