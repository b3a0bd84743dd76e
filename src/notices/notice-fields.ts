import { amountText } from "../base/amount.ts";
import { formatBucket, formatTime } from "../base/clock.ts";
import { compare, Decimal, subtract, valueFromText } from "../base/decimal.ts";
import { formatDuration } from "../base/duration.ts";
import {
  formatBeside,
  formatChange,
  formatPercentChange,
  formatValue,
  joinFigure,
  percentOf,
  type Written,
} from "../base/format.ts";
import { cleanText } from "../base/text.ts";
import {
  comparisonText,
  conditionText,
  isCompound,
  isNegated,
  limitsOf,
} from "../decide/condition-tree.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { Metric } from "../kinds/kind.ts";
import type {
  Amount,
  Comparison,
  Notice,
  Quantity,
  RangeFacts,
  Suppressed,
  Value,
} from "../model/index.ts";
import {
  booleanText,
  headlineUnit,
  metricLabel,
  ownLimits,
  writtenAs,
} from "../rules/describe/metric-words.ts";
import { onlyToken, tickText } from "./headline/range-lines.ts";
import { capital, chainOf, endingOf, firesOn } from "./wording.ts";

type Field = Notice["fields"][number];
type Entry = readonly [name: string, value: string | null];

/** A field is cut beyond this; the longest number, 78 digits and their separators, fits. */
const LONGEST_FIELD = 300;
/** Symbols in a field are cut to this. */
const SYMBOL_LENGTH = 24;

/** The facts of a notice about one alert, in reading order. */
export function alertFields(event: AlertEvent): readonly Field[] {
  const { evidence, rule, kind } = event;
  const facts = evidence === null ? [] : evidenceEntries(event, evidence);
  const isWithoutData = kind === "no_data" || event.more?.byMissing === true;
  const why: Entry[] = isWithoutData ? [["Reason", event.trouble ?? "no value"]] : [];
  const also = event.also.map(({ metric, value }): Entry => {
    const as = writtenAs(metric, event.decimals(metric.name), event.description, SYMBOL_LENGTH);
    return [capital(metricLabel(metric, rule.across)), exactValue(value, as)];
  });
  return fieldsOf([
    ...why,
    ...facts,
    ...also,
    ...entryFields(event, SYMBOL_LENGTH),
    ...timeEntries(event),
    ["Held back", heldText(event)],
    ...rangeEntries(event.description?.range ?? null, event.closed),
    ["Bucket", event.bucket && bucketText(event.bucket)],
    ["Chain", chainOf(event)],
    ["Rule", rule.name],
    ["Severity", rule.severity],
  ]);
}

function evidenceEntries(event: AlertEvent, evidence: Evidence): Entry[] {
  const { metric, value, base, baseAt, comparison } = evidence;
  const { rule } = event;
  const as = writtenIn(event, evidence);
  const not = isNegated(rule.when, comparison) ? "not " : "";
  const once = comparison.op === "changes" || comparison.op === "crosses";
  const limit: Entry = once
    ? ["Event", comparisonText(comparison)]
    : typeof value === "boolean"
      ? ["Fires when", booleanText(metric.label, firesOn(comparison, rule.when, true))]
      : ["Limit", not + comparisonText(comparison) + measuredText(evidence, as)];
  // What has not been updated has not changed: its time alone says all.
  const changed =
    base instanceof Decimal && value instanceof Decimal && comparison.op !== "no_update_for";
  const when = baseAt === null ? "" : ` at ${formatTime(baseAt)}`;
  return [
    [capital(metricLabel(metric, rule.across)), exactValue(value, as, evidence)],
    limit,
    ["Before", base !== null && (changed || once) ? exactValue(base, as, evidence) + when : null],
    ["Change", changed ? changeText(value, base, as, comparison) : null],
    ["Condition", isCompound(rule.when) ? conditionText(rule.when) : null],
  ];
}

/** What was held back is told in a round that need not have asked how it is written: it knows itself. */
function writtenIn(event: AlertEvent, { metric }: Evidence): Written {
  const { description, more } = event;
  const decimals = event.decimals(metric.name);
  const as = writtenAs(metric, decimals, description, SYMBOL_LENGTH);
  const amount = more?.held?.amount;
  if (decimals !== null || amount?.metric !== metric.name) return as;
  const unit = cleanText(amount.unit, SYMBOL_LENGTH);
  return { ...as, decimals: amount.decimals, ...(amount.decimals === null ? {} : { unit }) };
}

/** Of what was so already when somebody first looked. */
const BEGAN = "already firing at the start";

function timeEntries(event: AlertEvent): Entry[] {
  const { kind, at, before, after, rule, more } = event;
  switch (kind) {
    case "fired": {
      if (more?.began === true) return [["Since", `${formatTime(after.firedAt ?? at)}, ${BEGAN}`]];
      const held = rule.forMs > 0 ? `, held for ${formatDuration(rule.forMs)} before` : "";
      return [["Since", formatTime(after.firedAt ?? at) + held]];
    }
    case "worse":
    case "reminder":
    case "flapping":
    case "steady": {
      const { firedAt } = after;
      const lasts =
        firedAt === null ? null : `${formatTime(firedAt)}, ${formatDuration(at - firedAt)}`;
      return [["Firing since", lasts]];
    }
    case "changed":
      return [["At", formatTime(at)]];
    case "resolved": {
      const { firedAt } = before;
      const why: Entry = ["Reason", endingOf(event).why];
      const once: Entry = ["Once", rule.once ? "not watched until it is edited or rearmed" : null];
      if (firedAt === null) return [why, ["Until", formatTime(at)], once];
      return [
        why,
        ["Fired", formatTime(firedAt)],
        ["Resolved", `${formatTime(at)}, after ${formatDuration(at - firedAt)}`],
        once,
      ];
    }
    case "no_data":
    case "data_back": {
      const missing = kind === "no_data" ? (after.missing ?? before.missing) : before.missing;
      const since = missing === null ? at : missing.since;
      const length = `${formatTime(since)}, ${formatDuration(at - since)}`;
      return [
        ["No data since", length],
        ["Alert", after.state],
      ];
    }
  }
}

/** What came before and was not told: `3 firings since 2026-11-27 14:05 UTC`. */
function heldText(event: AlertEvent): string | null {
  const { more, evidence } = event;
  const held = more?.held ?? null;
  if (held === null) return null;
  const since = formatTime(held.since);
  if (held.last === null) {
    return `${held.count} ${held.count === 1 ? "firing" : "firings"} before, since ${since}`;
  }
  const first =
    evidence === null ? held.first : valueFromText(held.first, evidence.metric.quantity);
  const as = evidence === null ? null : writtenIn(event, evidence);
  const text =
    first === null ? "" : as === null ? `: ${String(first)}` : `: ${formatValue(first, as)}`;
  const amount = evidence === null ? null : heldAmount(held, evidence.metric);
  const sizes = amount === null ? "" : `; ${amount}`;
  return `${held.count} times in all, the first at ${since}${text}${sizes}`;
}

function rangeEntries(range: RangeFacts | null, closed: boolean): Entry[] {
  if (range === null) return [];
  const { lower, upper, price, unit, tick, lowerTick, upperTick } = range;
  // A closed position holds nothing.
  const token = closed ? null : onlyToken(range);
  return [
    ["Price", cleanText(`${price} ${unit}`, LONGEST_FIELD)],
    ["Range", cleanText(`${lower} to ${upper} ${unit}`, LONGEST_FIELD)],
    ["Tick", `${tickText(tick)}, range ${tickText(lowerTick)} to ${tickText(upperTick)}`],
    ["Holds", token === null ? null : `all ${token}`],
  ];
}

/** `2026-11-27, 14:00-15:00 UTC`, or of a day `2026-11-27 UTC`. */
function bucketText({ start, ms }: { start: number; ms: number }): string {
  const [bucket, date] = [formatBucket(start, ms), formatTime(start).slice(0, 10)];
  return bucket.startsWith(date) ? bucket : `${date}, ${bucket}`;
}

/** Entries without a value are left out; all text is made clean and of bounded length. */
export function fieldsOf(entries: readonly Entry[]): readonly Field[] {
  const fields: Field[] = [];
  for (const [name, value] of entries) {
    if (value === null) continue;
    const clean = cleanText(value, LONGEST_FIELD);
    if (clean !== "") fields.push({ name: cleanText(name), value: clean });
  }
  return fields;
}

/** The longest text of an entry: a transaction's hash and more. */
const LONGEST_TEXT = 128;

/** Name and value of an entry's own facts; symbols of units have at most `limit` characters. */
function entryFields(
  event: AlertEvent,
  limit: number,
): readonly (readonly [name: string, value: string | null])[] {
  const { entry, rule, description, evidence, also } = event;
  if (entry === undefined) return [];
  const known = new Set([evidence, ...also].map((one) => one?.metric.name));
  const fields = (rule.words.entry?.shown ?? []).map((name): [string, string | null] => {
    const value = known.has(name) ? null : entry.value(name);
    const label = capital(entry.metric(name)?.label ?? name.replaceAll("_", " "));
    if (value === null) return [label, null];
    if (typeof value === "string") return [label, cleanText(value, LONGEST_TEXT)];
    const metric = entry.metric(name);
    if (metric === undefined) return [label, null];
    const as = writtenAs(metric, event.decimals(name), description, limit);
    // What a price makes of an amount has more digits than it is exact.
    return [label, formatValue(value, as, metric.quantity === "usd" ? "compact" : "full")];
  });
  return [...fields, ["Happened", entry.at === null ? null : formatTime(entry.at)]];
}

/** What a notice has that shows no value of one alert. */
export function bareNotice(
  parts: Pick<Notice, "id" | "kind" | "severity" | "subject" | "at" | "headline" | "fields"> &
    Partial<Notice>,
): Notice {
  return {
    rule: null,
    title: null,
    note: null,
    link: null,
    range: null,
    recent: [],
    values: [],
    labels: {},
    ...parts,
  };
}

/** Numbers as the fields of a notice have them. */

/** What people count to the last unit; of money, prices and shares nobody misses the rest. */
const COUNTED: ReadonlySet<Quantity> = new Set<Quantity>([
  "raw",
  "raw(token0)",
  "raw(token1)",
  "tokens",
  "count",
]);

/** Rounded for reading, with the digits that show on which side of its limits it is; amounts whole as well. */
function exactValue(value: Value, as: Written, evidence: Evidence | null = null): string {
  if (!(value instanceof Decimal)) return formatValue(value, as);
  const limits = evidence === null ? [] : evidence.limits.filter((one) => one instanceof Decimal);
  const given = evidence === null ? [] : limitsOf(evidence.comparison);
  const own = ownLimits(given, limits, as);
  const [compact] = formatBeside([value, ...limits], own.as, [null, ...own.figures]);
  if (compact === undefined) return formatValue(value, as, "full");
  const text = joinFigure(compact);
  if (!COUNTED.has(as.quantity) || compare(compact.shown, value) === 0) return text;
  return `${text} (exactly ${formatValue(value, own.as, "full")})`;
}

/** ` (11.4 gwei)`: what a limit that is measured is now; nothing where the rule has the number itself. */
function measuredText({ comparison, limits }: Evidence, as: Written): string {
  const isGiven = limitsOf(comparison).every(({ kind }) => kind === "value" || kind === "tokens");
  if (isGiven || limits.length === 0) return "";
  return ` (${limits.map((limit) => formatValue(limit, as)).join(" to ")})`;
}

/** `-$4.1M (-18%)`, `+45.12 points (+90%)`; null where the difference is no number. */
function changeText(
  value: Decimal,
  base: Decimal,
  as: Written,
  comparison: Comparison,
): string | null {
  if (isWord(value, as) || isWord(base, as)) return null;
  const delta = subtract(value, base);
  const { as: own } = ownLimits(limitsOf(comparison), [], as);
  // A percentage of a percentage stands behind it: the difference itself is counted in points.
  const change = formatChange(delta, own)
    .replace(/%$/, " points")
    .replace(/(?<=^[+-]1 (?:tick|token))s$/, "");
  const percent = BARE.has(as.quantity) ? null : percentOf(delta, base);
  return percent === null ? change : `${change} (${formatPercentChange(percent)})`;
}

/** Ticks are logarithmic, times count from 1970, distances from an edge: a share of them says nothing. */
const BARE: ReadonlySet<Quantity> = new Set<Quantity>(["tick", "seconds", "percent"]);

/** A fee that stands for `dynamic` is no amount. */
function isWord(value: Decimal, as: Written): boolean {
  return as.quantity === "fee" && !/\d/.test(formatValue(value, as));
}

/** `largest $1.2M, together $2.1M` of entries that were held back; null where it says nothing. */
export function heldAmount({ amount }: Suppressed, { name, quantity }: Metric): string | null {
  return amount?.metric === name ? amountText(readable(amount), quantity) : null;
}

/** With a unit that is short enough for a headline. */
function readable(amount: Amount): Amount {
  return { ...amount, unit: headlineUnit(amount.unit).join("/") };
}

/** What a notice about entries tells of: one of them, or all that were held back with it. */
export function entriesAmount(event: AlertEvent): Amount | undefined {
  const { evidence, more, description } = event;
  if (evidence === null) return undefined;
  const { metric, value } = evidence;
  const held = more?.held ?? null;
  if (held !== null) return held.amount === undefined ? undefined : readable(held.amount);
  if (!(value instanceof Decimal)) return undefined;
  const size = value.toString();
  const writing = {
    decimals: event.decimals(metric.name),
    unit: description?.unit(metric.name) ?? "",
  };
  return readable({ metric: metric.name, largest: size, sum: size, ...writing });
}
