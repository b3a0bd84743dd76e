import { Decimal, shift } from "../../base/decimal.ts";
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from "../../base/duration.ts";
import { formatValue, type Written } from "../../base/format.ts";
import type {
  ChangeComparison,
  Comparison,
  Condition,
  Distance,
  EntryWords,
  Limit,
  Rule,
  Span,
  WorseBy,
} from "../../model/index.ts";
import { isComparison } from "../lint/overlap.ts";
import { ownLimits } from "./metric-words.ts";

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
function distanceText(by: Distance, as: Written): string {
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

/** What a sentence about entries is made from. */
export interface EntryParts {
  /** The pool or the token, or several. */
  readonly name: string;
  readonly label: (comparison: Comparison) => string;
  readonly predicate: (comparison: Comparison) => Predicate;
}

/** `each swap in ETH/USDC whose value is above $500,000`. */
export function entriesOf({ words: kind, when, subjects }: Rule, words: EntryParts): string {
  const { entry } = kind;
  const clause = new Clause(words, entry?.list).of(when, false);
  if (entry?.list === undefined) return `each ${entry?.one ?? "entry of"} ${words.name} ${clause}`;
  const tops = new Set(subjects.map(({ ids }) => ids.top));
  const [top] = tops;
  const list = tops.size === 1 && top !== undefined ? `top ${top}` : "largest";
  const told = clause.replaceAll(LIST, () => list);
  const place = told.includes(`the ${list}`)
    ? ""
    : ` among the ${list} ${entry.list.of} of ${words.name}`;
  return `each ${entry.one}${place} ${place === "" ? told.replaceAll(WHOSE, () => words.name) : told}`;
}

/** Stand for what is known when the whole clause is: a name cannot hold them. */
const LIST = "\u0001";
const WHOSE = "\u0002";

class Clause {
  constructor(
    private readonly words: EntryParts,
    private readonly list: EntryWords["list"],
  ) {}

  of(condition: Condition, inner: boolean): string {
    if (isComparison(condition)) return this.#comparison(condition);
    if (!("terms" in condition)) return "";
    const text = condition.terms
      .map((term) => this.of(term, true))
      .join(condition.op === "all" ? " and " : " or ");
    return inner && condition.terms.length > 1 ? `(${text})` : text;
  }

  #comparison(comparison: Comparison): string {
    const { metric, op } = comparison;
    const change = this.list?.verbs[metric];
    if (this.list !== undefined && change !== undefined) {
      const wanted = "limit" in comparison && comparison.limit.kind === "value";
      const yes = (wanted && comparison.limit.value === true) === (op === "equals");
      const says = yes ? `${change}s` : `does not ${change}`;
      return `that ${says} the ${LIST} ${this.list.of} of ${WHOSE}`;
    }
    const { verb, rest } = this.words.predicate(comparison);
    return `whose ${this.words.label(comparison)} ${verb} ${rest}`.trimEnd();
  }
}

/** So long after its last value a subject is told of where a rule does not say it. */
const MISSING_AFTER_MS = 5 * MINUTE;

/** `only while cheap-gas fires`. */
export function gateClauses({ gates }: Rule): readonly string[] {
  if (gates === null) return [];
  const { onlyWhile, unless, anyChain } = gates;
  const where = anyChain ? " on any chain" : "";
  return [
    ...(onlyWhile.length === 0 ? [] : [`only while ${fires(onlyWhile, "and")}${where}`]),
    ...(unless.length === 0 ? [] : [`waits while ${fires(unless, "or")}${where}`]),
  ];
}

function fires(names: readonly string[], word: "and" | "or"): string {
  const [last = ""] = names.slice(-1);
  if (names.length === 1) return `${last} fires`;
  const verb = word === "and" ? "fire" : "fires";
  return `${names.slice(0, -1).join(", ")} ${word} ${last} ${verb}`;
}

/** What a rule says again, and how often at most. `as`: how the value that grows worse is written. */
export function againClauses(rule: Rule, as: Written | null): readonly string[] {
  const { worse, remind, cooldownMs, once, onMissing, missingAfterMs } = rule;
  const parts: string[] = [];
  if (worse !== null && as !== null) parts.push(`again with each further ${worseText(worse, as)}`);
  if (remind.length > 0) parts.push(`reminds ${gapsText(remind)} while it lasts`);
  if (cooldownMs > 0) parts.push(`at most once in ${spelledDuration(cooldownMs)}`);
  if (once) parts.push("only once, until it is rearmed or edited");
  const missing = `${spelledDuration(missingAfterMs)} without data`;
  if (onMissing === "fire") parts.push(`fires after ${missing} as well`);
  else if (missingAfterMs !== MISSING_AFTER_MS) parts.push(`says so after ${missing}`);
  return parts;
}

/** Which buckets count, as far as it is not the usual. `bucketMs` is the length of one. */
export function bucketClauses(
  { bucket, minAgeMs, maxAgeMs }: Rule,
  bucketMs: number,
): readonly string[] {
  const length = shortLength(bucketMs);
  const parts: string[] = [];
  if (bucket === "complete") parts.push(`looks at each ${length} once it is over`);
  if (minAgeMs !== MISSING_AFTER_MS && (bucket !== "complete" || minAgeMs > bucketMs)) {
    const age =
      minAgeMs === 0 ? "from its beginning" : `once ${spelledDuration(minAgeMs)} of it are over`;
    parts.push(`counts the running ${length} ${age}`);
  }
  if (maxAgeMs !== 2 * bucketMs) {
    parts.push(`has no data once the last ${length} is over for ${spelledDuration(maxAgeMs)}`);
  }
  return parts;
}

function worseText({ comparison, by }: WorseBy, as: Written): string {
  const far = distanceText(by, as);
  if (by.kind === "percent") return "span" in comparison ? far : `${far} of the limit`;
  // Two percent of a share are two points of it, and no part.
  return far.endsWith("%") ? `${far.slice(0, -1)} points` : far;
}

/** `every hour`, `after 1 hour, 6 hours and then every day`. */
function gapsText(gaps: readonly number[]): string {
  const last = `every ${shortLength(gaps.at(-1) ?? 0)}`;
  const before = gaps.slice(0, -1).map(spelledDuration);
  return before.length === 0 ? last : `after ${before.join(", then ")}, then ${last}`;
}

/** `hour` for one, `2 hours` for more: after `every`, `each` or `in`. */
function shortLength(ms: number): string {
  return spelledDuration(ms).replace(/^1 (\w+)$/, "$1");
}
