import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal } from "../../src/base/decimal.ts";
import type { EvaluationContext } from "../../src/decide/evaluation-context.ts";
import { measure, worseWay, worstAfter } from "../../src/decide/worse.ts";
import type { Comparison, Limit, Rule, Value, Worst } from "../../src/model/index.ts";
import { distance, exact, limit, makeRule } from "../support/nouns.ts";

/** A context with a value and the extremes of a window. */
function contextOf(value: Value, lowest = value, highest = value): EvaluationContext {
  const base = (one: Value) => (one instanceof Decimal ? { value: one, at: 0 } : null);
  return {
    date: 0,
    now: 0,
    bucketed: false,
    closed: false,
    firedAt: null,
    value: () => value,
    decimals: () => 18,
    metric: (name) => ({ name, quantity: "integer", label: name }),
    past: () => ({
      lowest: () => base(lowest),
      highest: () => base(highest),
      inForce: () => null,
      first: () => null,
      known: () => 0,
    }),
    percentile: () => null,
    reference: () => null,
    unchanged: () => null,
    updatedAt: () => null,
    seen: () => [],
    previous: () => null,
    last: () => null,
  };
}

function ruleOf(comparison: Comparison, by: string): Rule {
  return makeRule({ when: comparison, worse: { comparison, by: distance(by) } });
}

/** Which of the contexts are told as worse after the first one has been told. */
function told(rule: Rule, contexts: readonly EvaluationContext[]): number[] {
  let worst: Worst | null = null;
  const indices: number[] = [];
  for (const [index, context] of contexts.entries()) {
    const now = measure(rule, context);
    if (now === null) continue;
    if (worst === null) worst = worstAfter(null, now);
    else {
      const way = worseWay(rule, worst, now, context);
      if (way === null) continue;
      worst = worstAfter(worst, now, way);
      indices.push(index);
    }
  }
  return indices;
}

const tvl = (op: "above" | "below", text: string): Comparison => ({
  op,
  metric: "m",
  limit: limit(text),
});

describe("worse_by", () => {
  it("is what going over the list of all that was told says", () => {
    const values = fc.array(fc.bigInt({ min: -50n, max: 50n }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 20 }), (given, by) => {
        const furthest = [given[0] ?? 0n];
        const expected: number[] = [];
        for (const [index, value] of given.entries()) {
          if (index === 0 || furthest.some((one) => value < one + BigInt(by))) continue;
          furthest.push(value);
          expected.push(index);
        }
        const up = given.map((value) => contextOf(new Decimal(value, 0)));
        expect(told(ruleOf(tvl("above", "0"), String(by)), up)).toEqual(expected);
        const down = given.map((value) => contextOf(new Decimal(-value, 0)));
        expect(told(ruleOf(tvl("below", "0"), String(by)), down)).toEqual(expected);
      }),
    );
  });

  it("loses no digit of the largest numbers", () => {
    const top = 2n ** 256n - 1n;
    const contexts = [top - 2n, top - 1n, top].map((value) => contextOf(new Decimal(value, 0)));
    expect(told(ruleOf(tvl("above", "0"), "2"), contexts)).toEqual([2]);
    const tiny = ["0.000001", "0.0000019", "0.000002"].map((text) => contextOf(exact(text)));
    expect(told(ruleOf(tvl("above", "0"), "0.000001"), tiny)).toEqual([2]);
  });

  it("compares percentages of different bases without dividing", () => {
    const falls: Comparison = {
      op: "falls",
      metric: "m",
      by: distance("10%"),
      span: { kind: "within", ms: 1, text: "1h" },
    };
    const rule = ruleOf(falls, "33.333333%");
    const fall = (value: string, high: string) =>
      contextOf(exact(value), exact(value), exact(high));
    // 10% of 3, then 43.333333% of 7·10^77 and a unit less of it.
    const high = `7${"0".repeat(77)}`;
    const reached = exact(high).digits - (exact(high).digits * 43_333_333n) / 100_000_000n;
    const first = fall("2.7", "3");
    expect(told(rule, [first, fall(String(reached), high)])).toEqual([1]);
    expect(told(rule, [first, fall(String(reached + 1n), high)])).toEqual([]);
  });

  it("takes percentages of a limit below zero as points of its size", () => {
    const values = ["-11", "-15", "-16", "-20", "-21"].map((text) => contextOf(exact(text)));
    expect(told(ruleOf(tvl("below", "-10"), "50%"), values)).toEqual([2, 4]);
    const rising = ["-9", "-5", "-4"].map((text) => contextOf(exact(text)));
    expect(told(ruleOf(tvl("above", "-10"), "50%"), rising)).toEqual([2]);
  });

  it("measures beyond the nearer limit of a range around what is below zero", () => {
    const part = (percent: string): Limit => ({
      kind: "percentile",
      percentile: exact("50"),
      percent: exact(percent),
      ms: 60_000,
      within: "1m",
      text: `${percent}% of p50`,
    });
    const outside: Comparison = { op: "outside", metric: "m", low: part("90"), high: part("110") };
    const far = ["-120", "-130", "-131.01"].map((value) => ({
      ...contextOf(exact(value)),
      percentile: () => exact("-100"),
    }));
    // 10%, of the limit of -110, is 11 further.
    expect(told(ruleOf(outside, "10%"), far)).toEqual([2]);
  });

  it("measures no percentage of nothing", () => {
    const rises: Comparison = {
      op: "rises",
      metric: "m",
      by: distance("10%"),
      span: { kind: "within", ms: 1, text: "1h" },
    };
    const context = contextOf(exact("5"), exact("0"), exact("5"));
    expect(measure(ruleOf(rises, "10%"), context)).toBeNull();
    expect(measure(ruleOf(tvl("above", "0"), "10%"), context)).toBeNull();
    expect(measure(makeRule({ worse: null }), context)).toBeNull();
    expect(measure(ruleOf(rises, "1"), contextOf("text"))).toBeNull();
  });
});
