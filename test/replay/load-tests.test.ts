import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";

const POOL = `{id: "0x${"ab".repeat(32)}", name: Pool}`;
const RULES = `rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [${POOL}]}
    when: {metric: tvl_usd, below: 100}
  - name: held
    watch: {kind: token_supply, chain: [1, 137], token: {id: "0x${"cd".repeat(20)}", name: AUSD}}
    when: {metric: total_supply, below: 100 raw}
`;
const GOOD = `  - name: fine
    rule: low
    values: {Pool: {tvl_usd: 100x5}}
    expect: []
`;

describe("a file of rule tests", () => {
  it.each<[what: string, wrong: string, right: string, problem: string]>([
    [
      "a key of the file",
      "case:",
      "cases:",
      "12:1: unknown key `case` in a file of rule tests; did you mean `cases`?",
    ],
    [
      "a key of a case",
      "value:",
      "values:",
      "15:5: unknown key `value` in a case; did you mean `values`?",
    ],
    ["no name", "- rul: low", "- name: fine\n    rule: low", "13:5: name is missing"],
    ["a rule", "rule: lo", "rule: low", '14:11: unknown rule "lo"; did you mean `low`?'],
    [
      "a subject",
      "{Pol:",
      "{Pool:",
      '15:14: no rule of the case watches "Pol"; did you mean `Pool`?',
    ],
    [
      "a metric",
      "tvl_us:",
      "tvl_usd:",
      '15:21: v4_pool has no metric "tvl_us"; did you mean `tvl_usd`?',
    ],
    ["a value", "100x5 manyx2", "100x5", "15:30: tvl_usd"],
    ["a negative value", "-100x5", "100x5", "cannot be read as usd: it would be no data"],
    ["a unit", "5gweix5", "100x5", '15:30: tvl_usd "5gwei"'],
    ["a time", "[{at: 5, kind: fired}]", "[]", '16:19: "5" is not a time'],
    [
      "a kind",
      "[{at: 1m, kind: fire}]",
      "[]",
      '16:29: unknown kind of notice "fire"; did you mean `fired`?',
    ],
    ["no expectation", "steps: []", "expect: []", "expect is missing"],
    ["a step", "[]\n    steps: [{at: 1m, clock: 1h}]", "[]", '17:29: "1h" is not a jump'],
    [
      "two in one step",
      "[]\n    steps: [{at: 1m, clock: +1h, restart: true}]",
      "[]",
      "17:13: a step is one of restart, clock, held, ack, unack and rearm",
    ],
    [
      "no end",
      "answers: {Pool: {v4_pool: {tvl_usd: 5}}}",
      "values: {Pool: {tvl_usd: 100x5}}",
      "until is missing",
    ],
    [
      "a record",
      "answers: {Pool: {v4_pol: {}}}",
      "values: {Pool: {tvl_usd: 100x5}}",
      '15:22: unknown record "v4_pol"; did you mean `v4_pool`?',
    ],
    [
      "a field as a record",
      "answers: {Pool: {tvl_usd: 5}}",
      "values: {Pool: {tvl_usd: 100x5}}",
      "tvl_usd is a field of v4_pool",
    ],
    [
      "a field",
      "answers: {Pool: {v4_pool: {tvl_us: 5}}}",
      "values: {Pool: {tvl_usd: 100x5}}",
      '15:32: unknown field "tvl_us" of this record; did you mean `tvl_usd`?',
    ],
    [
      "nothing of a subject",
      "values: {}",
      "values: {Pool: {tvl_usd: 100x5}}",
      'the case gives no value for "Pool"',
    ],
    ["another rule's subject", "rule: held", "rule: low", 'no rule of the case watches "Pool"'],
  ])("is refused for %s, with its place", async (_, wrong, right, problem) => {
    const whole = `${RULES}\n\n\n\ncases:\n${GOOD}`;
    expect(whole).toContain(right);
    const { problems, cases } = await ran(whole.replace(right, wrong));
    expect(cases).toEqual([]);
    expect(problems.join("\n")).toContain(problem);
  });

  it("refuses derived metrics and says what to give instead", async () => {
    const { problems } = await ran(`rules:
  - name: range
    watch: {kind: v4_position, positions: [{id: 42, chain: 1, protocol: dexa, name: Mine}]}
    when: {metric: in_range, equals: false}
    for: 5m
cases:
  - name: x
    values: {Mine: {in_range: true false}}
    expect: []
`);
    expect(problems).toEqual([
      expect.stringContaining(
        "a.test.yaml:8:21: in_range is derived from the record, which must be given under answers, expected answers with the fields of v4_position and v4_pool",
      ),
    ]);
  });

  it("shows what is wrong with its rules and with those of other files", async () => {
    const inline = await ran(`${RULES.replace("below: 100}", "belo: 100}")}cases:\n${GOOD}`);
    expect(inline.problems.join()).toContain("a.test.yaml:4:29:");
    const other = await ran(`rule_files: [b.yaml]\ncases:\n${GOOD}`, {
      "b.yaml": RULES.replace("tvl_usd", "tvl"),
    });
    expect(other.problems.join()).toContain("b.yaml:4:20:");
    const none = await ran(`rule_files: [c.yaml]\ncases:\n${GOOD}`);
    expect(none.problems.join()).toContain(
      'a.test.yaml:1:14: the rules file "c.yaml" does not exist',
    );
  });

  it("uses lists of its rule files, and channels that nobody has configured", async () => {
    const { problems, cases } = await ran(
      `rule_files: [b.yaml, lists.yaml]
cases:
  - {name: x, values: {"*": {tvl_usd: 99x3}}, expect: [{at: 0, kind: fired, rule: low}]}
`,
      {
        "b.yaml": `rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: {list: mine}}
    when: {metric: tvl_usd, below: 100}
    notify: [nobody-knows]
`,
        "lists.yaml": `lists: {mine: [${POOL}]}\n`,
      },
    );
    expect(problems).toEqual([]);
    expect(cases[0]?.ok).toBe(true);
  });

  it.each([
    ["AUSD on polygon", 1],
    ["ausd on Polygon", 1],
    ["polygon", 1],
    [`token_supply:137:0x${"cd".repeat(20)}`, 1],
    ["AUSD", 2],
    [`0x${"CD".repeat(20)}`, 2],
  ])("calls subjects %s", async (name, count) => {
    const { problems, cases } = await ran(`${RULES}cases:
  - name: x
    rule: held
    values:
      "*": {total_supply: 500x3}
      ${name}: {total_supply: 99x3}
    expect:
      - {at: 0, kind: started}
`);
    expect(problems).toEqual([]);
    const low = cases[0]?.test.given.filter(({ series }) =>
      series.some(({ parts }) => parts[0]?.step.kind === "value" && parts[0].step.text === "99"),
    );
    expect(low).toHaveLength(count);
  });

  it("counts exactly where a number has more digits than a double", async () => {
    const most = 2n ** 256n - 1n;
    const { cases } = await ran(`${RULES}cases:
  - name: x
    rule: held
    values: {"*": {total_supply: ${most}x3}}
    expect: []
`);
    expect(cases[0]?.ok).toBe(true);
    const low = await ran(`${RULES.replace("100 raw", `${most} raw`)}cases:
  - name: x
    rule: held
    values: {"*": {total_supply: ${most}x2 ${most - 1n}}}
    expect: []
`);
    expect(low.story).toEqual(["2m fired", "2m fired"]);
  });
});
