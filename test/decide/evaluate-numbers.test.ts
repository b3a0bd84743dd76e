import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalFromInteger } from "../../src/base/decimal.ts";
import { evaluate } from "../../src/decide/evaluate.ts";
import {
  type EvaluationContext,
  FALSE,
  TRUE,
  type Truth,
  UNKNOWN_WINDOW,
} from "../../src/decide/evaluation-context.ts";
import type { Quantity } from "../../src/model/index.ts";
import { compileWhen } from "../../src/rules/parse/condition.ts";
import { exact } from "../support/nouns.ts";

interface Given {
  readonly quantity?: Quantity;
  /** The value before, for `since: last`. */
  readonly before?: string;
  readonly percentile?: string;
  readonly decimals?: number;
}

/** What a condition of the rule file says of a value, read and evaluated as in the daemon. */
function judged(raw: Readonly<Record<string, unknown>>, value: string, given: Given = {}): Truth {
  const metric = { name: "m", quantity: given.quantity ?? "tick", label: "m" } as const;
  const problems: string[] = [];
  const when = compileWhen({ metric: "m", ...raw }, ["when"], {
    kind: "kind",
    metrics: new Map([["m", metric]]),
    pace: { intervalMs: 60_000, bucketMs: null },
    tokens: true,
    report: ({ level, message }) => {
      if (level === "error") problems.push(message);
    },
  });
  if (when === null) throw new Error(problems.join("\n"));
  const context: EvaluationContext = {
    date: 0,
    now: 0,
    bucketed: false,
    closed: false,
    firedAt: null,
    value: () => exact(value),
    decimals: () => given.decimals ?? null,
    metric: () => metric,
    past: () => null,
    percentile: () => (given.percentile === undefined ? null : exact(given.percentile)),
    reference: () => null,
    unchanged: () => null,
    updatedAt: () => null,
    seen: () => (given.before === undefined ? [] : [exact(given.before)]),
    previous: () => null,
    last: () => null,
  };
  return evaluate(when, context);
}

const MOST = (2n ** 256n - 1n).toString();
const LESS = (2n ** 256n - 2n).toString();
const LEAST = (-(2n ** 255n)).toString();
const ABOVE_LEAST = (-(2n ** 255n) + 1n).toString();

describe("a range around a limit that is measured", () => {
  it.each([
    [
      "100",
      [
        ["89", TRUE],
        ["90", FALSE],
        ["110", FALSE],
        ["111", TRUE],
      ],
    ],
    // 110% of it is the lower limit then.
    [
      "-100",
      [
        ["-111", TRUE],
        ["-110", FALSE],
        ["-90", FALSE],
        ["-89", TRUE],
      ],
    ],
  ] as const)("is the same on both sides of zero: of %s", (percentile, values) => {
    const limits = ["90% of p50", "110% of p50"];
    const given = { quantity: "integer", percentile } as const;
    for (const [value, outside] of values) {
      expect(judged({ outside: limits, within: "7d" }, value, given)).toBe(outside);
      const inside = outside === TRUE ? FALSE : TRUE;
      expect(judged({ inside: limits, within: "7d" }, value, given)).toBe(inside);
    }
  });
});

describe("numbers", () => {
  it.each<[Readonly<Record<string, unknown>>, Given, string, string]>([
    // condition, given, the value for which it is true, and the nearest for which it is not
    [{ above: LESS }, { quantity: "integer" }, MOST, LESS],
    [{ at_least: MOST }, { quantity: "integer" }, MOST, LESS],
    [{ equals: MOST }, { quantity: "integer" }, MOST, LESS],
    [{ below: ABOVE_LEAST }, {}, LEAST, ABOVE_LEAST],
    [{ at_most: LEAST }, {}, LEAST, ABOVE_LEAST],
    [{ above: "0.000001" }, { quantity: "usd" }, "0.000001000000000000000001", "0.000001"],
    [{ at_most: "1e-18" }, { quantity: "price" }, "1e-18", "0.0000000000000000010000001"],
    [{ below: "1e-18" }, { quantity: "price" }, "0.999e-18", "1e-18"],
    [{ above: "0.1 gwei" }, { quantity: "wei" }, "100000001", "100000000"],
    [{ above: "0.000000001 gwei" }, { quantity: "wei" }, "2", "1"],
    [{ above: "33.333333%" }, { quantity: "ratio" }, "0.3333333300000001", "0.33333333"],
    [{ below: "25 bps" }, { quantity: "ratio" }, "0.002499999", "0.0025"],
    [
      { above: "0.000001 tokens" },
      { quantity: "raw", decimals: 18 },
      "1000000000001",
      "1000000000000",
    ],
    [{ above: "0.0000001 tokens" }, { quantity: "raw", decimals: 6 }, "1", "0"],
    [{ inside: [LESS, MOST] }, { quantity: "integer" }, LESS, (2n ** 256n - 3n).toString()],
  ])("%j of %j", (raw, given, yes, no) => {
    expect([judged(raw, yes, given), judged(raw, no, given)]).toEqual([TRUE, FALSE]);
  });

  it.each<[string, string, string, string]>([
    // from, distance, the first value that has gone so far, and the last that has not
    ["3", "33.333333%", "3.99999999", "3.9999999899999"],
    ["0", "1000%", "0.000000000000000001", "0"],
    ["-100", "10%", "-90", "-90.000001"],
    [LESS, "1 tick", MOST, LESS],
    [LEAST, "1 tick", ABOVE_LEAST, LEAST],
  ])("from %s a rise by %s", (from, by, yes, no) => {
    const quantity = by.endsWith("%") ? "percent" : "tick";
    const raw = { rises: by, since: "last" };
    expect(judged(raw, yes, { before: from, quantity })).toBe(TRUE);
    expect(judged(raw, no, { before: from, quantity })).toBe(FALSE);
  });

  it.each<[string, string, string, string]>([
    [
      (10n ** 78n).toString(),
      "10%",
      (9n * 10n ** 77n).toString(),
      (9n * 10n ** 77n + 1n).toString(),
    ],
    ["-100", "10%", "-110", "-109.999999"],
    ["3", "33.333333%", "2.00000001", "2.0000000100001"],
  ])("from %s a fall by %s", (from, by, yes, no) => {
    const raw = { falls: by, since: "last" };
    const given = { before: from, quantity: "percent" } as const;
    expect(judged(raw, yes, given)).toBe(TRUE);
    expect(judged(raw, no, given)).toBe(FALSE);
  });

  it("percentages of 78-digit values are those of whole numbers of any size", () => {
    const big = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(big, big, fc.integer({ min: 1, max: 10_000_000 }), (from, to, millionths) => {
        const text = `${Math.floor(millionths / 1e4)}.${String(millionths % 1e4).padStart(4, "0")}%`;
        const raw = { moves: text, since: "last" };
        const change = to > from ? to - from : from - to;
        // change / from ≥ millionths / 10⁶
        const expected = change > 0n && change * 1_000_000n >= from * BigInt(millionths);
        const given = { before: from.toString(), quantity: "integer" } as const;
        expect(judged(raw, to.toString(), given)).toBe(expected ? TRUE : FALSE);
      }),
    );
  });

  it("a share of a percentile is exact, also of negative ones and of none", () => {
    const raw = { at_least: "33.333333% of p50", within: "1d" };
    const of = (value: string, percentile: string): Truth =>
      judged(raw, value, { percentile, quantity: "percent" });
    expect([of("0.99999999", "3"), of("0.9999999899", "3")]).toEqual([TRUE, FALSE]);
    expect([of("-0.99999999", "-3"), of("-0.9999999901", "-3")]).toEqual([TRUE, FALSE]);
    // A share of nothing is no limit; that itself is one.
    expect([of("0", "0"), of("-1e-18", "0")]).toEqual([UNKNOWN_WINDOW, UNKNOWN_WINDOW]);
    const whole = { at_least: "p50", within: "1d" };
    const plain = (value: string): Truth =>
      judged(whole, value, { percentile: "0", quantity: "integer" });
    expect([plain("0"), plain("-1e-18")]).toEqual([TRUE, FALSE]);
    const most = { at_least: "100% of p50", within: "1d" };
    expect(judged(most, LESS, { percentile: MOST, quantity: "integer" })).toBe(FALSE);
    expect(judged(most, MOST, { percentile: MOST, quantity: "integer" })).toBe(TRUE);
  });

  it("levels agree with whole numbers of any size", () => {
    const any = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n });
    const pair = fc.oneof(
      fc.tuple(any, any),
      fc.tuple(any, fc.bigInt({ min: -2n, max: 2n })).map(([a, d]) => [a, a + d] as const),
    );
    fc.assert(
      fc.property(pair, ([value, limit]) => {
        const of = (op: string): Truth => judged({ [op]: limit.toString() }, value.toString());
        expect(of("above") === TRUE).toBe(value > limit);
        expect(of("below") === TRUE).toBe(value < limit);
        expect(of("at_least") === TRUE).toBe(value >= limit);
        expect(of("at_most") === TRUE).toBe(value <= limit);
        expect(of("equals") === TRUE).toBe(value === limit);
        expect(decimalFromInteger(value).toString()).toBe(value.toString());
      }),
    );
  });
});
