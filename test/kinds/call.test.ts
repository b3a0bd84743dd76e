import { describe, expect, it } from "vitest";
import { call } from "../../src/kinds/call.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { one, said } from "../config/rules-text.ts";
import { answersOf, failed, ok } from "./records.ts";
import { TOKEN, TOKEN_KEY } from "./token-records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const options = {
  function: "latest(uint8)(int256,bool,address)",
  args: '["7"]',
  decimals: "8",
  unit: "USD",
};
const subject = call.subject({ chainId: 1, id: TOKEN, protocol: null, name: null, options });

const read = (record: RawRecord) => call.read(subject, answersOf({ call: ok(record) }), NOW);

describe("a call", () => {
  it("is known by chain, contract, function and arguments, and by what its numbers are read with", () => {
    expect(subject.key).toBe(`call:1:${TOKEN_KEY}:latest(uint8)(int256,bool,address):["7"]:8:USD`);
    expect(call.asks(subject, NOW)).toEqual([
      {
        key: subject.key,
        record: "call",
        chainId: 1,
        id: TOKEN_KEY,
        function: options.function,
        args: '["7"]',
        decimals: 8,
      },
    ]);
  });

  it("has its results by name, and no others whatever the answer holds", () => {
    const reading = read({
      value0: "-1500.00000001",
      flag1: false,
      value2: "5",
      value: "9",
      flag: true,
    });
    const [row] = reading.rows;
    expect(row?.value("value0")?.toString()).toBe("-1500.00000001");
    expect(row?.value("flag1")).toBe(false);
    for (const name of ["value", "flag", "value1", "value2", "value3", "problem"]) {
      expect([name, row?.value(name)]).toEqual([name, null]);
    }
    expect(reading.trouble).toBeNull();
    expect([reading.describe().unit("value0"), reading.describe().unit("flag1")]).toEqual([
      "USD",
      "",
    ]);
    expect(reading.describe().label).toBe("latest() of 0x000000…012a");
  });

  it("has no data for a reason", () => {
    expect(read({ problem: "the call fails: no price" }).trouble).toBe("the call fails: no price");
    expect(read({ value0: "1e", flag1: "true" }).trouble).toBe(
      "value0 is malformed, flag1 is malformed",
    );
    expect(read({ value0: "1e" }).rows[0]?.value("value0")).toBeNull();
    const down = call.read(subject, answersOf({ call: failed("answered 503") }), NOW);
    expect(down).toMatchObject({ rows: [], trouble: "answered 503" });
  });
});

describe("a rule on a call", () => {
  const rule = (watch: string, when: string): string =>
    `rules:\n  - name: a\n    watch: {kind: call, chain: 1, to: "${TOKEN}", ${watch}}\n    when: {metric: ${when}}\n`;

  it("knows the results of its function", () => {
    const balance = rule(
      "function: balanceOf(address)(uint256), args: [0x1acf37fc9a055461542c22862666ac265d26dc0a]",
      "value, below: 5",
    );
    expect(one(balance).subjects[0]?.ids.args).toBe(
      '["0x1acf37fc9a055461542c22862666ac265d26dc0a"]',
    );
    expect(said(rule("function: paused()(bool)", "flag, equals: true"))).toEqual([]);
    expect(said(rule("function: f()(int8)", "value, below: -5"))).toEqual([]);
  });

  it.each([
    ["function: f()", "value, below: 5", "rules.yaml:3:"],
    ["function: f()(uint8,uint8)", "value0, below: 5", "the function ends before its last )"],
    ["args: [1]", "value, below: 5", "function is missing"],
    ["function: f()(uint8), args: 5", "value, below: 5", "args is"],
    ["function: f(uint8)(uint8), args: [1, 2]", "value, below: 5", "takes 1 argument, and 2 are"],
    ["function: f(uint8)(uint8), args: [300]", "value, below: 5", "the argument is no uint8"],
    ["function: f()(uint8), decimals: 78", "value, below: 5", "a whole number from 0 to 77"],
    ['function: "f()(uint8,uint8)"', "value, below: 5", 'no metric "value"'],
    ['function: "f()(address,uint8)"', "value0, below: 5", 'no metric "value0"'],
    ["function: f()(bool)", "value, below: 5", 'no metric "value"'],
  ])("is refused for {%s}", (watch, when, words) => {
    expect(said(rule(watch, when)).join("\n")).toContain(words);
  });

  it("is told where in its arguments it is wrong", () => {
    const [line] = said(
      rule('function: "f(uint8,uint8)(uint8)", args: [1, 300]', "value, below: 5"),
    );
    expect(line).toMatch(/^rules\.yaml:3:\d+: the argument is no uint8, expected .* \[bad-call\]$/);
  });
});
