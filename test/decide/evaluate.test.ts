import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSchedule } from "../../src/base/schedule.ts";
import { limitsOf } from "../../src/decide/condition-tree.ts";
import { evaluate, judge } from "../../src/decide/evaluate.ts";
import {
  type EvaluationContext,
  FALSE,
  TRUE,
  type Truth,
  UNKNOWN_CLOSED,
  UNKNOWN_VALUE,
  UNKNOWN_WINDOW,
} from "../../src/decide/evaluation-context.ts";
import { findEvidence } from "../../src/decide/verdict.ts";
import { valuesEqual } from "../../src/decide/windows/sampled.ts";
import { StateWindow } from "../../src/decide/windows/window.ts";
import type {
  ChangeComparison,
  Comparison,
  Condition,
  Limit,
  Value,
} from "../../src/model/index.ts";
import { distance, exact, limit } from "../support/nouns.ts";

const MINUTE = 60_000;

interface Given {
  readonly values?: Readonly<Record<string, Value | string | null>>;
  readonly closed?: boolean;
  readonly decimals?: number | null;
  readonly window?: StateWindow;
  readonly date?: number;
  readonly firedAt?: number | null;
  readonly seen?: readonly string[];
  readonly last?: Value | null;
}

function contextOf(given: Given): EvaluationContext {
  return {
    date: given.date ?? 0,
    now: given.date ?? 0,
    bucketed: false,
    closed: given.closed ?? false,
    firedAt: given.firedAt ?? null,
    value: (metric) => {
      const value = given.values?.[metric] ?? null;
      return typeof value === "string" && /^-?\d/.test(value) ? exact(value) : value;
    },
    decimals: () => given.decimals ?? null,
    metric: (name) => ({
      name,
      quantity: "integer",
      label: name,
      ...(name === "in_range" ? { range: true as const } : {}),
    }),
    past: () => given.window ?? null,
    percentile: () => null,
    reference: () => null,
    unchanged: () => null,
    updatedAt: () => null,
    seen: () => (given.seen ?? []).map(exact),
    last: () => given.last ?? null,
    previous: () => null,
  };
}

const compared = (op: "above" | "below" | "at_least" | "at_most", text: string): Comparison => ({
  op,
  metric: "v",
  limit: limit(text),
});

/** A limit whose past is not known. */
const percentile: Limit = {
  kind: "percentile",
  percentile: exact("50"),
  percent: exact("100"),
  ms: 60 * MINUTE,
  within: "1h",
  text: "p50",
};

/** What is not known, the gravest first. */
const GRAVEST = [UNKNOWN_VALUE, UNKNOWN_WINDOW, UNKNOWN_CLOSED] as const;

const known = (truth: Truth): Truth => (truth === UNKNOWN_CLOSED ? FALSE : truth);

const at = (value: string | null): EvaluationContext => contextOf({ values: { v: value } });

describe("levels", () => {
  it.each([
    ["above", "5", ["4", "5", "6"], [FALSE, FALSE, TRUE]],
    ["below", "5", ["4", "5", "6"], [TRUE, FALSE, FALSE]],
    ["at_least", "5", ["4", "5", "6"], [FALSE, TRUE, TRUE]],
    ["at_most", "5", ["4", "5", "6"], [TRUE, TRUE, FALSE]],
  ] as const)("%s %s", (op, text, values, truths) => {
    expect(values.map((value) => evaluate(compared(op, text), at(value)))).toEqual(truths);
  });

  it("tells the last unit of a 78-digit number apart", () => {
    const most = (2n ** 256n - 1n).toString();
    const less = (2n ** 256n - 2n).toString();
    expect(evaluate(compared("above", less), at(most))).toBe(TRUE);
    expect(evaluate(compared("above", most), at(most))).toBe(FALSE);
    expect(evaluate(compared("below", "0.000001"), at("0.0000009999999999999999999"))).toBe(TRUE);
  });

  it("inside and outside both have their ends inside", () => {
    const range = (op: "inside" | "outside"): Comparison => ({
      op,
      metric: "v",
      low: limit("2"),
      high: limit("4"),
    });
    const values = ["1.999", "2", "3", "4", "4.001"];
    expect(values.map((value) => evaluate(range("inside"), at(value)))).toEqual([
      FALSE,
      TRUE,
      TRUE,
      TRUE,
      FALSE,
    ]);
    expect(values.map((value) => evaluate(range("outside"), at(value)))).toEqual([
      TRUE,
      FALSE,
      FALSE,
      FALSE,
      TRUE,
    ]);
  });

  it("a range with an end that is not known is not known, for want of a value if one is missing", () => {
    const ends: readonly (readonly [Limit, Truth])[] = [
      [limit("1"), FALSE],
      [percentile, UNKNOWN_WINDOW],
      [{ kind: "tokens", amount: exact("1"), text: "1 token" }, UNKNOWN_VALUE],
    ];
    for (const [low, isLow] of ends) {
      for (const [high, isHigh] of ends) {
        const truth = Math.max(isLow, isHigh);
        expect(evaluate({ op: "outside", metric: "v", low, high }, at("1"))).toBe(truth);
      }
    }
  });

  it("a missing value is neither above nor below", () => {
    expect(evaluate(compared("above", "5"), at(null))).toBe(UNKNOWN_VALUE);
    expect(evaluate(compared("below", "5"), at(null))).toBe(UNKNOWN_VALUE);
  });

  it("a limit in tokens needs the token's decimals and is exact with them", () => {
    const comparison: Comparison = {
      op: "above",
      metric: "v",
      limit: { kind: "tokens", amount: exact("1.5"), text: "1.5 tokens" },
    };
    const values = { v: "1500001" };
    expect(evaluate(comparison, contextOf({ values, decimals: null }))).toBe(UNKNOWN_VALUE);
    expect(evaluate(comparison, contextOf({ values, decimals: 6 }))).toBe(TRUE);
    expect(evaluate(comparison, contextOf({ values: { v: "1500000" }, decimals: 6 }))).toBe(FALSE);
  });
});

describe("equality", () => {
  it("is exact for numbers, minds case in text but not in 0x values", () => {
    expect(valuesEqual(exact("1.50"), exact("1.5"))).toBe(true);
    expect(valuesEqual("USDC", "usdc")).toBe(false);
    expect(valuesEqual("0xAb", "0xaB")).toBe(true);
    expect(valuesEqual(true, true)).toBe(true);
    expect(valuesEqual(true, "true")).toBe(false);
  });
});

describe("all, any and not", () => {
  const terms: Readonly<Record<Truth, Condition>> = {
    [FALSE]: { op: "above", metric: "v", limit: limit("1") },
    [TRUE]: { op: "above", metric: "v", limit: limit("0") },
    [UNKNOWN_CLOSED]: { op: "equals", metric: "in_range", limit: limit(true) },
    [UNKNOWN_WINDOW]: { op: "above", metric: "v", limit: percentile },
    [UNKNOWN_VALUE]: { op: "above", metric: "none", limit: limit("0") },
  };
  const position = contextOf({ closed: true, values: { v: "1" } });

  it("follow three-valued logic, with the range of a closed position as false for the whole", () => {
    const truth = fc.constantFrom<Truth>(...GRAVEST, FALSE, TRUE);
    fc.assert(
      fc.property(fc.array(truth, { minLength: 1, maxLength: 6 }), (truths) => {
        const of = truths.map((one) => terms[one]);
        const has = (one: Truth): boolean => truths.includes(one);
        const gravest = GRAVEST.find(has);
        const closed = has(UNKNOWN_CLOSED);
        const all: Condition = { op: "all", terms: of };
        const any: Condition = { op: "any", terms: of };
        // Behind `not` it is `any` that a false term alone cannot decide.
        expect(evaluate(all, position)).toBe(has(FALSE) || closed ? FALSE : (gravest ?? TRUE));
        expect(evaluate(any, position)).toBe(has(TRUE) ? TRUE : known(gravest ?? FALSE));
        expect(evaluate({ op: "not", term: all }, position)).toBe(
          has(FALSE) ? TRUE : known(gravest ?? FALSE),
        );
        expect(evaluate({ op: "not", term: any }, position)).toBe(
          has(TRUE) || closed ? FALSE : (gravest ?? TRUE),
        );
      }),
    );
  });

  it("a closed position's range counts as false at the root, also under not", () => {
    const inRange: Condition = { op: "equals", metric: "in_range", limit: limit(true) };
    const closed = contextOf({ closed: true, values: { v: "9" } });
    expect(judge(inRange, closed)).toBe(UNKNOWN_CLOSED);
    expect(evaluate(inRange, closed)).toBe(FALSE);
    expect(evaluate({ op: "not", term: inRange }, closed)).toBe(FALSE);
    const any: Condition = { op: "any", terms: [inRange, compared("above", "5")] };
    expect(evaluate(any, closed)).toBe(TRUE);
  });
});

describe("changes", () => {
  const schedule = parseSchedule("1m", "UTC");
  const change = (
    op: ChangeComparison["op"],
    by: string,
    kind: "within" | "since" | "since_last",
    minutes = 10,
  ): ChangeComparison => ({
    op,
    metric: "v",
    by: distance(by),
    span:
      kind === "since_last"
        ? { kind, text: "last" }
        : { kind, ms: minutes * MINUTE, text: `${minutes}m` },
  });
  /** One value a minute from minute 0 on, the last one being the sample that is judged. */
  const after = (
    values: readonly string[],
    comparison: ChangeComparison,
    given: Given = {},
  ): Truth => {
    const need = comparison.span.kind === "since" ? "trail" : "both";
    const window = new StateWindow(need, 10 * MINUTE, schedule);
    for (const [i, value] of values.slice(0, -1).entries())
      window.observe(i * MINUTE, exact(value));
    const date = (values.length - 1) * MINUTE;
    return evaluate(
      comparison,
      contextOf({ date, window, values: { v: values.at(-1) ?? null }, ...given }),
    );
  };
  const level = (value: string, count: number): string[] =>
    Array.from({ length: count }, () => value);

  it("are reached at exactly the distance", () => {
    expect(after([...level("100", 10), "90"], change("falls", "10", "within"))).toBe(TRUE);
    expect(after([...level("100", 10), "90.0001"], change("falls", "10", "within"))).toBe(FALSE);
    expect(after([...level("100", 10), "90"], change("falls", "10%", "within"))).toBe(TRUE);
    expect(after([...level("100", 10), "110"], change("rises", "10%", "within"))).toBe(TRUE);
    expect(after([...level("100", 10), "110"], change("falls", "1", "within"))).toBe(FALSE);
    expect(after([...level("100", 10), "111"], change("moves", "10%", "within"))).toBe(TRUE);
  });

  it("see a slow drift that no single step shows", () => {
    const drift = Array.from({ length: 11 }, (_, i) => String(100 - i));
    expect(after(drift, change("falls", "9", "within"))).toBe(TRUE);
  });

  it("from zero exceed every percentage; no change is none", () => {
    expect(after([...level("0", 10), "1"], change("rises", "1000%", "within"))).toBe(TRUE);
    expect(after([...level("0", 10), "0"], change("rises", "1%", "within"))).toBe(FALSE);
  });

  it("are unknown with nothing but the value, true at once when reached, false once half is known", () => {
    const falls = change("falls", "10", "within");
    expect(after(["100"], falls)).toBe(UNKNOWN_WINDOW);
    expect(after(["100", "90"], falls)).toBe(TRUE);
    expect(after(["100", "99"], falls)).toBe(UNKNOWN_WINDOW);
    expect(after([...level("100", 5), "99"], falls)).toBe(FALSE);
  });

  it("are false earlier for an alert that fired in what is known", () => {
    const falls = change("falls", "10", "within");
    expect(after(["100", "99"], falls, { firedAt: 0 })).toBe(FALSE);
    // What lies between is not known.
    expect(after(["100", "99"], falls, { firedAt: -MINUTE })).toBe(UNKNOWN_WINDOW);
  });

  it("since: against the value in force then; the first one stands in while the series is young", () => {
    const moves = change("moves", "10", "since");
    expect(after(["100", "105", ...level("101", 8), "109"], moves)).toBe(FALSE);
    expect(after(["100", "100", ...level("101", 8), "110"], moves)).toBe(TRUE);
    expect(after(["100", "110"], moves)).toBe(TRUE);
    expect(after(["100", "109"], moves)).toBe(UNKNOWN_WINDOW);
    expect(after(["100", "109"], moves, { firedAt: 0 })).toBe(FALSE);
  });

  it("since last: against the value before, one absurd answer passed over", () => {
    const falls = change("falls", "50%", "since_last");
    const with_ = (seen: string[], value: string): Truth =>
      evaluate(falls, contextOf({ values: { v: value }, seen }));
    expect(with_([], "100")).toBe(UNKNOWN_WINDOW);
    expect(with_(["100"], "50")).toBe(TRUE);
    expect(with_(["100", "1"], "100")).toBe(FALSE);
    expect(with_(["1", "100"], "40")).toBe(FALSE);
    expect(with_(["100", "100"], "40")).toBe(TRUE);
  });

  it("percentages are exact for numbers of any size", () => {
    const digits = fc.bigInt({ min: 1n, max: 10n ** 78n });
    const percent = fc.integer({ min: 1, max: 100_000_000 });
    fc.assert(
      fc.property(digits, digits, percent, (base, value, millionths) => {
        const text = `${Math.floor(millionths / 1e6)}.${String(millionths % 1e6).padStart(6, "0")}%`;
        const truth = after(
          [...level(base.toString(), 10), value.toString()],
          change("falls", text, "within"),
        );
        const fall = base - value;
        const reached = fall > 0n && fall * 100n * 1_000_000n >= BigInt(millionths) * base;
        expect(truth).toBe(reached ? TRUE : FALSE);
      }),
    );
  });
});

describe("evidence", () => {
  const two = contextOf({ values: { v: "9", w: "1" } });
  const v: Comparison = compared("above", "10");
  const w: Comparison = { op: "below", metric: "w", limit: limit("2") };

  it("of any is the term that is true, of all the first", () => {
    expect(findEvidence({ op: "any", terms: [v, w] }, two)?.comparison).toBe(w);
    expect(findEvidence({ op: "all", terms: [v, w] }, two)?.comparison).toBe(v);
  });

  it("names value and limit as compared", () => {
    const evidence = findEvidence(v, two);
    expect(evidence?.value.toString()).toBe("9");
    expect(evidence?.limits.map(String)).toEqual(["10"]);
  });

  it("shows no limit of a range of which one is not known", () => {
    const low = limit("1");
    for (const range of [
      { low, high: percentile },
      { low: percentile, high: low },
    ]) {
      const outside: Comparison = { op: "outside", metric: "v", ...range };
      expect(findEvidence(outside, two)?.limits).toEqual([]);
    }
  });

  it("has the limits of a range in their order, and each with its own words", () => {
    if (percentile.kind !== "percentile") throw new Error("no percentile");
    const low: Limit = { ...percentile, percent: exact("90"), text: "90% of p50" };
    const high: Limit = { ...percentile, percent: exact("110"), text: "110% of p50" };
    const outside: Comparison = { op: "outside", metric: "v", low, high };
    for (const [middle, limits, words] of [
      ["100", ["90", "110"], [low.text, high.text]],
      ["-100", ["-110", "-90"], [high.text, low.text]],
    ] as const) {
      const found = findEvidence(outside, { ...two, percentile: () => exact(middle) });
      expect(found?.limits.map(String)).toEqual(limits);
      expect(found === null ? [] : limitsOf(found.comparison)).toMatchObject(
        words.map((text) => ({ text })),
      );
    }
  });

  it("is null without a value", () => {
    expect(findEvidence(v, contextOf({}))).toBeNull();
  });
});
