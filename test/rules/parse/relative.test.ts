import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/kinds/index.ts";
import type { Reference } from "../../../src/model/index.ts";
import type { Finding } from "../../../src/rules/finding.ts";
import { compileResolveWhen, compileWhen } from "../../../src/rules/parse/condition.ts";
import type { References } from "../../../src/rules/parse/relative.ts";

const MINUTE = 60_000;

const reference = (given: Partial<Reference>): Reference => ({
  name: "escrowed",
  kind: "token_balance",
  subject: { key: "b", kind: "token_balance", chainId: 1, ids: {}, name: null },
  across: null,
  metric: "balance",
  quantity: "raw",
  decimals: 6,
  ...given,
});

const TABLE: ReadonlyMap<string, Reference> = new Map([
  ["escrowed", reference({})],
  ["pool-tvl", reference({ name: "pool-tvl", metric: "tvl_usd", quantity: "usd" })],
]);

const references: References = {
  find: (name) => TABLE.get(name) ?? "unknown",
  names: () => [...TABLE.keys()],
};

function compile(raw: unknown, kind = "v4_pool", resolve?: unknown) {
  const watch = KINDS.get(kind);
  if (watch === undefined) throw new Error(kind);
  const findings: Finding[] = [];
  const context = {
    kind,
    metrics: watch.metrics,
    pace: { intervalMs: MINUTE, bucketMs: watch.bucketMs },
    tokens: true,
    ownTime: watch.ownTime,
    references,
    report: (finding: Finding) => findings.push(finding),
  };
  const when = compileWhen(raw, ["when"], context);
  const resolveWhen =
    resolve === undefined ? null : compileResolveWhen(resolve, ["resolve_when"], when, context);
  const said = findings.map(({ path, message, hint }) =>
    [path.join("."), message, hint.expected, hint.suggestion].filter(Boolean).join(" | "),
  );
  return { when: JSON.parse(JSON.stringify(when)), resolveWhen, said };
}

describe("a relative limit", () => {
  it.each([
    ["p10", "10", "100"],
    ["P99.9", "99.9", "100"],
    ["300% of p50", "50", "300"],
    ["33.333333 % of p100", "100", "33.333333"],
  ])("%s is a percentile", (text, percentile, percent) => {
    const { when, said } = compile({ metric: "tvl_usd", below: text, within: "7d" });
    expect(said).toEqual([]);
    expect(when).toMatchObject({
      op: "below",
      limit: {
        kind: "percentile",
        percentile,
        percent,
        ms: 7 * 24 * 60 * MINUTE,
        within: "7d",
        text,
      },
    });
  });

  it("stands on both sides of a range, and where an event crosses it", () => {
    const range = compile({ metric: "price", outside: ["p5", "p95"], within: "1d" });
    expect(range.when).toMatchObject({ low: { percentile: "5" }, high: { percentile: "95" } });
    expect(compile({ metric: "price", inside: ["1", "p95"], within: "1d" }).said).toEqual([]);
    expect(compile({ metric: "price", crosses: "p50", within: "1d" }).said).toEqual([]);
  });

  it("is what share of a reference", () => {
    const { when, said } = compile(
      { metric: "total_supply", above: "99.5% of escrowed" },
      "token_supply",
    );
    expect(said).toEqual([]);
    expect(when).toMatchObject({ limit: { kind: "reference", percent: "99.5" } });
    const whole = compile({ metric: "tvl_usd", below: "pool-tvl" });
    expect(whole.when).toMatchObject({ limit: { kind: "reference", percent: "100" } });
  });

  it("takes its window into resolve_when", () => {
    const { resolveWhen, said } = compile(
      { metric: "tip_top10", below: "p10", within: "7d" },
      "gas",
      { above: "p20" },
    );
    expect(said).toEqual([]);
    expect(resolveWhen).toMatchObject({ limit: { kind: "percentile", within: "7d" } });
  });

  it.each<[Record<string, unknown>, string, ...string[]]>([
    [
      { metric: "tvl_usd", below: "p10" },
      "v4_pool",
      "when.below | a percentile needs a window | within: 7d beside it",
    ],
    [
      { metric: "tvl_usd", below: "p10", within: "19m" },
      "v4_pool",
      "when.within | a percentile of fewer than 20 rounds means nothing | at least 20m",
    ],
    [
      { metric: "tip_top10", below: "p10", within: "19h" },
      "gas",
      "when.within | a percentile of fewer than 20 buckets means nothing | at least 20h",
    ],
    [
      { metric: "tvl_usd", below: "p10", since: "7d" },
      "v4_pool",
      "when.since | since does not belong to below | rises, falls or moves beside it, or (within) a percentile",
    ],
    [
      { metric: "tvl_usd", below: "p0", within: "1d" },
      "v4_pool",
      'when.below | "p0" is not a percentile | p50, or another from p0.001 to p100 with three decimals at most',
    ],
    [
      { metric: "tvl_usd", below: "p101", within: "1d" },
      "v4_pool",
      'when.below | "p101" is not a percentile | p50, or another from p0.001 to p100 with three decimals at most',
    ],
    [
      { metric: "tvl_usd", below: "0% of p50", within: "1d" },
      "v4_pool",
      'when.below | "0% of p50" does not begin with a percentage above zero | a limit such as 300% of p50',
    ],
    [
      { metric: "tvl_usd", above: "300 of p50", within: "7d" },
      "v4_pool",
      'when.above | "300 of p50" has no % | a percentage of it such as 300% of p50 | 300% of p50',
    ],
    [
      { metric: "tvl_usd", above: "0.5 of pool-tvl" },
      "v4_pool",
      'when.above | "0.5 of pool-tvl" has no % | a percentage of it such as 300% of p50 | 50% of pool-tvl or 0.5% of pool-tvl',
    ],
    [
      { metric: "tvl_usd", outside: ["50 of p50", "3x p50"], within: "7d" },
      "v4_pool",
      'when.outside.0 | "50 of p50" has no % | a percentage of it such as 300% of p50 | 50% of p50',
      'when.outside.1 | "3x p50" is written as a multiple | a percentage of it such as 300% of p50 | 300% of p50',
    ],
    [
      { metric: "tvl_usd", above: "1.5 times of p90", within: "7d" },
      "v4_pool",
      'when.above | "1.5 times of p90" is written as a multiple | a percentage of it such as 300% of p50 | 150% of p90',
    ],
    [
      { metric: "tvl_usd", above: "99,5% of p50", within: "7d" },
      "v4_pool",
      'when.above | "99,5% of p50" does not begin with a percentage above zero | a limit such as 300% of p50 | 99.5% of p50',
    ],
    [
      { metric: "tvl_usd", above: "0_5% of p50", within: "7d" },
      "v4_pool",
      'when.above | "0_5% of p50" does not begin with a percentage above zero | a limit such as 300% of p50 | 0.5% of p50 or 5% of p50',
    ],
    [
      { metric: "current_tick", above: "300% of p50", within: "1d" },
      "v4_pool",
      'when.above | "300% of p50" of ticks is not supported: a tick is already 0.01%',
    ],
    [
      { metric: "price", outside: ["p95", "p5"], within: "1d" },
      "v4_pool",
      "when.outside | p95 is above p5 | the lower limit first | [p5, p95]",
    ],
    [
      { metric: "tvl_usd", equals: "p50" },
      "v4_pool",
      "when.equals | equals does not take a percentile | above, below, at_least, at_most, crosses, inside or outside",
    ],
    [
      { metric: "tvl_usd", above: "100% of pool-tlv" },
      "v4_pool",
      'when.above | unknown reference "pool-tlv" | escrowed or pool-tvl | pool-tvl',
    ],
    [
      { metric: "tvl_usd", above: "100% of escrowed" },
      "v4_pool",
      'when.above | "escrowed" is balance (raw), which does not compare with tvl_usd (usd) | a reference that counts the same',
    ],
    [
      { metric: "tvl_usd", rises: "p10", within: "1d" },
      "v4_pool",
      'when.rises | "p10" is a level, not a distance | an amount such as 50_000 usd or $1m',
    ],
  ])("%j of %s is refused", (raw, kind, ...messages) => {
    const { when, said } = compile(raw, kind);
    expect(when).toBeNull();
    expect(said).toEqual(messages);
  });
});

describe("conditions of time", () => {
  it("are unchanged and no_update_for", () => {
    expect(compile({ metric: "price", unchanged: "2h" }).when).toEqual({
      op: "unchanged",
      metric: "price",
      ms: 120 * MINUTE,
      text: "2h",
    });
    expect(compile({ metric: "in_range", unchanged: "2h" }, "v4_position").said).toEqual([]);
    expect(compile({ no_update_for: "1h" }).when).toEqual({
      op: "no_update_for",
      metric: "timestamp",
      ms: 60 * MINUTE,
      text: "1h",
    });
    expect(compile({ no_update_for: "3h" }, "gas").when).toMatchObject({ metric: "hour" });
  });

  it.each<[Record<string, unknown>, string, ...string[]]>([
    [
      { metric: "price", unchanged: "30s" },
      "v4_pool",
      "when.unchanged | the window is shorter than the rule's schedule | at least 1m",
    ],
    [
      { metric: "tip_top10", unchanged: "30m" },
      "gas",
      "when.unchanged | the window is shorter than one bucket of the data | at least 1h",
    ],
    [
      { no_update_for: "1h" },
      "token_supply",
      "when.no_update_for | the records of token_supply do not tell when they last changed | unchanged: 2h, which looks at the values",
    ],
    [
      { no_update_for: "60" },
      "v4_pool",
      'when.no_update_for | "60" has no unit | a duration such as 1h | 60m',
    ],
    [
      { no_update_for: "1h", within: "1h" },
      "v4_pool",
      "when.within | within does not belong to no_update_for | rises, falls or moves beside it, or (within) a percentile",
    ],
  ])("%j of %s is refused", (raw, kind, message) => {
    const { when, said } = compile(raw, kind);
    expect(when).toBeNull();
    expect(said).toEqual([message]);
  });
});

describe("what smells of a mistake", () => {
  it.each<[Record<string, unknown>, string, ...string[]]>([
    [
      { metric: "pct_to_edge", inside: ["0%", "3%"] },
      "v4_position",
      "when.inside | the alert would resolve when the price leaves the range: pct_to_edge is below zero there | below: 3%, which goes on outside",
    ],
    [
      { metric: "tip_top10", above: "5" },
      "gas",
      "when.above | 5 wei is almost nothing | an amount such as 5 gwei | 5 gwei",
    ],
    [
      { metric: "tip_top10", above: "999 wei" },
      "gas",
      "when.above | 999 wei is almost nothing | an amount such as 5 gwei | 999 gwei",
    ],
    [
      { metric: "tvl_usd", falls: "5%", within: "5m" },
      "v4_pool",
      "when.within | the window holds fewer than 6 rounds | at least 6m, or a shorter schedule",
    ],
    [
      { metric: "token0_share", above: "95" },
      "v4_position",
      'when.above | "95" is more than the whole, which is 1 | a share such as 95% or 0.95 | 95%',
    ],
    [
      { metric: "pct_to_edge", below: "3" },
      "v4_position",
      'when.below | "3" has no unit | a percentage such as 3% | 3%',
    ],
  ])("%j", (raw, kind, message) => {
    expect(compile(raw, kind).said).toEqual([message]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ metric: "pct_to_edge", inside: ["-1%", "3%"] }, "v4_position"],
    [{ metric: "pct_to_edge", below: "3%" }, "v4_position"],
    [{ metric: "tip_top10", above: "1000 wei" }, "gas"],
    [{ metric: "tvl_usd", falls: "5%", within: "6m" }, "v4_pool"],
    [{ metric: "tip_top10", below: "p10", within: "20h" }, "gas"],
    [{ metric: "tvl_usd", below: "p10", within: "20m" }, "v4_pool"],
  ])("%j does not", (raw, kind) => {
    expect(compile(raw, kind).said).toEqual([]);
  });
});
