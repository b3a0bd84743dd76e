import { nearest } from "../../base/nearest.ts";
import { alternatives, kindOf } from "../../base/settings.ts";
import type { Comparison, Span } from "../../model.ts";
import type { Metric } from "../../watches/watch.ts";
import { readDistance, readLimit, readRange } from "../words/limits.ts";
import { reportDoubts } from "./doubts.ts";
import { errorAt, errorAtKey, type Path, type Report } from "./finding.ts";
import { compileSilence, compileUnchanged } from "./lasting.ts";
import { shown } from "./quantity-error.ts";
import { isPercentile, type References } from "./relative.ts";
import { compilePercentileSpan, compileSpan, type Pace, type Window } from "./span.ts";
import { UNITS } from "./units.ts";

/** What a condition is compiled against. */
export interface ConditionContext {
  /** The watch kind's name, for messages. */
  readonly kind: string;
  readonly metrics: ReadonlyMap<string, Metric>;
  readonly pace: Pace;
  /** Whether the rule gives the decimals of every token that it watches. */
  readonly tokens: boolean;
  /** The metric that holds the records' own time, where the kind has one. */
  readonly ownTime?: string | undefined;
  readonly references?: References;
  readonly report: Report;
}

/** What a `resolve_when` takes from a single-comparison `when`. */
export interface Inherited {
  readonly metric: string;
  /** Null if `when` is no change. */
  readonly span: Span | null;
}

export type Raw = Readonly<Record<string, unknown>>;

const LIMIT_OPS = ["above", "below", "at_least", "at_most", "equals", "not_equals"] as const;
const RANGE_OPS = ["inside", "outside"] as const;
const CHANGE_OPS = ["rises", "falls", "moves"] as const;
const EVENT_OPS = ["crosses", "changes"] as const;
const LASTING_OPS = ["unchanged", "no_update_for"] as const;
/** What a comparison may compare by, in the order in which messages name them. */
export const OPS = [...LIMIT_OPS, ...RANGE_OPS, ...CHANGE_OPS, ...EVENT_OPS, ...LASTING_OPS];
type Op = (typeof OPS)[number];
/** What values that are no numbers can be asked for. */
const PLAIN_OPS: readonly Op[] = ["equals", "not_equals", "changes", "unchanged"];
/** What may be compared with a percentile. */
const PERCENTILE_OPS: readonly Op[] = [
  "above",
  "below",
  "at_least",
  "at_most",
  "crosses",
  ...RANGE_OPS,
];
/** Where nobody has told of any. */
const NO_REFERENCES: References = { find: () => "unknown", names: () => [] };
const KEYS = [...OPS, "metric", "within", "since", "all", "any", "not"];

/** Compiles one comparison; null after reporting everything that is wrong with it. */
export function compileComparison(
  raw: Raw,
  path: Path,
  inherited: Inherited | null,
  context: ConditionContext,
): Comparison | null {
  const { report } = context;
  const clean = reportKeys(raw, path, report);
  // Silence is a matter of the record, whatever else it holds.
  const silence = "no_update_for" in raw;
  const metric = silence ? null : findMetric(raw, path, inherited, context);
  const op = findOp(raw, path, clean, report);
  if (op === null) return null;
  const percentile = PERCENTILE_OPS.includes(op) && [raw[op]].flat().some(isPercentile);
  const isChange = CHANGE_OPS.some((one) => one === op);
  for (const key of ["within", "since"]) {
    if (key in raw && !isChange && !(percentile && key === "within")) {
      const hint = { expected: "rises, falls or moves beside it, or (within) a percentile" };
      report(errorAtKey([...path, key], `${key} does not belong to ${op}`, hint));
      return null;
    }
  }
  if (silence) {
    const compiled = compileSilence(raw, path, context);
    return clean ? compiled : null;
  }
  if (metric === null) return null;
  if (UNITS[metric.quantity] === null && !PLAIN_OPS.includes(op)) {
    const hint = { expected: alternatives(PLAIN_OPS) };
    report(errorAtKey([...path, op], `${metric.name} is no number: ${op} does not fit it`, hint));
    return null;
  }
  const compiled = compileOp(op, raw, path, metric, inherited?.span ?? null, context);
  if (compiled === null) return null;
  const sensible = reportDoubts(compiled, metric, [...path, op], report);
  return clean && sensible ? compiled : null;
}

/** What people write for a comparison, and its name here. */
const SYNONYMS: Readonly<Record<string, string>> = {
  over: "above",
  more_than: "above",
  greater_than: "above",
  gt: "above",
  ">": "above",
  under: "below",
  less_than: "below",
  lt: "below",
  "<": "below",
  min: "at_least",
  gte: "at_least",
  ">=": "at_least",
  max: "at_most",
  lte: "at_most",
  "<=": "at_most",
  is: "equals",
  eq: "equals",
  between: "inside",
  drops: "falls",
};

/** Reports keys that no comparison has; true if there are none. */
function reportKeys(raw: Raw, path: Path, report: Report): boolean {
  let clean = true;
  for (const key of Object.keys(raw)) {
    if (KEYS.includes(key)) continue;
    clean = false;
    const near = SYNONYMS[key.toLowerCase()] ?? nearest(key, KEYS);
    report(
      errorAtKey([...path, key], `${shown(key)} is no key of a condition`, {
        expected: `metric and one of ${alternatives(OPS)}`,
        ...(near === null ? {} : { suggestion: near }),
      }),
    );
  }
  return clean;
}

function findMetric(
  raw: Raw,
  path: Path,
  inherited: Inherited | null,
  { kind, metrics, report }: ConditionContext,
): Metric | null {
  const examples = [...metrics.keys()].slice(-3);
  const expected = `a metric of ${kind} such as ${alternatives(examples)}`;
  if (!("metric" in raw)) {
    const known = inherited === null ? undefined : metrics.get(inherited.metric);
    if (known === undefined) report(errorAt(path, "the comparison names no metric", { expected }));
    return known ?? null;
  }
  const name = raw.metric;
  if (typeof name !== "string" || name === "") {
    report(errorAt([...path, "metric"], "metric is no name", { expected }));
    return null;
  }
  const metric = metrics.get(name);
  if (metric === undefined) {
    const near = nearest(name, metrics.keys());
    const hint = near === null ? { expected } : { expected, suggestion: near };
    report(errorAt([...path, "metric"], `${kind} has no metric ${shown(name)}`, hint));
  }
  return metric ?? null;
}

function findOp(raw: Raw, path: Path, clean: boolean, report: Report): Op | null {
  const [op, second] = OPS.filter((one) => one in raw);
  if (op === undefined) {
    // A misspelt or unbuilt operator was reported already.
    if (clean) {
      const hint = { expected: `one of ${alternatives(OPS)}` };
      report(errorAt(path, "the comparison compares with nothing", hint));
    }
    return null;
  }
  if (second === undefined) return op;
  report(
    errorAtKey([...path, second], `${op} and ${second} stand in one comparison`, {
      expected: "one of them, inside: [a, b], or two comparisons under all",
    }),
  );
  return null;
}

function compileOp(
  op: Op,
  raw: Raw,
  path: Path,
  metric: Metric,
  inheritedSpan: Span | null,
  context: ConditionContext,
): Comparison | null {
  const at = [...path, op];
  const { report, tokens, pace } = context;
  const percentile = PERCENTILE_OPS.includes(op) && [raw[op]].flat().some(isPercentile);
  const window = percentile ? percentileWindow(raw, path, op, inheritedSpan, context) : null;
  if (percentile && window === null) return null;
  const references = context.references ?? NO_REFERENCES;
  const moves = CHANGE_OPS.some((one) => one === op);
  const relative = moves ? null : { metric, tokens, window, references };
  const limits = { metric, tokens, relative, report };
  switch (op) {
    case "inside":
    case "outside":
      return readRange(op, raw[op], at, limits);
    case "rises":
    case "falls":
    case "moves": {
      const inherits = inheritedSpan !== null && !("within" in raw || "since" in raw);
      const span = inherits ? inheritedSpan : compileSpan(raw, path, op, pace, report);
      const by = readDistance(raw[op], at, limits);
      return span === null || by === null ? null : { op, metric: metric.name, by, span };
    }
    case "changes":
      return compileChanges(raw.changes, at, metric, report);
    case "unchanged":
      return compileUnchanged(raw.unchanged, at, metric, pace, report);
    // It names no metric and is compiled by itself.
    case "no_update_for":
      return null;
    default: {
      if (!PERCENTILE_OPS.includes(op) && isPercentile(raw[op])) {
        const hint = { expected: alternatives(PERCENTILE_OPS) };
        report(errorAt(at, `${op} has no use for a percentile, which moves`, hint));
        return null;
      }
      const limit = readLimit(raw[op], at, limits);
      return limit === null ? null : { op, metric: metric.name, limit };
    }
  }
}

/** `within`, or what a `resolve_when` takes from `when`. */
function percentileWindow(
  raw: Raw,
  path: Path,
  op: Op,
  inherited: Span | null,
  { pace, report }: ConditionContext,
): Window | null {
  if ("within" in raw) {
    return compilePercentileSpan(raw.within, [...path, "within"], pace, report);
  }
  if (inherited?.kind === "within") return { ms: inherited.ms, within: inherited.text };
  const hint = { expected: "within: 7d beside it" };
  report(errorAtKey([...path, op], "a percentile needs a span of time", hint));
  return null;
}

function compileChanges(raw: unknown, at: Path, metric: Metric, report: Report): Comparison | null {
  if (raw === true) return { op: "changes", metric: metric.name };
  const text = typeof raw === "string" ? shown(raw) : raw === null ? "nothing" : kindOf(raw);
  const hint = { expected: "changes: true; how far is said by rises, falls or moves" };
  report(errorAt(at, `changes is ${text}`, hint));
  return null;
}
