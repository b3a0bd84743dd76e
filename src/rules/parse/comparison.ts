import { alternatives, kindOf } from "../../base/settings.ts";
import { suggest, synonymsOf } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Comparison, Span, Subject } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report, shown } from "../finding.ts";
import { lintChecksum } from "../lint/checksum.ts";
import { lintComparison } from "../lint/comparison.ts";
import { CHANGE_OPS, OPS, type Op, RANGE_OPS, reportKeys } from "./comparison-keys.ts";
import { readDistance, readLimit, readRange } from "./limits.ts";
import { isPercentile, type References } from "./relative.ts";
import {
  compilePercentileSpan,
  compileSilence,
  compileSpan,
  compileUnchanged,
  type Pace,
  type Window,
} from "./span.ts";
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
  readonly subjects?: readonly Subject[];
  readonly report: Report;
}

/** What a `resolve_when` takes from a single-comparison `when`. */
export interface Inherited {
  readonly metric: string;
  /** Null if `when` is no change. */
  readonly span: Span | null;
}

export type Raw = Readonly<Record<string, unknown>>;

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
/** Compiles one comparison; null after reporting everything that is wrong with it. */
export function compileComparison(
  raw: Raw,
  path: Path,
  inherited: Inherited | null,
  context: ConditionContext,
): Comparison | null {
  const { report } = context;
  const wrong = reportKeys(raw, path, context.metrics, report);
  const clean = wrong === null;
  // Silence is a matter of the record, whatever else it holds.
  const silence = "no_update_for" in raw;
  const metric = silence ? null : findMetric(raw, path, inherited, wrong, context);
  const op = findOp(raw, path, clean, report);
  if (op === null) return null;
  const percentile = PERCENTILE_OPS.includes(op) && [raw[op]].flat().some(isPercentile);
  const isChange = CHANGE_OPS.some((one) => one === op);
  if (op === "changes" && ("within" in raw || "since" in raw)) {
    const by = typeof raw.changes === "string" ? cleanText(raw.changes, 60) : "10%";
    const hint = { expected: "changes: true alone", suggestion: `moves: ${by}` };
    report(
      errorAtKey(
        "misplaced-key",
        [...path, op],
        "changes takes no window: it compares with the last value",
        hint,
      ),
    );
    return null;
  }
  for (const key of ["within", "since"]) {
    if (key in raw && !isChange && !(percentile && key === "within")) {
      const expected = "rises, falls or moves beside it, or (within) a percentile";
      report(
        errorAtKey("misplaced-key", [...path, key], `${key} does not belong to ${op}`, expected),
      );
      return null;
    }
  }
  if (silence) {
    const compiled = compileSilence(raw, path, context);
    return clean ? compiled : null;
  }
  // The span that a change needs may be there under another name.
  if (metric === null || (isChange && (wrong?.has("within") || wrong?.has("since")))) return null;
  if (UNITS[metric.quantity] === null && !PLAIN_OPS.includes(op)) {
    const hint = { expected: alternatives(PLAIN_OPS) };
    report(
      errorAtKey(
        "metric-no-number",
        [...path, op],
        `${metric.name} is not a number: ${op} does not fit it`,
        hint,
      ),
    );
    return null;
  }
  const compiled = compileOp(op, raw, path, metric, inherited?.span ?? null, context);
  if (compiled === null) return null;
  lintChecksum(raw[op], [...path, op], report);
  const sensible = lintComparison(compiled, metric, [...path, op], report);
  return clean && sensible ? compiled : null;
}

const MOST_EXAMPLES = 5;
/** Ids, names, blocks and dates, which a kind has more of than it has values. */
const NO_EXAMPLES: ReadonlySet<Metric["quantity"]> = new Set([
  "text",
  "address",
  "integer",
  "seconds",
]);
/** Who meant one of these has named a metric, or means a group. */
const NO_COMPARISON = ["metric", "all", "any", "not"];

function findMetric(
  raw: Raw,
  path: Path,
  inherited: Inherited | null,
  wrong: ReadonlySet<string> | null,
  { kind, metrics, report }: ConditionContext,
): Metric | null {
  const values = [...metrics.values()].filter(({ quantity }) => !NO_EXAMPLES.has(quantity));
  const examples = values.slice(-MOST_EXAMPLES).map((one) => one.name);
  const expected = `a metric of ${kind} such as ${alternatives(examples)}`;
  if (!("metric" in raw)) {
    const known = inherited === null ? undefined : metrics.get(inherited.metric);
    const told = NO_COMPARISON.some((key) => wrong?.has(key));
    if (known === undefined && !told) {
      report(errorAt("missing-key", path, "the comparison names no metric", expected));
    }
    return known ?? null;
  }
  const name = raw.metric;
  if (typeof name !== "string" || name === "") {
    report(errorAt("bad-name", [...path, "metric"], "metric is not a name", expected));
    return null;
  }
  const metric = metrics.get(name);
  if (metric === undefined) {
    const near = suggest(name, metrics.keys(), synonymsOf(metrics));
    const hint = { expected, suggestion: near };
    report(
      errorAt("unknown-metric", [...path, "metric"], `${kind} has no metric ${shown(name)}`, hint),
    );
  }
  return metric ?? null;
}

function findOp(raw: Raw, path: Path, clean: boolean, report: Report): Op | null {
  const [op, second] = OPS.filter((one) => one in raw);
  if (op === undefined) {
    // A misspelt or unbuilt operator was reported already.
    if (clean) {
      const expected = `one of ${alternatives(OPS)}`;
      report(errorAt("missing-key", path, "the comparison has no operator", expected));
    }
    return null;
  }
  if (second === undefined) return op;
  report(
    errorAtKey(
      "key-conflict",
      [...path, second],
      `the comparison has both ${op} and ${second}`,
      "one of them, inside: [a, b], or two comparisons under all",
    ),
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
  const relative = moves
    ? null
    : { metric, tokens, window, references, subjects: context.subjects ?? [] };
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
      if (isTurnedRound(op, raw[op], at, report)) return null;
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
        const expected = alternatives(PERCENTILE_OPS);
        report(errorAt("bad-percentile", at, `${op} does not take a percentile`, expected));
        return null;
      }
      const limit = readLimit(raw[op], at, limits);
      return limit === null ? null : { op, metric: metric.name, limit };
    }
  }
}

const OPPOSITE = { rises: "falls", falls: "rises", moves: "moves" } as const;

/** Reports `rises: -5%`: what is said to rise by less than nothing falls. */
function isTurnedRound(op: keyof typeof OPPOSITE, raw: unknown, at: Path, report: Report): boolean {
  const by =
    typeof raw === "string" ? /^\s*[-\u2212\u2013]\s*(?=[\d.$])(.*)$/.exec(raw)?.[1] : undefined;
  if (by === undefined || typeof raw !== "string") return false;
  const hint = {
    expected: "how far the value must go, which is above zero",
    suggestion: cleanText(`${OPPOSITE[op]}: ${by}`, 120),
  };
  report(errorAt("out-of-range", at, `${op} ${shown(raw)} is below zero`, hint));
  return true;
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
  const expected = "within: 7d beside it";
  report(errorAtKey("needs-window", [...path, op], "a percentile needs a window", expected));
  return null;
}

function compileChanges(raw: unknown, at: Path, metric: Metric, report: Report): Comparison | null {
  if (raw === true) return { op: "changes", metric: metric.name };
  const text = typeof raw === "string" ? shown(raw) : raw === null ? "nothing" : kindOf(raw);
  const expected = "changes: true; how far is said by rises, falls or moves";
  report(errorAt("wrong-type", at, `changes is ${text}`, expected));
  return null;
}
