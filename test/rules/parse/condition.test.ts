import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/kinds/index.ts";
import type { Condition } from "../../../src/model/index.ts";
import type { Finding } from "../../../src/rules/finding.ts";
import type { ConditionContext } from "../../../src/rules/parse/comparison.ts";
import {
  compileResolveWhen,
  compileWhen,
  longestSpan,
  metricNames,
} from "../../../src/rules/parse/condition.ts";

const MINUTE = 60_000;

function compile(raw: unknown, kind = "v4_pool", resolve?: unknown, intervalMs = MINUTE) {
  const watch = KINDS.get(kind);
  if (watch === undefined) throw new Error(kind);
  const findings: Finding[] = [];
  const context: ConditionContext = {
    kind,
    metrics: watch.metrics,
    ownTime: watch.ownTime,
    pace: { intervalMs, bucketMs: watch.bucketMs },
    tokens: false,
    report: (finding) => findings.push(finding),
  };
  const when = compileWhen(raw, ["when"], context);
  const resolveWhen =
    resolve === undefined ? null : compileResolveWhen(resolve, ["resolve_when"], when, context);
  return { when, resolveWhen, findings };
}

/** The findings as `level path: message`. */
const said = (...args: Parameters<typeof compile>) =>
  compile(...args).findings.map(
    ({ level, path, message }) => `${level} ${path.join(".")}: ${message}`,
  );

/** The condition without its texts, as JSON makes it. */
function good(...args: Parameters<typeof compile>): unknown {
  const { when, findings } = compile(...args);
  expect(findings).toEqual([]);
  return JSON.parse(JSON.stringify(when));
}

describe("a comparison", () => {
  it.each(["above", "below", "at_least", "at_most", "equals", "not_equals"])("with %s", (op) => {
    expect(good({ metric: "tvl_usd", [op]: "1M usd" })).toEqual({
      op,
      metric: "tvl_usd",
      limit: { kind: "value", value: "1000000", text: "1M usd" },
    });
  });

  it.each(["inside", "outside"])("with %s", (op) => {
    expect(good({ metric: "price", [op]: ["1", "1.5"] })).toMatchObject({
      op,
      low: { value: "1" },
      high: { value: "1.5" },
    });
  });

  it.each(["rises", "falls", "moves"])("with %s, within and since", (op) => {
    expect(good({ metric: "tvl_usd", [op]: "10%", within: "1h" })).toMatchObject({
      op,
      by: { kind: "percent", percent: "10" },
      span: { kind: "within", ms: 60 * MINUTE, text: "1h" },
    });
    expect(good({ metric: "tvl_usd", [op]: "5 usd", since: "24h" })).toMatchObject({
      by: { kind: "absolute" },
      span: { kind: "since", ms: 1_440 * MINUTE },
    });
    expect(good({ metric: "tvl_usd", [op]: "5 usd", since: "last" })).toMatchObject({
      span: { kind: "since_last" },
    });
  });

  it("of text, addresses and booleans is for equality", () => {
    expect(good({ metric: "in_range", equals: false }, "v4_position")).toMatchObject({
      limit: { value: false },
    });
    expect(said({ metric: "in_range", above: "1" }, "v4_position")).toEqual([
      "error when.above: in_range is not a number: above does not fit it",
    ]);
    expect(said({ metric: "protocol", rises: "1", within: "1h" }, "v4_position")).toEqual([
      "error when.rises: protocol is not a number: rises does not fit it",
    ]);
  });

  it("without a metric is answered with values of the kind, not with its ids and dates", () => {
    const { findings } = compile({ below: "5" });
    expect(findings[0]?.hint.expected).toBe(
      "a metric of v4_pool such as collected_fees_usd, tvl_usd, swap_count, active_position_count or price",
    );
  });

  it.each<[unknown, string]>([
    [null, "error when: the condition is nothing"],
    ["tvl_usd", "error when: the condition is text"],
    [[], "error when: the condition is a list"],
    [{}, "error when: the comparison names no metric"],
    [{ metric: "tvl_usd" }, "error when: the comparison has no operator"],
    [{ above: "5" }, "error when: the comparison names no metric"],
    [{ metric: "tvl_usdd", above: "5" }, 'error when.metric: v4_pool has no metric "tvl_usdd"'],
    [{ metric: ["x"], above: "5" }, "error when.metric: metric is not a name"],
    [
      { metric: "constructor", above: "5" },
      'error when.metric: v4_pool has no metric "constructor"',
    ],
    [
      { metric: "tvl_usd", above: "5", below: "6" },
      "error when.below: the comparison has both above and below",
    ],
    [{ metric: "tvl_usd", abov: "5" }, "error when.abov: unknown key `abov` in a condition"],
    [{ metric: "tvl_usd", changes: false }, "error when.changes: changes is false"],
    [{ metric: "tvl_usd", unchanged: "5" }, 'error when.unchanged: "5" has no unit'],
    [
      { metric: "tvl_usd", no_update_for: "5m" },
      'error when.metric: no_update_for looks at timestamp, not at "tvl_usd"',
    ],
    [{ metric: "tvl_usd", falls: "10%" }, "error when.falls: falls needs a window"],
    [
      { metric: "tvl_usd", falls: "10%", within: "1h", since: "1h" },
      "error when.since: within and since exclude each other",
    ],
    [
      { metric: "tvl_usd", above: "10", within: "1h" },
      "error when.within: within does not belong to above",
    ],
    [{ metric: "tvl_usd", falls: "10%", within: "60" }, 'error when.within: "60" has no unit'],
    [
      { metric: "tvl_usd", falls: "10%", within: "last" },
      'error when.within: "last" is not a duration',
    ],
    [
      { metric: "tvl_usd", falls: "10%", within: "0s" },
      'error when.within: "0s" is not a duration',
    ],
    [
      { metric: "tvl_usd", falls: "10%", within: "30s" },
      "error when.within: the window is shorter than the rule's schedule",
    ],
    [
      { metric: "tvl_usd", falls: "110%", within: "1h" },
      "error when.falls: tvl_usd can never fall by more than 100%",
    ],
    [
      { metric: "current_tick", moves: "5%", within: "1h" },
      'error when.moves: "5%" of ticks is not supported',
    ],
    [{ metric: "price", inside: ["2", "1"] }, "error when.inside: 2 is above 1"],
    [{ metric: "price", inside: ["1"] }, "error when.inside: inside has 1 item"],
    [
      { metric: "price", inside: ["1", "000", "2", "000"] },
      "error when.inside: inside has 4 items: the commas split a number",
    ],
    [{ metric: "price", inside: "1" }, "error when.inside: inside is text"],
    [{ metric: "price", inside: ["1", "x"] }, 'error when.inside.1: "x" is not a number'],
  ])("%j is refused", (raw, message) => {
    const { when, findings } = compile(raw);
    expect(when).toBeNull();
    expect(
      findings.map((one) => `${one.level} ${one.path.join(".")}: ${one.message}`).join("\n"),
    ).toContain(message);
  });

  it.each<[unknown, string, string]>([
    [{ metric: "tip_top10", above: "5" }, "gas", "warning when.above: 5 wei is almost nothing"],
    [
      { metric: "tip_top10", rises: "5", within: "3h" },
      "gas",
      "warning when.rises: 5 wei is almost nothing",
    ],
    [
      { metric: "tip_top10", inside: ["5", "9"] },
      "gas",
      "warning when.inside.0: 5 wei is almost nothing",
    ],
    [
      { metric: "tvl_usd", falls: "10%", within: "5m" },
      "v4_pool",
      "warning when.within: the window holds fewer than 6 rounds",
    ],
    [
      { metric: "utilization", above: "100%" },
      "gas",
      'warning when.above: "utilization above 100%" is never true',
    ],
    [
      { metric: "utilization", at_most: "100%" },
      "gas",
      'warning when.at_most: "utilization at most 100%" is always true',
    ],
    [
      { metric: "tvl_usd", below: "0" },
      "v4_pool",
      'warning when.below: "tvl_usd below 0" is never true',
    ],
    [
      { metric: "tvl_usd", at_least: "0" },
      "v4_pool",
      'warning when.at_least: "tvl_usd at least 0" is always true',
    ],
    [
      { metric: "utilization", rises: "5%", within: "3h" },
      "gas",
      "warning when.rises: 5% is a part of the value before, not points",
    ],
  ])("%j of %s makes wonder", (raw, kind, message) => {
    const { when, findings } = compile(raw, kind);
    expect(when).not.toBeNull();
    expect(
      findings.map((one) => `${one.level} ${one.path.join(".")}: ${one.message}`).join("\n"),
    ).toContain(message);
  });

  it("of buckets needs a window of one bucket, and not of six rounds", () => {
    expect(said({ metric: "tip_top10", rises: "5 gwei", within: "2h" }, "gas")).toEqual([]);
    expect(said({ metric: "tip_top10", rises: "5 gwei", within: "30m" }, "gas")).toEqual([
      "error when.within: the window is shorter than one bucket of the data",
    ]);
  });
});

describe("groups", () => {
  const low = { metric: "tvl_usd", below: "5" };
  const high = { metric: "price", above: "9" };

  it("nest", () => {
    expect(good({ all: [low, { any: [{ not: high }, low] }] })).toMatchObject({
      op: "all",
      terms: [
        { op: "below" },
        { op: "any", terms: [{ op: "not", term: { op: "above" } }, { op: "below" }] },
      ],
    });
  });

  it("report what is wrong in each term, by path", () => {
    expect(
      said({ all: [{ metric: "x", above: "1" }, { not: { metric: "price", above: "x" } }] }),
    ).toEqual([
      'error when.all.0.metric: v4_pool has no metric "x"',
      'error when.all.1.not.above: "x" is not a number',
    ]);
  });

  it.each<[unknown, string]>([
    [{ all: [] }, "error when.all: all is empty"],
    [{ any: low }, "error when.any: any is not a list"],
    [{ all: [low], any: [low] }, "error when.any: any cannot stand beside all"],
    [{ all: [low], metric: "price" }, "error when.metric: metric cannot stand beside all"],
    [{ not: null }, "error when.not: the condition is nothing"],
    [{ not: [low] }, "error when.not: the condition is a list"],
  ])("%j are refused", (raw, message) => {
    expect(said(raw)).toEqual([message]);
  });

  it("nest 16 deep and no more", () => {
    const nested = (depth: number): unknown => (depth === 1 ? low : { not: nested(depth - 1) });
    expect(said(nested(16))).toEqual([]);
    expect(said(nested(17))[0]).toContain("nested more than 16 deep");
  });
});

describe("resolve_when", () => {
  const above = { metric: "tvl_usd", above: "5 usd" };
  const falls = { metric: "tvl_usd", falls: "10%", within: "1h" };
  const resolveOf = (...args: Parameters<typeof compile>): Condition | null =>
    compile(...args).resolveWhen;

  it("takes the metric of a single comparison", () => {
    expect(resolveOf(above, "v4_pool", { below: "4 usd" })).toMatchObject({
      op: "below",
      metric: "tvl_usd",
    });
    expect(resolveOf(above, "v4_pool", { all: [{ below: "4 usd" }] })).toMatchObject({
      terms: [{ metric: "tvl_usd" }],
    });
  });

  it("takes the window of a change unless it has its own", () => {
    expect(resolveOf(falls, "v4_pool", { rises: "5%" })).toMatchObject({
      span: { kind: "within", ms: 60 * MINUTE },
    });
    expect(resolveOf(falls, "v4_pool", { rises: "5%", since: "2h" })).toMatchObject({
      span: { kind: "since" },
    });
    expect(resolveOf(falls, "v4_pool", { above: "5" })).toMatchObject({
      op: "above",
      metric: "tvl_usd",
    });
  });

  it("needs a metric where when is no single comparison", () => {
    expect(said({ all: [above] }, "v4_pool", { below: "4" })).toEqual([
      "error resolve_when: the comparison names no metric",
    ]);
  });

  it("is not blamed for a metric that was wrong in when", () => {
    expect(said({ metric: "x", above: "5" }, "v4_pool", { below: "4" })).toEqual([
      'error when.metric: v4_pool has no metric "x"',
    ]);
  });

  it.each<[object, object, boolean]>([
    [{ above: "5" }, { above: "4" }, true],
    [{ above: "5" }, { below: "6" }, true],
    [{ above: "5" }, { at_most: "5" }, false],
    [{ at_least: "5" }, { at_most: "5" }, true],
    [{ at_least: "5" }, { below: "5" }, false],
    [{ above: "5" }, { below: "4" }, false],
    [{ below: "5" }, { above: "6" }, false],
    [{ below: "5" }, { above: "4" }, true],
    [{ outside: ["1", "5"] }, { inside: ["2", "4"] }, false],
    [{ outside: ["1", "5"] }, { inside: ["0", "4"] }, true],
    [{ outside: ["1", "5"] }, { inside: ["1", "5"] }, false],
    [{ equals: "5" }, { not_equals: "5" }, false],
    [{ equals: "5" }, { above: "4" }, true],
    [{ not_equals: "5" }, { equals: "5" }, false],
  ])("warns when %j and %j are true at once: %s", (when, resolve, overlaps) => {
    const problems = said({ metric: "price", ...when }, "v4_pool", resolve);
    expect(problems.length).toBe(overlaps ? 1 : 0);
    if (overlaps) expect(problems[0]).toContain("warning resolve_when: some values make both");
  });

  it("warns when it is the same equality", () => {
    expect(
      said({ metric: "in_range", equals: false }, "v4_position", { equals: false }),
    ).toHaveLength(1);
    expect(said({ metric: "in_range", equals: false }, "v4_position", { equals: true })).toEqual(
      [],
    );
  });
});

describe("what conditions need", () => {
  const { when } = compile({
    all: [
      { metric: "tvl_usd", falls: "10%", within: "2h" },
      {
        any: [
          { metric: "price", above: "1" },
          { not: { metric: "tvl_usd", rises: "5 usd", since: "3h" } },
        ],
      },
    ],
  });

  it("are their metrics, each once, in the order of the text", () => {
    expect(metricNames(when, null, when)).toEqual(["tvl_usd", "price"]);
  });

  it("is their longest window", () => {
    expect(longestSpan(when, null)).toBe(180 * MINUTE);
    expect(longestSpan(null)).toBe(0);
  });
});
