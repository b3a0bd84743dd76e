import {
  compare,
  type Decimal,
  decimalFromInteger,
  parseDecimal,
  shift,
} from "../../base/decimal.ts";
import { nearest } from "../../base/nearest.ts";
import { countsRaw } from "../../base/quantity.ts";
import { someOf } from "../../base/settings.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Limit, Reference, Subject } from "../../model/index.ts";
import { QuantityError, shown } from "../finding.ts";
import { suggestNumbers } from "../suggest/quantity.ts";
import type { Window } from "./span.ts";
import { UNITS } from "./units.ts";

/** The references of all rules files, as rules ask for them. */
export interface References {
  /** By its name; `broken`: what is wrong with it was reported; `unknown`: there is none. */
  find(name: string): Reference | "broken" | "unknown";
  /** For a suggestion. */
  names(): readonly string[];
}

/** What relative limits are read for. */
export interface RelativeContext {
  readonly metric: Metric;
  /** Whether the decimals of the metric's tokens are known in time. */
  readonly tokens: boolean;
  /** The window of percentiles; null: the comparison has none, or it is wrong. */
  readonly window: Window | null;
  readonly references: References;
  /** What the rule watches, where that is known: with `invert` its prices are turned. */
  readonly subjects: readonly Subject[];
}

const TEN = decimalFromInteger(10);
const HUNDRED = decimalFromInteger(100);
/** Enough for p99.999, and little enough for exact times of a long window. */
const MOST_DECIMALS = 3;

const RELATIVE = /^(?:(.*?)\s*(%?)\s+of\s+)?(\S.*)$/i;
/** `3x p50`, as others write 300% of it. */
const TIMES = /^(\d+(?:\.\d+)?)\s*(?:x|×|\*|times)\s*(?:of\s+)?(\S.*)$/i;
const PERCENTILE = /^p(\d+(?:\.\d+)?)$/i;
const NAME = /^[A-Za-z_][\w.-]*$/;

/** Whether a limit is a percentile, so that its comparison needs a window. */
export function isPercentile(raw: unknown): boolean {
  if (typeof raw !== "string") return false;
  const text = raw.trim();
  return PERCENTILE.test(TIMES.exec(text)?.[2] ?? RELATIVE.exec(text)?.[3] ?? "");
}

/**
 * Reads a limit that is measured and not given: `p10`, `300% of p50`, `100% of escrowed`, or the name
 * of a reference alone. Undefined if `raw` is nothing of the kind. Throws QuantityError; null for what
 * was reported elsewhere.
 */
export function parseRelative(raw: unknown, context: RelativeContext): Limit | null | undefined {
  const { metric, window, references } = context;
  if (typeof raw !== "string" || UNITS[metric.quantity] === null) return undefined;
  const isKnown = (one: string): boolean =>
    PERCENTILE.test(one) || (NAME.test(one) && references.find(one) !== "unknown");
  const match = RELATIVE.exec(raw.trim());
  const name = match?.[3] ?? "";
  const share = match?.[1];
  checkPercentSign(raw, match?.[2] === "" ? (share ?? null) : null, name, isKnown);
  const percentile = PERCENTILE.exec(name)?.[1];
  if (percentile !== undefined) {
    const percent = percentOf(share, raw, metric);
    const rank = rankOf(percentile, name);
    const text = cleanText(raw.trim());
    if (window === null) return null;
    return { kind: "percentile", percentile: rank, percent, text, ...window };
  }
  if (match?.[2] !== "%" && (!NAME.test(name) || references.find(name) === "unknown")) {
    return undefined;
  }
  const percent = percentOf(share, raw, metric);
  const reference = references.find(name);
  if (reference === "broken") return null;
  if (reference === "unknown") throw unknownReference(name, references.names());
  checkUnits(reference, context);
  checkDirection(reference, context);
  return { kind: "reference", reference, percent, text: cleanText(raw.trim()) };
}

/** Refuses `300 of p50` and `3x p50`, whose percentage is written otherwise here. */
function checkPercentSign(
  raw: string,
  bare: string | null,
  name: string,
  isKnown: (name: string) => boolean,
): void {
  const expected = "a percentage of it such as 300% of p50";
  const [, times = "", of = ""] = TIMES.exec(raw.trim()) ?? [];
  const factor = parseDecimal(times);
  if (factor !== null && isKnown(of)) {
    const suggestion = `${shift(factor, 2).toString()}% of ${of}`;
    throw new QuantityError("needs-percent", `${shown(raw)} is written as a multiple`, {
      expected,
      suggestion,
    });
  }
  const number = parseDecimal(bare ?? "");
  if (number === null || !isKnown(name)) return;
  const percent = `${number.toString()}% of ${name}`;
  // Of a small number it cannot be said whether it is one, or a part.
  const isPart = compare(number, TEN) < 0;
  const suggestion = isPart ? `${shift(number, 2).toString()}% of ${name} or ${percent}` : percent;
  throw new QuantityError("needs-percent", `${shown(raw)} has no %`, { expected, suggestion });
}

function percentOf(text: string | undefined, raw: string, { quantity }: Metric): Decimal {
  if (text === undefined) return HUNDRED;
  const percent = parseDecimal(text.replaceAll("_", ""));
  if (percent === null || percent.digits <= 0n || /^0+_/.test(text)) {
    const readings = suggestNumbers(raw);
    throw new QuantityError(
      "needs-percent",
      `${shown(raw)} does not begin with a percentage above zero`,
      {
        expected: "a limit such as 300% of p50",
        ...(readings.length === 0 ? {} : { suggestion: readings.join(" or ") }),
      },
    );
  }
  if (quantity === "tick" && compare(percent, HUNDRED) !== 0) {
    throw new QuantityError(
      "wrong-unit",
      `${shown(raw)} of ticks is not supported: a tick is already 0.01%`,
    );
  }
  return percent;
}

function rankOf(text: string, whole: string): Decimal {
  const rank = parseDecimal(text);
  const [, fraction = ""] = text.split(".");
  if (
    rank === null ||
    rank.digits === 0n ||
    compare(rank, HUNDRED) > 0 ||
    fraction.length > MOST_DECIMALS
  ) {
    throw new QuantityError("bad-percentile", `${shown(whole)} is not a percentile`, {
      expected: "p50, or another from p0.001 to p100 with three decimals at most",
    });
  }
  return rank;
}

function unknownReference(name: string, names: readonly string[]): QuantityError {
  const near = nearest(name, names);
  return new QuantityError("unknown-reference", `unknown reference ${shown(name)}`, {
    expected:
      names.length === 0
        ? "a name under references: in a rules file, or a percentile such as p50"
        : someOf(names),
    suggestion: near,
  });
}

/** What `invert` turns. */
const TURNED: ReadonlySet<string> = new Set(["price", "range_position"]);

/**
 * Refuses a price with its inverse: 2,000 USDC per ETH is above 0.0005 ETH per USDC for ever. Pools of
 * other kinds may hold their tokens in the other order, where `invert` makes them equal.
 */
function checkDirection(
  { name, metric: theirs, kind, subject, across }: Reference,
  { metric, subjects }: RelativeContext,
): void {
  const [own] = subjects;
  const other = across?.members[0] ?? subject;
  if (own === undefined || !TURNED.has(metric.name) || !TURNED.has(theirs)) return;
  const isSame = own.kind === kind || own.ids.pool === other.ids.pool;
  if (!isSame || own.ids.inverted === other.ids.inverted) return;
  const message = `${shown(name)} is the ${theirs} in the other direction`;
  const expected = `invert: ${own.ids.inverted ?? "false"} in the reference's watch, as in the rule's`;
  throw new QuantityError("incomparable", message, { expected });
}

/** Amounts of tokens compare with each other, whatever their decimals; else the units are equal. */
function checkUnits({ name, metric: theirs, quantity }: Reference, context: RelativeContext): void {
  const { metric, tokens } = context;
  if (unitOf(quantity) !== unitOf(metric.quantity)) {
    throw new QuantityError(
      "incomparable",
      `${shown(name)} is ${theirs} (${quantity}), which does not compare with ${metric.name} (${metric.quantity})`,
      { expected: "a reference that counts the same" },
    );
  }
  if (metric.quantity === "raw" && !tokens) {
    throw new QuantityError(
      "needs-decimals",
      `${shown(name)} needs the decimals of the token beside it`,
      {
        expected: "decimals: 6 (the token's) in the watch",
      },
    );
  }
}

function unitOf(quantity: Metric["quantity"]): string {
  return countsRaw(quantity) ? "tokens" : quantity;
}
