import { timeBeside } from "../../base/clock.ts";
import { absolute, Decimal, valueToText } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import {
  formatBeside,
  formatChange,
  formatFigure,
  formatPercentChange,
  formatValue,
  joinFigure,
  percentOf,
  type Written,
} from "../../base/format.ts";
import { comparisonText, limitsOf, windowWords } from "../../decide/condition-tree.ts";
import type { JudgedContext } from "../../decide/context.ts";
import { type ChangeFinding, judge, judgeChange } from "../../decide/evaluate.ts";
import {
  ascending,
  FALSE,
  resolveLimit,
  TRUE,
  type Truth,
  UNKNOWN_CLOSED,
  UNKNOWN_WINDOW,
} from "../../decide/evaluation-context.ts";
import type { Description } from "../../kinds/kind.ts";
import type { ChangeComparison, Comparison, Condition, Rule, Value } from "../../model/index.ts";
import { bare } from "../../notices/compared-words.ts";
import { metricLabel, ownLimits, writtenAs } from "../../rules/describe/metric-words.ts";

export type Known = "true" | "false" | "unknown";

/** A part of a condition as one round found it. */
export interface Part {
  readonly op: Condition["op"];
  /** As the rule says it: `tvl_usd below 500`; of several parts `all of`. */
  readonly text: string;
  readonly truth: Known;
  /** What was found, as a clause: `TVL was $400.25, below $500`. */
  readonly found: string;
  /** The exact value in the metric's own unit; null: none, or it has parts. */
  readonly value: string | null;
  /** What it was compared with, exact; none while that is not known, and for changes. */
  readonly limits: readonly string[];
  /** Changes: what it was measured from. */
  readonly base: { readonly value: string; readonly at: number | null } | null;
  /** Looks at the past: how much of the window is known, in milliseconds. */
  readonly window: { readonly ms: number; readonly knownMs: number } | null;
  readonly parts: readonly Part[];
}

/** What one round saw, for the words. */
export interface Seen {
  readonly context: JudgedContext;
  readonly rule: Rule;
  readonly description: Description | null;
  /** Why a value is missing; null: no reason is known. */
  readonly trouble: string | null;
}

/** Symbols are cut to this. */
const SYMBOL_LENGTH = 24;

/** A condition as a tree, each part with its value, its limit and its truth. */
export function partOf(condition: Condition, seen: Seen): Part {
  switch (condition.op) {
    case "all":
    case "any":
      return partOfSeveral(condition.op, condition.terms, condition, seen);
    case "not":
      return partOfSeveral("not", [condition.term], condition, seen);
    default:
      return partOfOne(condition, seen);
  }
}

const HEADS = { all: "all of", any: "any of", not: "not" } as const;

function partOfSeveral(
  op: "all" | "any" | "not",
  terms: readonly Condition[],
  whole: Condition,
  seen: Seen,
): Part {
  const parts = terms.map((term) => partOf(term, seen));
  const truth = known(judge(whole, seen.context));
  return {
    op,
    text: HEADS[op],
    truth,
    found: becauseOf({ op, truth, parts }),
    value: null,
    limits: [],
    base: null,
    window: null,
    parts,
  };
}

/** The parts that decide, as one clause: of `all` that is false the false ones, and so on. */
function becauseOf({ op, truth, parts }: Pick<Part, "op" | "truth" | "parts">): string {
  const deciding = parts.filter((part) => {
    if (op === "not") return true;
    return part.truth === truth;
  });
  const clauses = (deciding.length > 0 ? deciding : parts).map(({ found }) => found);
  // Two comparisons with one metric may be decided by the same.
  return joined([...new Set(clauses)]);
}

function joined(clauses: readonly string[]): string {
  const [last = "", ...others] = clauses.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
}

export function known(truth: Truth): Known {
  return truth === TRUE ? "true" : truth === FALSE ? "false" : "unknown";
}

function partOfOne(given: Comparison, seen: Seen): Part {
  const { context, rule } = seen;
  const comparison = ascending(given, context);
  const metric = context.metric(comparison.metric);
  const truth = judge(comparison, context);
  const value = context.value(metric.name);
  const limits = limitsOf(comparison).map((limit) => resolveLimit(limit, metric.name, context));
  const change =
    "span" in comparison && value !== null ? judgeChange(comparison, value, context) : null;
  const base = change?.base ?? null;
  return {
    op: comparison.op,
    text: `${comparison.metric} ${comparisonText(comparison)}`,
    truth: known(truth),
    found: `${metricLabel(metric, rule.across)} ${predicate(comparison, truth, value, limits, change, seen)}`,
    value: valueToText(value),
    limits: limits.includes(null) ? [] : limits.map((limit) => valueToText(limit) ?? ""),
    base:
      base === null
        ? null
        : { value: base.value.toString(), at: Number.isNaN(base.at) ? null : base.at },
    window: windowOf(comparison, seen),
    parts: [],
  };
}

/** How much of the window is known; null: it looks at none, or that is not kept. */
function windowOf(comparison: Comparison, { context }: Seen): Part["window"] {
  if (!("span" in comparison) || comparison.span.kind === "since_last") return null;
  const { ms } = comparison.span;
  const past = context.past(comparison);
  return { ms, knownMs: past?.known(context.date - ms, context.date) ?? 0 };
}

function predicate(
  comparison: Comparison,
  truth: Truth,
  value: Value | null,
  limits: readonly (Value | null)[],
  change: ChangeFinding | null,
  seen: Seen,
): string {
  if (truth === UNKNOWN_CLOSED) return "means nothing: the position was closed";
  if (comparison.op === "no_update_for") return silence(comparison, truth, seen);
  if (value === null) return `had no value${seen.trouble === null ? "" : ` (${seen.trouble})`}`;
  const as = writtenFor(comparison, seen);
  if ("span" in comparison) return changed(comparison, value, change, truth, as, seen);
  switch (comparison.op) {
    case "unchanged": {
      const span = windowWords(comparison.ms);
      const shown = formatValue(value, as);
      if (truth === TRUE) return `had been ${shown} for at least ${span}`;
      if (truth === FALSE) return `was ${shown}, and had changed within ${span}`;
      return `was ${shown}; not enough of the last ${span} was known`;
    }
    case "changes":
    case "crosses":
      return event(comparison, value, limits, truth, as, seen);
    default:
      return compared(comparison, value, limits, truth, as);
  }
}

function writtenFor({ metric }: Comparison, { context, description }: Seen): Written {
  return writtenAs(context.metric(metric), context.decimals(metric), description, SYMBOL_LENGTH);
}

const OPS = {
  above: ["above", "not above"],
  below: ["below", "not below"],
  at_least: ["at least", "less than"],
  at_most: ["at most", "more than"],
  inside: ["inside", "outside"],
  outside: ["outside", "inside"],
  equals: ["as asked", "not"],
  not_equals: ["not", "which is"],
} as const;

/** `was $400.25, below $500`, with the digits that show on which side it is. */
function compared(
  comparison: Exclude<
    Comparison,
    {
      readonly op:
        | "rises"
        | "falls"
        | "moves"
        | "changes"
        | "crosses"
        | "unchanged"
        | "no_update_for";
    }
  >,
  value: Value,
  limits: readonly (Value | null)[],
  truth: Truth,
  as: Written,
): string {
  const given = limitsOf(comparison);
  const numbers = limits.filter((limit) => limit instanceof Decimal);
  if (limits.includes(null)) {
    const why =
      truth === UNKNOWN_WINDOW
        ? "less than half of its window was known"
        : "its limit was not known";
    return `was ${formatValue(value, as)}; ${why}`;
  }
  const [yes, no] = OPS[comparison.op];
  const word = truth === TRUE ? yes : no;
  if (!(value instanceof Decimal) || numbers.length < limits.length) {
    const [limit] = limits;
    const shown = formatValue(value, as);
    if (limit === undefined || limit === null || word === "as asked") return `was ${shown}`;
    return typeof value === "boolean"
      ? `was ${shown}`
      : `was ${shown}, ${word} ${formatValue(limit, as)}`;
  }
  const own = ownLimits(given, numbers, as);
  const [mine, ...others] = formatBeside([value, ...numbers], own.as, [null, ...own.figures]);
  if (mine === undefined) return `was ${formatValue(value, as)}`;
  if (word === "as asked") return `was ${joinFigure(mine)}`;
  const named = given.map((limit, i) => {
    const figure = others[i];
    const shown = figure === undefined ? "" : bare(figure, mine);
    return limit.kind === "value" || limit.kind === "tokens" ? shown : `${limit.text} (${shown})`;
  });
  return `was ${joinFigure(mine)}, ${word} ${named.join(" to ")}`;
}

function event(
  comparison: Comparison,
  value: Value,
  limits: readonly (Value | null)[],
  truth: Truth,
  as: Written,
  { context }: Seen,
): string {
  const last = context.last(comparison.metric);
  const shown = formatValue(value, as);
  if (last === null) return `was ${shown}, its first value: there was nothing to compare it with`;
  const before = formatValue(last, as);
  if (comparison.op === "changes") {
    return truth === TRUE ? `changed from ${before} to ${shown}` : `stayed ${shown}`;
  }
  const [limit] = limits;
  const line = limit === undefined || limit === null ? "its limit" : formatValue(limit, as);
  const crossed = truth === TRUE ? "and crossed" : "and did not cross";
  return `went from ${before} to ${shown} ${crossed} ${line}`;
}

function silence(
  comparison: Extract<Comparison, { op: "no_update_for" }>,
  truth: Truth,
  { context, trouble }: Seen,
): string {
  const updated = context.updatedAt(comparison.metric);
  if (updated === null) return `was never told${trouble === null ? "" : ` (${trouble})`}`;
  const at = Number(updated.toString());
  const ago = formatDuration(context.now - at);
  const limit = windowWords(comparison.ms);
  return `was ${timeBeside(at, context.now)}, ${ago} before, ${truth === TRUE ? "more" : "not more"} than ${limit}`;
}

function changed(
  comparison: ChangeComparison,
  value: Value,
  change: ChangeFinding | null,
  truth: Truth,
  as: Written,
  { context }: Seen,
): string {
  const shown = formatValue(value, as);
  const { by } = comparison;
  const base = change?.base ?? null;
  if (!(value instanceof Decimal) || change === null || base === null) {
    return `was ${shown}; nothing was known to measure from`;
  }
  const far = change[change.way]?.far ?? absolute(value);
  const size =
    by.kind === "percent"
      ? percentText(change, by.percent)
      : change.way === "up"
        ? formatChange(far, as)
        : joinFigure(formatFigure(far, as));
  const verb = { up: "risen", down: "fallen" }[change.way];
  const from = Number.isNaN(base.at) ? "" : ` at ${timeBeside(base.at, context.now)}`;
  const [start, end] = formatBeside([base.value, value], as);
  const way =
    start === undefined || end === undefined
      ? ""
      : `from ${joinFigure(start)}${from} to ${joinFigure(end)}`;
  const none = far.digits <= 0n;
  if (none && truth !== UNKNOWN_WINDOW) return `had not ${verb} (${way})`;
  const head = none
    ? `had not ${verb} (${way})`
    : `had ${verb} ${size.replace(/^[+-]/, "")} (${way}), less than ${by.text}`;
  if (truth === UNKNOWN_WINDOW) {
    return `${head}, but ${knownWords(comparison, context)}`;
  }
  if (truth !== TRUE) return head;
  return `had ${verb} ${size.replace(/^[+-]/, "")} (${way}), at least ${by.text}`;
}

function knownWords(comparison: ChangeComparison, context: JudgedContext): string {
  if (comparison.span.kind === "since_last") return "too little was known";
  const { ms } = comparison.span;
  const knownMs = context.past(comparison)?.known(context.date - ms, context.date) ?? 0;
  const half = comparison.span.kind === "within" ? " (half is needed)" : "";
  return `only ${formatDuration(knownMs)} of ${windowWords(ms)} was known${half}`;
}

function percentText({ way, ...change }: ChangeFinding, limit: Decimal): string {
  const gone = change[way];
  if (gone === null) return "";
  const percent = percentOf(gone.far, gone.base.value);
  return percent === null ? "from nothing" : formatPercentChange(percent, limit);
}
