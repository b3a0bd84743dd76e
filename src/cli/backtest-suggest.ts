import {
  compare,
  Decimal,
  decimalFromInteger,
  multiply,
  parseDecimal,
  shift,
  subtract,
} from "../base/decimal.ts";
import { DAY, HOUR, MINUTE, writtenDuration } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import type { AmountLimit, ChangeComparison, Comparison, Rule } from "../model/index.ts";
import type { Track } from "../replay/past/tracks.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";
import type { Variant } from "./backtest-try.ts";

/** Which other numbers a rule might have in its condition, so that it would have fired as often as somebody wishes. */

/** `2/week`, `1/day`, `0.5/month` as alerts in a week. Throws Error. */
export function readWish(text: string): number {
  const [count = "", unit = ""] = text.split("/").map((part) => part.trim());
  const per = PER_WEEK.get(unit.toLowerCase());
  const number = /^\d+(?:\.\d+)?$/.test(count) ? Number(count) : 0;
  if (per !== undefined && number > 0) return number * per;
  throw new Error(`--suggest ${cleanText(text, 40)}: write it like 2/week, 1/day or 1/month`);
}

const PER_WEEK: ReadonlyMap<string, number> = new Map([
  ["day", 7],
  ["d", 7],
  ["week", 1],
  ["w", 1],
  ["month", 7 / 30.44],
]);

/** So many limits are tried at once, and so many values are looked at to choose them. */
const CANDIDATES = 40;
const MOST_VALUES = 20_000;

/** What is known of the past of the rule's metric. */
export interface SuggestParts {
  readonly tracks: ReadonlyMap<string, Track>;
  readonly recorded: Recorded | null;
  /** Epoch milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly write: (value: Decimal) => string;
}

/** The conditions that have one number, as a refusal names them. */
const KNOWN =
  "above, below, at_least or at_most a number, rises, falls or moves, unchanged and no_update_for";

/**
 * The rule with other numbers in its condition, from ones that nearly nothing reaches to ones that most do. Throws Error
 * for a rule whose condition has no single number to choose.
 */
export async function limitVariants(rule: Rule, parts: SuggestParts): Promise<readonly Variant[]> {
  const { when } = rule;
  switch (when.op) {
    case "above":
    case "below":
    case "at_least":
    case "at_most":
      if (when.limit.kind === "reference" || when.limit.kind === "percentile") break;
      return (await limitsFor(rule, parts)).map((value) =>
        variant(rule, `${when.op} ${parts.write(value)}`, {
          ...when,
          limit: limitOf(value, parts),
        }),
      );
    case "rises":
    case "falls":
    case "moves":
      return (await distancesFor(rule, when, parts)).map((by) =>
        variant(rule, `${when.op} ${by.text}`, { ...when, by }),
      );
    case "unchanged":
    case "no_update_for":
      return LENGTHS.map((ms) => {
        const text = writtenDuration(ms);
        return variant(rule, `${when.op} ${text}`, { ...when, ms, text });
      });
    default:
  }
  throw new Error(
    `--suggest: the condition of ${cleanText(rule.name)} has no single number to choose; it can choose that of ${KNOWN}`,
  );
}

/** What of a rule speaks of its condition speaks of the new one. */
function variant(rule: Rule, label: string, when: Comparison): Variant {
  const { worse } = rule;
  const isOwn = worse !== null && worse.comparison === rule.when;
  const isOwnBy = isOwn && "by" in worse.comparison && worse.comparison.by === worse.by;
  const as: Rule = {
    ...rule,
    name: `${rule.name} [${label}]`,
    when,
    resolveWhen: null,
    worse: isOwn ? { comparison: when, by: isOwnBy && "by" in when ? when.by : worse.by } : worse,
  };
  return { rule: rule.name, label, as };
}

function limitOf(value: Decimal, { write }: SuggestParts): AmountLimit {
  return { kind: "value", value, text: write(value) };
}

/** Levels, the strictest first. */
async function limitsFor(rule: Rule, parts: SuggestParts): Promise<readonly Decimal[]> {
  const { write } = parts;
  const sorted = await valuesFor(rule, parts);
  const isHigh = rule.when.op === "above" || rule.when.op === "at_least";
  const limits: Decimal[] = [];
  for (let i = 0; i < CANDIDATES; i += 1) {
    // Half of what is tried lies in the last hundredth, where alerts are rare.
    const share = 0.5 * (i / CANDIDATES) ** 4;
    const at = Math.floor(share * (sorted.length - 1));
    const value = sorted[isHigh ? sorted.length - 1 - at : at];
    // Two that are written alike are one to whoever chooses.
    if (value !== undefined && !limits.some((one) => write(one) === write(value)))
      limits.push(value);
  }
  return limits;
}

/** Round numbers of one decimal place each: what a person would choose from. */
const ROUND = [70, 50, 40, 30, 25, 20, 15, 12, 10].map((tenths) => new Decimal(BigInt(tenths), 1));

/** Distances, the largest first. */
async function distancesFor(
  rule: Rule,
  { by }: ChangeComparison,
  parts: SuggestParts,
): Promise<readonly ChangeComparison["by"][]> {
  if (by.kind === "percent") {
    return ladder(rule.when.op === "falls" ? 100 : 1_000, -2).map((percent) => ({
      kind: "percent",
      percent,
      text: `${percent.toString()}%`,
    }));
  }
  const sorted = await valuesFor(rule, parts);
  const [low = Decimal.ZERO, high = low] = [sorted[0], sorted.at(-1)];
  const range = subtract(high, low);
  if (range.digits <= 0n)
    throw new Error(`--suggest: ${metricOf(rule)} did not change in that time`);
  return ladder(1, -4).map((share) => {
    const limit = limitOf(multiply(range, share), parts);
    return { kind: "absolute", limit, text: limit.text };
  });
}

/** Round numbers up to `most`, which is a power of ten, and down to 10^`least`. */
function ladder(most: number, least: number): readonly Decimal[] {
  const found = [decimalFromInteger(most)];
  for (let power = Math.log10(most) - 1; power >= least; power -= 1) {
    for (const one of ROUND) found.push(shift(one, power));
  }
  return found;
}

/** Lengths of time, the longest first. */
const LENGTHS: readonly number[] = [
  ...[30, 21, 14, 10, 7, 5, 4, 3, 2, 1].map((days) => days * DAY),
  ...[18, 12, 8, 6, 4, 3, 2].map((hours) => hours * HOUR),
  ...[90, 60, 45, 30, 20, 15, 10, 7, 5, 3, 2, 1].map((minutes) => minutes * MINUTE),
];

function metricOf({ when, metrics }: Rule): string {
  return "metric" in when ? when.metric : (metrics[0] ?? "");
}

/** What the metric was, in its order. Throws Error where nothing is known that has one. */
async function valuesFor(
  rule: Rule,
  { tracks, recorded, from, to }: SuggestParts,
): Promise<readonly Decimal[]> {
  const metric = metricOf(rule);
  const values: Decimal[] = [];
  const known = rule.subjects.flatMap(({ key }) => tracks.get(key) ?? []);
  for (const track of known) {
    for (const value of toldValues(track, metric, from, to)) values.push(value);
  }
  const ids = known.flatMap((track) => track.recordedSeries.get(metric) ?? []);
  const counts = new Map<number, number>();
  if (recorded !== null && ids.length > 0) {
    for await (const page of recorded.runs(ids, from, to)) {
      for (const { series, value } of page) {
        const number = value === null ? null : parseDecimal(value);
        const count = (counts.get(series) ?? 0) + 1;
        counts.set(series, count);
        // Of many a part says as much.
        if (number !== null && (count < MOST_VALUES || count % 16 === 0)) values.push(number);
      }
    }
  }
  if (values.length === 0)
    throw new Error(`--suggest: ${metric} has no order, or no value of it is known`);
  return values.toSorted(compare);
}

/** What lists and histories tell of a metric. */
function* toldValues(
  { past, points }: Track,
  metric: string,
  from: number,
  to: number,
): Generator<Decimal> {
  for (const [, value] of past.entries?.values(metric, from, to) ?? []) {
    if (value instanceof Decimal) yield value;
  }
  for (const [date, value] of points.get(metric) ?? []) {
    if (value instanceof Decimal && from <= date && date <= to) yield value;
  }
}
