import { describe, expect, it } from "vitest";
import { formatProblem, TextFile } from "../../../src/config/files/text-file.ts";
import { readRuleFiles } from "../../../src/config/rules/rules.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import { POOL, ruleText } from "../rules-text.ts";

/** Reads files called a.yaml, b.yaml, … */
async function files(...texts: readonly string[]) {
  const read = await readRuleFiles(
    texts.map((text, i) => new TextFile(`${"abc"[i]}.yaml`, text)),
    { watches: KINDS, channels: ["console"] },
  );
  const lines = (problems: typeof read.errors) =>
    problems.map((one) => formatProblem(one).split("\n")[0] ?? "");
  return { ...read, errors: lines(read.errors), warnings: lines(read.warnings) };
}

const ranges = (positions: string, more = "") =>
  ruleText({
    name: "ranges",
    watch: `{kind: v4_position, positions: ${positions}${more}}`,
    when: "{metric: in_range, equals: false}",
    for: "5m",
  });
const pools = (list: string) =>
  ruleText({
    name: "tvl",
    watch: `{kind: v4_pool, chain: 1, pools: ${list}}`,
    when: "{metric: tvl_usd, below: 1M usd}",
  });
const MINE = `lists:
  mine:
    - {id: 42, chain: ethereum, protocol: dexa, name: Treasury ETH/USDC}
    - {id: 77, chain: polygon, protocol: dexb}
`;

describe("a list of targets", () => {
  it("gives each target its own chain, protocol and name, in any file, before or after it", async () => {
    for (const texts of [
      [MINE, ranges("{list: mine}")],
      [ranges("{list: mine}"), MINE],
      [`${MINE}${ranges("{list: mine}")}`],
      [`${ranges("{list: mine}")}${MINE}`],
    ]) {
      const { rules, errors, warnings } = await files(...texts);
      expect([errors, warnings]).toEqual([[], []]);
      expect(rules[0]?.subjects.map(({ key, name }) => [key, name])).toEqual([
        ["v4_position:1:dexa:42", "Treasury ETH/USDC"],
        ["v4_position:137:dexb:77", null],
      ]);
    }
  });

  it("stands among other targets, and takes from the watch what an entry does not say", async () => {
    const list = "lists: {mine: [42, {id: 43, chain: base}]}\n";
    const { rules } = await files(
      list,
      ranges("[41, {list: mine}, 44]", ", chain: ethereum, protocol: dexb"),
    );
    expect(rules[0]?.subjects.map(({ key }) => key)).toEqual([
      "v4_position:1:dexb:41",
      "v4_position:1:dexb:42",
      "v4_position:8453:dexb:43",
      "v4_position:1:dexb:44",
    ]);
  });

  it("holds tokens with decimals, and wallets", async () => {
    const id = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
    const { rules, errors } = await files(
      `lists:\n  ausd: [{id: ${id}, chain: [1, 137], decimals: 6, name: AUSD}]\n  ours: [{id: ${id}, name: Us}]\n`,
      ruleText({
        watch: "{kind: token_balance, token: {list: ausd}, wallet: {list: ours}}",
        when: "{metric: balance, below: 5 tokens}",
      }),
    );
    expect(errors).toEqual([]);
    expect(rules[0]?.subjects.map(({ chainId, name }) => [chainId, name])).toEqual([
      [1, "Us (AUSD)"],
      [137, "Us (AUSD)"],
    ]);
    expect([...(rules[0]?.decimals.values() ?? [])]).toEqual([6, 6]);
  });

  it("that does not exist is an error with a suggestion", async () => {
    expect((await files(MINE, ranges("{list: min}"))).errors).toEqual([
      'b.yaml:3:50: unknown list "min", expected mine; did you mean `mine`? [unknown-list]',
    ]);
    expect((await files(ranges("{list: [mine]}"))).errors).toEqual([
      "a.yaml:3:50: list is a list, expected a name under lists: in a rules file [wrong-type]",
    ]);
    expect((await files(MINE, ranges("{list: mine, chain: 1}"))).errors).toEqual([
      "b.yaml:3:56: chain cannot stand beside list, expected {list: NAME} alone [key-conflict]",
    ]);
  });

  it("that does not fit a kind is wrong at its entries, which name the rule", async () => {
    expect((await files(pools("{list: mine}"), MINE)).errors).toEqual([
      'b.yaml:3:12: "42" is not an id (for the rule "tvl" of kind v4_pool), expected a pool id, 0x and 64 hex digits [bad-id]',
      'b.yaml:3:33: unknown key `protocol` in a target (for the rule "tvl" of kind v4_pool), expected id, name, chain [unknown-key]',
      'b.yaml:4:12: "77" is not an id (for the rule "tvl" of kind v4_pool), expected a pool id, 0x and 64 hex digits [bad-id]',
      'b.yaml:4:32: unknown key `protocol` in a target (for the rule "tvl" of kind v4_pool), expected id, name, chain [unknown-key]',
    ]);
    const noChain = await files(
      "lists: {mine: [{id: 42, protocol: dexa}]}\n",
      ranges("{list: mine}"),
    );
    expect(noChain.errors).toEqual([
      'a.yaml:1:16: the target has no chain, and its watch has none (for the rule "ranges" of kind v4_position), expected chain: a name such as ethereum, or a number [missing-key]',
    ]);
  });

  it("may serve several rules, and says once what is wrong with it", async () => {
    const two = pools("{list: p}").replace("tvl", "tvl 2");
    expect((await files(`lists: {p: [${POOL}]}\n`, pools("{list: p}"), two)).rules).toHaveLength(2);
    expect((await files("lists: {p: [0x12]}\n", pools("{list: p}"), two)).errors).toHaveLength(1);
    const twice = await files(`lists: {p: [${POOL}, ${POOL}]}\n`, pools("{list: p}"), two);
    expect(twice.warnings).toEqual([
      "a.yaml:1:81: the rule names this target twice; it is watched once [duplicate-target]",
    ]);
  });

  it("that is there twice is an error with both places", async () => {
    expect((await files(MINE, MINE, ranges("{list: mine}"))).errors).toEqual([
      'b.yaml:2:3: a list "mine" is already used, in a.yaml:2 [duplicate-name]',
    ]);
    expect((await files(`${MINE}  mine: [1]\n`, ranges("{list: mine}"))).errors).toEqual([
      "a.yaml:5:3: duplicate key `mine`, first in line 2 [duplicate-key]",
    ]);
  });

  it("that no rule uses is a warning", async () => {
    expect((await files(`${MINE}${ranges("[1]", ", chain: 1, protocol: dexa")}`)).warnings).toEqual(
      ['a.yaml:2:3: no rule uses the list "mine" [unused]'],
    );
    const off = ranges("{list: mine}").replace("for: 5m", "for: 5m\n    enabled: false");
    expect((await files(MINE, off)).warnings.join()).not.toContain("no rule uses");
  });

  it.each([
    ["lists: [1]\n", "a.yaml:1:8: lists is a list, expected names with a list of targets"],
    ["lists:\nrules: []\n", "a.yaml:1:1: lists has no value"],
    ["lists: {mine: []}\n", "a.yaml:1:15: mine is empty, expected a list of targets"],
    ["lists: {mine: {id: 1}}\n", "a.yaml:1:15: mine is a map, expected a list of targets"],
    ["lists: {mine: }\n", "a.yaml:1:9: mine has no value"],
    ['lists: {mine: ["${env:X}"]}\n', "a.yaml:1:16: references to secrets are for config.yaml"],
    [
      "list: {mine: [1]}\n",
      "a.yaml:1:1: unknown key `list` in a rules file; did you mean `lists`?",
    ],
  ])("as %j is refused", async (text, message) => {
    expect((await files(text)).errors.join("\n")).toContain(message);
  });

  it("cannot be in another list", async () => {
    const text = "lists: {a: [{list: b}], b: [1]}\n";
    expect((await files(text, ranges("{list: a}", ", chain: 1, protocol: dexa"))).errors).toEqual(
      [
        'a.yaml:1:14: unknown key `list` in a target (for the rule "ranges" of kind v4_position), expected id, name, chain, protocol, deposited [unknown-key]',
        'a.yaml:1:13: the target has no id (for the rule "ranges" of kind v4_position), expected an NFT id, a decimal number of up to 78 digits [bad-id]',
      ].toSorted((a, b) => a.localeCompare(b)),
    );
  });

  it("is not missed where the file that may hold it cannot be read", async () => {
    const broken = await files(`${MINE}\t- x\n`, ranges("{list: mine}"));
    expect(broken.errors).toHaveLength(1);
    expect(broken.errors[0]).toContain("a.yaml:5:1: a tab indents this line");
  });

  it("may be called by an escaped key", async () => {
    const { errors, rules } = await files(
      MINE.replace("lists", '"l\\u0069sts"'),
      ranges("{list: mine}"),
    );
    expect([errors, rules.length]).toEqual([[], 1]);
  });
});
