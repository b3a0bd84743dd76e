import { describe, expect, it } from "vitest";
import { formatProblem, TextFile } from "../../../src/config/files/text-file.ts";
import { readRuleFiles } from "../../../src/config/rules/rules.ts";
import { referencesOf } from "../../../src/decide/condition-tree.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import { POOL, ruleText } from "../rules-text.ts";

const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const WALLET = `0x${"1".repeat(40)}`;
const BALANCE = `{kind: token_balance, chain: 1, token: ${TOKEN}, wallet: ${WALLET}, decimals: 6}`;
const escrowed = (watch = BALANCE, metric = "balance") =>
  `references:\n  escrowed: {watch: ${watch}, metric: ${metric}}\n`;
const unbacked = (limit = "100% of escrowed", decimals = ", decimals: 18") =>
  ruleText({
    name: "unbacked",
    watch: `{kind: token_supply, chain: 137, token: ${TOKEN}${decimals}}`,
    when: `{metric: total_supply, above: ${limit}}`,
  });

async function files(...texts: readonly string[]) {
  const read = await readRuleFiles(
    texts.map((text, i) => new TextFile(`${"abc"[i]}.yaml`, text)),
    { watches: KINDS, channels: ["console"] },
  );
  const lines = (problems: typeof read.errors) =>
    problems.map((one) => formatProblem(one).split("\n")[0] ?? "");
  return { ...read, errors: lines(read.errors), warnings: lines(read.warnings) };
}

describe("a reference", () => {
  it("is there for the rules of every file, before or after it", async () => {
    for (const texts of [
      [escrowed(), unbacked()],
      [unbacked(), escrowed()],
      [`${escrowed()}${unbacked()}`],
      [`${unbacked("escrowed")}${escrowed()}`],
    ]) {
      const { rules, errors, warnings } = await files(...texts);
      expect([errors, warnings]).toEqual([[], []]);
      const [rule] = rules;
      expect(rule && referencesOf(rule)).toMatchObject([
        {
          name: "escrowed",
          kind: "token_balance",
          metric: "balance",
          quantity: "raw",
          decimals: 6,
        },
      ]);
      expect(rule?.subjects).toHaveLength(1);
    }
  });

  it("may be of several subjects together, and is another with another set of them", async () => {
    const both = BALANCE.replace("chain: 1", "chain: [1, 143]");
    const { rules, errors, warnings } = await files(
      escrowed(both, "balance, across: sum"),
      unbacked(),
    );
    expect([errors, warnings]).toEqual([[], []]);
    const [rule] = rules;
    const [reference] = rule === undefined ? [] : referencesOf(rule);
    expect(reference?.across?.members.map(({ chainId }) => chainId)).toEqual([1, 143]);
    const more = BALANCE.replace("chain: 1", "chain: [1, 143, 747474]");
    const sources = [
      await files(escrowed(both, "balance, across: sum"), unbacked()),
      await files(escrowed(both, "balance, across: max"), unbacked()),
      await files(escrowed(more, "balance, across: sum"), unbacked()),
    ].map((one) => one.rules[0]?.source);
    expect(new Set(sources).size).toBe(3);
  });

  it("makes another rule of one that compares with another value", async () => {
    const source = async (text: string) => (await files(text)).rules[0]?.source;
    const other = BALANCE.replace("chain: 1", "chain: 143");
    expect(await source(escrowed() + unbacked())).toBe(
      await source(escrowed() + unbacked("100.0% of escrowed")),
    );
    expect(await source(escrowed() + unbacked())).not.toBe(
      await source(escrowed() + unbacked("99% of escrowed")),
    );
    expect(await source(escrowed() + unbacked())).not.toBe(
      await source(escrowed(other) + unbacked()),
    );
  });

  it.each<[string, string, readonly string[]]>([
    [
      escrowed(),
      unbacked("100% of escrowd"),
      [
        'b.yaml:4:41: unknown reference "escrowd", expected escrowed; did you mean `escrowed`? [unknown-reference]',
      ],
    ],
    [
      escrowed(BALANCE.replace("chain: 1", "chain: [1, 137]")),
      unbacked(),
      [
        "a.yaml:2:21: a reference is one value, and this watch has 2 subjects, expected a watch of one subject, or across: sum, min or max [needs-across]",
      ],
    ],
    [
      escrowed(BALANCE.replace(", decimals: 6", "")),
      unbacked(),
      [
        "a.yaml:2:21: the reference needs the decimals of its token, expected decimals: 6 (the token's) in the watch [needs-decimals]",
      ],
    ],
    [
      escrowed(),
      unbacked("100% of escrowed", ""),
      [
        'b.yaml:4:41: "escrowed" needs the decimals of the token beside it, expected decimals: 6 (the token\'s) in the watch [needs-decimals]',
      ],
    ],
    [
      escrowed(BALANCE, "wallet_address"),
      unbacked(),
      [
        "a.yaml:2:178: wallet_address is not a number: nothing can be compared with it, expected a metric of token_balance such as chain_id or balance [metric-no-number]",
      ],
    ],
    [
      escrowed(`{kind: v4_pool, chain: 1, pools: [${POOL}]}`, "tvl_usd"),
      unbacked(),
      [
        'b.yaml:4:41: "escrowed" is tvl_usd (usd), which does not compare with total_supply (raw), expected a reference that counts the same [incomparable]',
      ],
    ],
    [
      escrowed(BALANCE, "balance, across: avg"),
      unbacked(),
      ['a.yaml:2:195: unknown across "avg", expected sum, min or max [unknown-word]'],
    ],
    [
      escrowed("{kind: gas, chain: [1, 137]}", "tip_top10, across: sum"),
      unbacked(),
      [
        "a.yaml:2:78: tip_top10 has no sum: gas prices cannot be added, expected min or max [bad-across]",
      ],
    ],
    [
      escrowed().replace("escrowed:", "p10:"),
      unbacked("5 tokens"),
      [
        'a.yaml:2:3: "p10" cannot be the name of a reference, expected a word such as escrowed [bad-name]',
      ],
    ],
    [
      "references: {escrowed: {metric: balance}}\n",
      unbacked(),
      [
        "a.yaml:1:24: watch is missing, expected {watch: {kind: token_balance, …}, metric: balance} [missing-key]",
      ],
    ],
  ])("%s%s is refused", async (a, b, errors) => {
    expect((await files(a, b)).errors).toEqual(errors);
  });

  it("is a price in the direction of the rule's, or refused", async () => {
    const other = `0x${"cd".repeat(32)}`;
    const peg = (invert: string, id: string, turned: string) =>
      files(
        `references:\n  peg: {watch: {kind: v4_pool, chain: 1, pools: [${id}]${turned}}, metric: price}\n${ruleText(
          {
            watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]${invert}}`,
            when: "{metric: price, below: 99% of peg}",
          },
        )}`,
      );
    const turned = ", invert: true";
    for (const [own, id, theirs, expected] of [
      [turned, other, "", "invert: true"],
      ["", other, turned, "invert: false"],
      [turned, POOL, "", "invert: true"],
    ] as const) {
      const { errors } = await peg(own, id, theirs);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain(
        `"peg" is the price in the other direction, expected ${expected}`,
      );
    }
    expect((await peg("", other, "")).errors).toEqual([]);
    expect((await peg(turned, other, turned)).errors).toEqual([]);
  });

  it("is there once", async () => {
    const { errors } = await files(escrowed(), escrowed(), unbacked());
    expect(errors).toEqual([
      'b.yaml:2:3: a reference "escrowed" is already used, in a.yaml:2 [duplicate-name]',
    ]);
  });

  it("that no rule uses is warned of, and read nevertheless", async () => {
    const { errors, warnings } = await files(escrowed(), unbacked("5 tokens"));
    expect([errors, warnings]).toEqual([
      [],
      ['a.yaml:2:3: no rule uses the reference "escrowed" [unused]'],
    ]);
    expect((await files(escrowed("{kind: nothing}"), unbacked("5 tokens"))).errors).toHaveLength(1);
  });

  it("may be in a file that cannot be read: then its name is not called unknown", async () => {
    expect((await files("references: [", unbacked())).errors).toHaveLength(1);
  });

  it("holds no secrets", async () => {
    const { errors } = await files(
      'references: {a: {watch: "${env:KEY}", metric: balance}}\n',
      unbacked("5 tokens"),
    );
    expect(errors[0]).toContain("references to secrets are for config.yaml");
  });
});

describe("bucket", () => {
  it("is for kinds with buckets", async () => {
    expect((await files(ruleText({ bucket: "complete" }))).rules[0]?.bucket).toBe("complete");
    expect((await files(ruleText())).rules[0]?.bucket).toBe("newest");
    const pool = `{kind: v4_pool, chain: 1, pools: [${POOL}]}`;
    const { errors } = await files(
      ruleText({ watch: pool, when: "{metric: tvl_usd, above: 5}", bucket: "newest" }),
    );
    expect(errors).toEqual([
      "a.yaml:5:13: bucket is for kinds with buckets, such as gas; v4_pool has none [misplaced-key]",
    ]);
  });

  it("leaves for and resolve_after to the values: silence has none", async () => {
    const { errors } = await files(ruleText({ when: "{no_update_for: 3h}", for: "2h" }));
    expect(errors).toEqual([
      "a.yaml:5:5: for counts buckets, so it cannot wait for buckets that do not come, expected a longer no_update_for in its place [key-conflict]",
    ]);
  });
});
