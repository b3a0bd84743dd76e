import { compare, Decimal, isZero } from "../../base/decimal.ts";
import { kindOf } from "../../base/settings.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { AmountLimit, Distance, Limit, RangeComparison } from "../../model/index.ts";
import { errorAt, type Path, QuantityError, type Report, shown } from "../finding.ts";
import { numberOf } from "../lint/regions.ts";
import { parseDistance, parseLimit } from "./quantity.ts";
import { parseRelative, type RelativeContext } from "./relative.ts";

/** What limits are read for. */
export interface LimitContext {
  readonly metric: Metric;
  /** Whether the rule gives the decimals that turn tokens into the metric's raw units. */
  readonly tokens: boolean;
  /** What relative limits need; null where there can be none. */
  readonly relative: RelativeContext | null;
  readonly report: Report;
}

/** Reads a limit; null after reporting what is wrong with it. */
export function readLimit(raw: unknown, at: Path, context: LimitContext): Limit | null {
  return attempt(
    () => {
      const relative = context.relative === null ? undefined : parseRelative(raw, context.relative);
      if (relative !== undefined) return relative;
      return withDecimals(parseLimit(raw, context.metric), context);
    },
    at,
    context.report,
  );
}

/** Reads how far a value must go; null after reporting what is wrong with it. */
export function readDistance(raw: unknown, at: Path, context: LimitContext): Distance | null {
  return attempt(
    () => {
      const by = parseDistance(raw, context.metric);
      return by.kind === "absolute" ? { ...by, limit: withDecimals(by.limit, context) } : by;
    },
    at,
    context.report,
  );
}

/** Not every record tells a token's decimals; the earlier family has a record that does. */
function withDecimals(limit: AmountLimit, { metric, tokens }: LimitContext): AmountLimit {
  if (limit.kind !== "tokens" || metric.quantity !== "raw" || tokens) return limit;
  // Nothing is nothing, however many decimals the token has.
  if (isZero(limit.amount)) return { kind: "value", value: Decimal.ZERO, text: limit.text };
  throw new QuantityError(
    "needs-decimals",
    `${shown(limit.text)} needs the decimals of the token`,
    {
      expected:
        "decimals: 6 (the token's) in the watch, legacy_base_url in the configuration (there they are asked for), or raw units such as 5000000 raw",
    },
  );
}

/** Reads the two limits of `inside` or `outside`; null after reporting what is wrong with them. */
export function readRange(
  op: "inside" | "outside",
  raw: unknown,
  at: Path,
  context: LimitContext,
): RangeComparison | null {
  const { metric, report } = context;
  const expected = `two limits such as ${op}: [1, 2]`;
  if (!Array.isArray(raw)) {
    report(errorAt("bad-range", at, `${op} is ${kindOf(raw)}`, expected));
    return null;
  }
  const items: readonly unknown[] = raw;
  if (items.length !== 2) {
    const cut = items.some((item) => typeof item === "string" && /^\d{3}\b/.test(item));
    const why = cut && items.length > 2 ? ": the commas split a number" : "";
    report(
      errorAt(
        "bad-range",
        at,
        `${op} has ${items.length} ${items.length === 1 ? "item" : "items"}${why}`,
        expected,
      ),
    );
    return null;
  }
  const low = readLimit(items[0], [...at, 0], context);
  const high = readLimit(items[1], [...at, 1], context);
  if (low === null || high === null) return null;
  if (isGreater(low, high)) {
    report(
      errorAt("bad-range", at, `${low.text} is above ${high.text}`, {
        expected: "the lower limit first",
        suggestion: `[${high.text}, ${low.text}]`,
      }),
    );
    return null;
  }
  return { op, metric: metric.name, low, high };
}

function isGreater(low: Limit, high: Limit): boolean {
  if (low.kind !== high.kind) return false;
  if (low.kind === "percentile" && high.kind === "percentile") {
    const same = compare(low.percent, high.percent) === 0;
    return same && compare(low.percentile, high.percentile) > 0;
  }
  const [a, b] = [numberOf(low), numberOf(high)];
  return a !== null && b !== null && compare(a, b) > 0;
}

/** What `read` makes, or null after reporting the QuantityError that it threw. */
function attempt<T>(read: () => T | null, at: Path, report: Report): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    report(errorAt(error.code, at, error.message, error.hint));
    return null;
  }
}
