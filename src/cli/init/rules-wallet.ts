import { chainWord } from "../../base/chains.ts";
import type { RulesFiles, Target } from "./answers.ts";

/** The two kinds of positions, as rules name them and as people do. */
const VERSIONS = [
  { kind: "v4_position", word: "v4" },
  { kind: "v3_position", word: "v3" },
] as const;
type Version = (typeof VERSIONS)[number];

/** Rules for all positions that a wallet holds, and their tests; only nodes know these. `targets` are its chains. */
export function walletFiles(targets: readonly Target[], wallet: string): RulesFiles {
  const chains = targets.map(({ chainId }) => chainWord(chainId)).join(", ");
  const watch = ({ kind }: Version): string =>
    `{kind: ${kind}, chain: [${chains}], owner: {id: ${wallet}, name: Wallet}}`;
  const rules = VERSIONS.map((version) => rulesOf(version, watch(version)));
  const tests = VERSIONS.map((version) => testsOf(version));
  return {
    rules: `# Is my money at work, and how near is the edge? docs/rules.md explains every key. The rules watch whatever the wallet
# holds: a position that comes is watched from then on, and one that leaves is told.
rules:
${rules.join("\n")}`,
    tests: `# What lp.yaml tells, and when: \`tickwatch test rules/*.test.yaml\`. docs/testing.md explains the format.
rule_files: [lp.yaml]

cases:
${tests.join("\n")}`,
  };
}

function rulesOf({ word }: Version, watch: string): string {
  return `  # Out of range a position earns nothing. It must be out for 5 minutes before you hear of it, and back
  # for 5 minutes: a price that moves around the edge sends nothing.
  - name: ${word}-out-of-range
    watch: ${watch}
    when: {metric: in_range, equals: false}
    for: 5m
    resolve_after: 5m

  # Fees that are worth collecting; they are over once they are collected.
  - name: ${word}-fees
    watch: ${watch}
    when: {metric: fees_usd, above: $100}
    resolve_when: {below: $10}
    schedule: 15m
    severity: info
`;
}

function testsOf({ kind, word }: Version): string {
  const range = "lower_tick: -200250, upper_tick: -199530, liquidity: 5000";
  const isV4 = kind === "v4_position";
  const at = (tick: number): string =>
    isV4 ? `v4_pool: {current_tick: ${tick}}` : `v3_position: {current_tick: ${tick}}`;
  const begin = isV4
    ? `${kind}: {${range}}\n          ${at(-200_000)}`
    : `${kind}: {${range}, current_tick: -200000}`;
  const fees = isV4
    ? `      "*":
        - v4_position: {${range}}
          v4_pool: {current_tick: -200000}
          v4_fees: {fees_usd: 99}
        - {at: 30m, v4_fees: {fees_usd: 101}}
        - {at: 60m, v4_fees: {fees_usd: 2}}`
    : `      "*":
        - v3_position: {${range}, current_tick: -200000, fees_usd: 99}
        - {at: 30m, v3_position: {fees_usd: 101}}
        - {at: 60m, v3_position: {fees_usd: 2}}`;
  return `  - name: one of ${word} goes out of range, comes back and is sold
    rule: ${word}-out-of-range
    held: [42]
    answers:
      "*":
        - ${begin}
        - {at: 10m, ${at(-200_251)}}
        - {at: 30m, ${at(-200_250)}}
    steps:
      - {at: 50m, held: []}
    until: 60m
    expect:
      - {at: 15m, kind: fired, subject: 42, text: Out of range}
      - {at: 35m, kind: resolved, subject: 42, text: Back in range}
      - {at: 50m, kind: changed, subject: 42, text: Left Wallet}

  - name: fees of ${word} are collected
    rule: ${word}-fees
    held: [42]
    answers:
${fees}
    until: 80m
    expect:
      - {at: 30m, kind: fired, subject: 42}
      - {at: 60m, kind: resolved, subject: 42}
`;
}
