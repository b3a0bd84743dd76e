import { chainWord } from "../../base/chains.ts";
import type { RulesFiles, Target } from "./answers.ts";

/** A tip that is high on a chain, and one that is so no more; in gwei. */
interface TipLimits {
  readonly high: number;
  readonly over: number;
}

/** Where tips are usually higher or lower than on most chains. */
const LIMITS: ReadonlyMap<number, TipLimits> = new Map([
  [1, { high: 5, over: 4 }],
  // Tips on Polygon are never under 25 gwei.
  [137, { high: 150, over: 100 }],
]);
const USUAL: TipLimits = { high: 1, over: 0.8 };

/** Rules for whoever pays for gas, and their tests. Of `targets` only the chains count. */
export function gasFiles([first]: readonly Target[]): RulesFiles {
  const chainId = first?.chainId ?? 1;
  const { high, over } = LIMITS.get(chainId) ?? USUAL;
  const chain = chainWord(chainId);
  return {
    rules: `# When is gas expensive, and when is it cheap? docs/rules.md explains every key.
# The data is by the hour; the newest hour counts from its fifth minute on.
rules:
  # The tip that gets a transaction into the top 10% of a block. It fires above ${high} gwei and resolves below
  # ${over}; the gap prevents flapping. Change both to what is expensive for you.
  - name: tip-spike
    watch: {kind: gas, chain: ${chain}}
    when: {metric: tip_top10, above: ${high} gwei}
    resolve_when: {below: ${over} gwei}

  # Base fee and tip together, against the last 7 days: among the cheapest tenth of their hours.
  # \`p10\` is that tenth, measured anew in every round.
  - name: gas-is-cheap
    watch: {kind: gas, chain: ${chain}}
    when: {metric: price_top10, below: p10, within: 7d}
    resolve_when: {above: p25}
    schedule: 15m
    severity: info
`,
    tests: `# What gas.yaml tells, and when: \`tickwatch test rules/*.test.yaml\`. docs/testing.md explains the format.
rule_files: [gas.yaml]
every: 1h

cases:
  - name: a tip above ${high} gwei fires once and resolves only below ${over}
    rule: tip-spike
    values:
      ${chain}: {tip_top10: ${over}gwei ${high + 1}gwei ${over}gwei ${high + 1}gwei ${over / 2}gwei}
    expect:
      - {at: 1h5m, kind: fired}
      - {at: 4h5m, kind: resolved}

  - name: exactly ${high} gwei is not above ${high}
    rule: tip-spike
    values:
      ${chain}: {tip_top10: ${over}gwei ${high}gwei ${over}gwei}
    expect: []

  - name: an hour below the cheapest tenth of the week
    rule: gas-is-cheap
    values:
      ${chain}: {avg_base_fee: 10gweix15 20gweix85 9gwei 21gwei, tip_top10: 2gwei}
    expect:
      - {at: 100h15m, kind: fired}
      - {at: 101h15m, kind: resolved}
`,
  };
}
