import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../src/config/files/text-file.ts";
import { parseRules } from "../../../src/config/rules/rules.ts";
import { KINDS } from "../../../src/kinds/index.ts";

const POOL = `0x${"ab".repeat(32)}`;
const TOKEN = `0x${"aa".repeat(20)}`;

function problems(rule: string): string[] {
  try {
    parseRules(`rules:\n  - name: r\n    notify: [slack]\n${rule}`, "r.yaml", {
      watches: KINDS,
      channels: ["slack"],
    });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message }) => message);
  }
}

const SWAPS = `    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL}"]}\n`;
const HOLDERS = `    watch: {kind: holders, chain: 1, token: "${TOKEN}", top: 5}\n`;

describe("a rule on entries", () => {
  it("takes what can be said of a single entry", () => {
    const when =
      "{all: [{metric: amount_usd, above: 500k usd}, {metric: direction, equals: token0_in}]}";
    expect(problems(`${SWAPS}    when: ${when}\n    cooldown: 1m\n`)).toEqual([]);
    expect(problems(`${SWAPS}    when: {metric: amount0_abs, above: 5 tokens}\n`)).toEqual([]);
    expect(problems(`${HOLDERS}    when: {metric: entered, equals: true}\n`)).toEqual([]);
    expect(problems(`${HOLDERS}    when: {metric: top_share, rises: 5%, within: 1h}\n`)).toEqual(
      [],
    );
  });

  it.each([
    ["when: {not: {metric: amount_usd, above: 5 usd}}", /^not does not belong to amount_usd/],
    ["when: {metric: amount_usd, rises: 5 usd, within: 1h}", /^rises does not belong/],
    ["when: {metric: amount_usd, changes: true}", /^changes does not belong/],
    [
      "when: {metric: amount_usd, above: 5 usd}\n    for: 5m",
      /^for does not belong to a rule with entries/,
    ],
    ["when: {metric: amount_usd, above: 5 usd}\n    remind: [1h]", /^remind does not belong/],
    ["when: {metric: amount_usd, above: 5 usd}\n    resolve_after: 5m", /^resolve_after does not/],
    ["when: {metric: amount_usd, above: 5 usd}\n    across: sum", /^across does not work with/],
  ])("refuses %s", (rest, message) => {
    expect(problems(`${SWAPS}    ${rest}\n`)).toContainEqual(expect.stringMatching(message));
  });

  it("refuses to mix what is of one entry with what is not", () => {
    const when = "{all: [{metric: entered, equals: true}, {metric: top_share, above: 50%}]}";
    expect(problems(`${HOLDERS}    when: ${when}\n`)).toEqual([
      "entered is of one entry and top_share is not: they cannot be in one rule",
    ]);
  });
});
