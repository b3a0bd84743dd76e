import { chainWord } from "../../base/chains.ts";
import { isV3, type RulesFiles, type Target } from "./answers.ts";
import { flowMap, indented, scalar, subjectWord } from "./yaml-text.ts";

/** Rules for whoever trades in a pool or depends on it, and their tests. `targets` are V4 pools, or V3 pools. */
export function poolFiles(targets: readonly Target[]): RulesFiles {
  const entries = targets.map(({ id, chainId, name }) =>
    flowMap({ id, chain: chainWord(chainId), name: name === null ? null : scalar(name) }),
  );
  const [first] = targets;
  // Of a V3 pool no service says which way its prices count, which makes no difference to a change of 2%.
  const [kind, tvl, price, counts] =
    first !== undefined && isV3(first.id)
      ? ["v3_pool", "total_value_locked_usd", "token0_price", ""]
      : ["v4_pool", "tvl_usd", "price", " The price counts token1 for one token0."];
  const subject = first === undefined ? '"*"' : subjectWord(first, targets);
  return {
    rules: `# Does a pool lose its liquidity, does its price run away? docs/rules.md explains every key.
lists:
  # The pools that the rules below watch.
  pools:
${indented(entries.map((entry) => `- ${entry}`))}
rules:
  # A tenth of the value within an hour, and more than small change: both must hold.
  - name: tvl-drop
    watch: {kind: ${kind}, pools: {list: pools}}
    when:
      all:
        - {metric: ${tvl}, falls: 10%, within: 1h}
        - {metric: ${tvl}, falls: 50_000 usd, within: 1h}
    severity: critical
    note: TVL falls when liquidity is taken out, or with the price. Check which, before you trade.

  # 2% in a quarter of an hour, up or down.${counts}
  - name: price-move
    watch: {kind: ${kind}, pools: {list: pools}}
    when: {metric: ${price}, moves: 2%, within: 15m}
`,
    tests: `# What pool.yaml tells, and when: \`tickwatch test rules/*.test.yaml\`. docs/testing.md explains the format.
rule_files: [pool.yaml]

cases:
  - name: a tenth of the TVL is lost within an hour
    rule: tvl-drop
    values:
      "*": {${tvl}: 22000000x150}
      ${subject}: {${tvl}: 22000000x60 19000000x90}
    expect:
      - {at: 60m, kind: fired, subject: ${subject}, text: TVL}
      - {at: 120m, kind: resolved, subject: ${subject}}

  - name: a tenth of little is little
    rule: tvl-drop
    values:
      "*": {${tvl}: 400000x60 355000x60}
    expect: []

  - name: 2% within a quarter of an hour
    rule: price-move
    values:
      "*": {${price}: 2000x90}
      ${subject}: {${price}: 2000x30 2039.99x30 1999.1x30}
    expect:
      - {at: 60m, kind: fired, subject: ${subject}}
      - {at: 75m, kind: resolved, subject: ${subject}}
`,
  };
}
