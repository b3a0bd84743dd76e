import {
  compare,
  type Decimal,
  decimalFromInteger,
  divide,
  multiply,
  placesFor,
  rounded,
  shift,
  subtract,
} from "../base/decimal.ts";
import {
  type Figure,
  formatBeside,
  formatFigure,
  formatValue,
  joinFigure,
  type Written,
} from "../base/format.ts";
import { cleanText, cutText } from "../base/text.ts";
import { limitsOf, windowWords } from "../decide/condition-tree.ts";
import type { Comparison, Limit, PercentileLimit, ReferenceLimit } from "../model/index.ts";
import { ownLimits } from "../rules/describe/metric-words.ts";

/** A value and what it was compared with, as a sentence goes on. */
export interface Compared {
  /** `7.4 gwei` */
  readonly value: string;
  /** `, limit 5`, `, 3.2 times the usual 3.8` */
  readonly limit: string;
}

/** Why the sentence is told: the limit was crossed, by being false where `negated`, or left again. */
export interface Told {
  readonly how: "crossed" | "left";
  readonly negated: boolean;
}

/**
 * From the richest way to say it to the plainest; none where there is nothing to say. `limits` are those of the
 * comparison in the metric's own unit.
 */
export function comparedWords(
  comparison: Comparison,
  value: Decimal,
  limits: readonly Decimal[],
  as: Written,
  told: Told,
): readonly Compared[] {
  const given = limitsOf(comparison);
  // A limit that is measured may not be known by now.
  if (limits.length < given.length) return [{ value: formatValue(value, as), limit: "" }];
  const own = ownLimits(given, limits, as);
  const [mine, ...others] = formatBeside([value, ...limits], own.as, [null, ...own.figures]);
  if (mine === undefined) return [];
  const texts = others.map((other) => bare(other, mine));
  const plain =
    told.how === "left"
      ? leftLimit(comparison, told.negated, texts)
      : crossedLimit(comparison, told.negated, texts);
  const number = joinFigure(mine);
  const rich = relative(comparison, given, value, limits, texts, own.as, told);
  return [
    ...timesWays(given, value, limits, own.as),
    ...(rich === null ? [] : [{ value: number, limit: rich }]),
    { value: number, limit: plain },
  ];
}

/** A number in the unit of the one beside it does not repeat it. */
export function bare(figure: Figure, beside: Figure): string {
  return figure.unit === beside.unit ? figure.number : joinFigure(figure);
}

function relative(
  comparison: Comparison,
  [limit, upper]: readonly Limit[],
  value: Decimal,
  limits: readonly Decimal[],
  texts: readonly string[],
  as: Written,
  told: Told,
): string | null {
  if (limit === undefined) return null;
  if (upper !== undefined) {
    return told.how === "left" || told.negated || comparison.op !== "outside"
      ? null
      : beyondWords([limit, upper], value, limits, texts);
  }
  switch (limit.kind) {
    case "percentile":
      return compare(limit.percent, HUNDRED) === 0
        ? rankWords(limit, comparison, as, texts, told)
        : namedWords(limit, comparison, texts, told);
    case "reference":
      return namedWords(limit, comparison, texts, told);
    default:
      return null;
  }
}

const ONE = decimalFromInteger(1);
const HUNDRED = decimalFromInteger(100);
const FIFTY = decimalFromInteger(50);
/** More digits of a factor than these are no news: it is just over or just under. */
const MOST_EXTRA = 2;
/** A reference's name is cut to this in a headline. */
const NAME_LENGTH = 24;

/**
 * `, 3.2 times the usual 3.8`, `, 40% of the usual 3.8`; of another percentile `of p90 of 7 d (3.8)`. The value
 * is not read beside its limit then, and needs no more digits than by itself.
 */
function timesWays(
  [given, ...others]: readonly Limit[],
  value: Decimal,
  [limit]: readonly Decimal[],
  as: Written,
): readonly Compared[] {
  if (given?.kind !== "percentile" || others.length > 0 || limit === undefined) return [];
  const { percent, percentile } = given;
  if (compare(percent, HUNDRED) === 0) return [];
  const base = divide(multiply(limit, HUNDRED), percent, limit.scale + 20);
  if (base.digits <= 0n || value.digits < 0n) return [];
  const mine = formatFigure(value, as);
  const text = bare(formatFigure(base, as), mine);
  const way = (factor: string): Compared[] => [{ value: joinFigure(mine), limit: `, ${factor}` }];
  const usual =
    compare(percentile, FIFTY) === 0 ? `the usual ${text}` : `${percentileName(given)} (${text})`;
  const ratio = divide(value, base, 12);
  const often = compare(ratio, ONE) >= 0;
  const factor = often ? ratio : shift(ratio, 2);
  const bound = often ? shift(percent, -2) : percent;
  const words = often ? ` times ${usual}` : `% of ${usual}`;
  for (let extra = 0; extra <= MOST_EXTRA; extra += 1) {
    const short = rounded(factor, placesFor(factor, 2, 0) + extra);
    const shows = compare(short.shown, bound) === compare(factor, bound);
    if (shows) return way(`${short.text}${words}`);
  }
  const near = compare(factor, bound) > 0 ? "just over" : "just under";
  return way(`${near} ${bound.toString()}${words}`);
}

const SHARES: Readonly<Record<string, string>> = {
  "1": "hundredth",
  "10": "tenth",
  "20": "fifth",
  "25": "quarter",
  "50": "half",
};

/** `, cheapest tenth of 7 d (below 0.9)`; of the other side `, above p10 of 7 d (0.9)`. */
function rankWords(
  limit: PercentileLimit,
  comparison: Comparison,
  { quantity }: Written,
  [text = ""]: readonly string[],
  told: Told,
): string {
  const { percentile, ms } = limit;
  const word = comparison.op.replace("_", " ");
  const low = comparison.op === "below" || comparison.op === "at_most";
  const high = comparison.op === "above" || comparison.op === "at_least";
  const share = low ? percentile : subtract(HUNDRED, percentile);
  const isEnd = (low || high) && share.digits > 0n && compare(share, FIFTY) <= 0;
  if (!isEnd) {
    const name = namedLimit(limit, text);
    return told.how === "left"
      ? `, limit ${name}`
      : `, ${told.negated ? "not " : ""}${word} ${name}`;
  }
  const end = low ? (quantity === "wei" ? "cheapest" : "lowest") : "highest";
  const part = `${end} ${SHARES[share.toString()] ?? `${share.toString()}%`} of ${windowWords(ms)}`;
  if (told.how === "left") return `, ${part} is ${word} ${text}`;
  return told.negated ? `, not the ${part} (${word} ${text})` : `, ${part} (${word} ${text})`;
}

/** `, below escrow (9M)`, `, above 40% of issued (40M)`. */
function namedWords(
  limit: Limit,
  comparison: Comparison,
  [text = ""]: readonly string[],
  told: Told,
): string {
  const name = namedLimit(limit, text);
  if (told.how === "left") return `, limit ${name}`;
  if (comparison.op === "equals") return `, ${told.negated ? "not " : ""}equal to ${name}`;
  if (comparison.op === "not_equals") return told.negated ? "" : `, not ${name}`;
  return `, ${told.negated ? "not " : ""}${comparison.op.replace("_", " ")} ${name}`;
}

/** `, above 102% of other-pool (2,040)`: the end that a value outside is beyond; null where it has no name. */
function beyondWords(
  [low, high]: readonly [Limit, Limit],
  value: Decimal,
  [from]: readonly Decimal[],
  [lower = "", upper = ""]: readonly string[],
): string | null {
  const isBelow = from !== undefined && compare(value, from) < 0;
  const [end, text] = isBelow ? [low, lower] : [high, upper];
  if (end.kind !== "reference" && end.kind !== "percentile") return null;
  return `, ${isBelow ? "below" : "above"} ${namedLimit(end, text)}`;
}

/** `40% of issued (40M)`, `p10 of 7 d (0.9)`: a limit by its name and as the number `text`, or that alone. */
export function namedLimit(limit: Limit, text: string): string {
  switch (limit.kind) {
    case "reference":
      return `${shareOf(limit.percent)}${referenceName(limit)} (${text})`;
    case "percentile":
      return `${shareOf(limit.percent)}${percentileName(limit)} (${text})`;
    default:
      return text;
  }
}

function percentileName({ percentile, ms }: PercentileLimit): string {
  return `p${percentile.toString()} of ${windowWords(ms)}`;
}

function referenceName({ reference }: ReferenceLimit): string {
  return cutText(cleanText(reference.name), NAME_LENGTH);
}

function shareOf(percent: Decimal): string {
  return compare(percent, HUNDRED) === 0 ? "" : `${percent.toString()}% of `;
}

function crossedLimit(comparison: Comparison, negated: boolean, limits: readonly string[]): string {
  const [first = "", second = ""] = limits;
  switch (comparison.op) {
    case "above":
      return negated ? `, not above ${first}` : `, limit ${first}`;
    case "at_least":
      return negated ? `, below ${first}` : `, limit ${first}`;
    case "below":
      return `, ${negated ? "not below" : "below"} ${first}`;
    case "at_most":
      return `, ${negated ? "above" : "at most"} ${first}`;
    case "inside":
      return `, ${negated ? "outside" : "inside"} ${first} to ${second}`;
    case "outside":
      return `, ${negated ? "inside" : "outside"} ${first} to ${second}`;
    case "not_equals":
      return negated ? "" : `, not ${first}`;
    default:
      return negated ? `, not ${first}` : "";
  }
}

function leftLimit(comparison: Comparison, negated: boolean, limits: readonly string[]): string {
  const [first = "", second = ""] = limits;
  switch (comparison.op) {
    case "inside":
      return `, ${negated ? "inside" : "outside"} ${first} to ${second}`;
    case "outside":
      return `, ${negated ? "outside" : "inside"} ${first} to ${second}`;
    case "equals":
    case "not_equals":
      return "";
    default:
      return `, limit ${first}`;
  }
}
