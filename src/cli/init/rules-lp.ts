import { chainWord } from "../../base/chains.ts";
import type { RulesFiles, Target } from "./answers.ts";
import { flowMap, indented, scalar, subjectWord } from "./yaml-text.ts";

/** Rules for whoever provides liquidity, and their tests. `targets` are positions. */
export function lpFiles(targets: readonly Target[]): RulesFiles {
  const entries = targets.map(({ id, chainId, protocol, name }) =>
    flowMap({
      id,
      chain: chainWord(chainId),
      protocol: protocol ?? "dexa",
      name: name === null ? null : scalar(name),
    }),
  );
  return { rules: rulesOf(entries), tests: testsOf(targets) };
}

function rulesOf(entries: readonly string[]): string {
  return `# Is my money at work, and how near is the edge? docs/rules.md explains every key.
lists:
  # The positions that the rules below watch: the id of the NFT, its chain, the protocol that minted it.
  positions:
${indented(entries.map((entry) => `- ${entry}`))}
rules:
  # Out of range a position earns nothing. It must be out for 5 minutes before you hear of it, and back
  # for 5 minutes: a price that moves around the edge sends nothing.
  - name: out-of-range
    watch: {kind: v4_position, positions: {list: positions}}
    when: {metric: in_range, equals: false}
    for: 5m
    resolve_after: 5m
    note: A position earns fees only while it is in range.

  # An early warning: less than 1% of price movement is left to the nearer edge. It fires below 1% and
  # resolves above 1.5%; the gap prevents flapping.
  - name: near-the-edge
    watch: {kind: v4_position, positions: {list: positions}}
    when:
      all:
        - {metric: pct_to_edge, below: 1%}
        - {metric: in_range, equals: true}
    resolve_when: {metric: pct_to_edge, above: 1.5%}
    severity: info

  # The owner of the NFT owns the money in it. This is an event: each change sends one notice.
  - name: position-moved
    watch: {kind: v4_position, positions: {list: positions}}
    when: {metric: owner_address, changes: true}
    schedule: 5m
    severity: critical
`;
}

function testsOf(targets: readonly Target[]): string {
  const [first] = targets;
  const subject = first === undefined ? '"*"' : subjectWord(first, targets);
  return `# What lp.yaml tells, and when: \`tickwatch test rules/*.test.yaml\`. docs/testing.md explains the format.
rule_files: [lp.yaml]

cases:
  - name: out of range for five minutes, and back for five
    rule: out-of-range
    answers:
      "*":
        v4_position: {lower_tick: -200250, upper_tick: -199530, liquidity: 5000}
        v4_pool: {current_tick: -200000}
      ${subject}:
        - {at: 10m, v4_pool: {current_tick: -200251}}
        - {at: 30m, v4_pool: {current_tick: -200250}}
    until: 60m
    expect:
      - {at: 15m, kind: fired, subject: ${subject}, text: Out of range}
      - {at: 35m, kind: resolved, subject: ${subject}, text: Back in range}

  - name: a price that moves around the edge sends nothing
    rule: out-of-range
    answers:
      "*":
        - v4_position: {lower_tick: -200250, upper_tick: -199530, liquidity: 5000}
          v4_pool: {current_tick: -199531}
        - {at: 10m, v4_pool: {current_tick: -199530}}
        - {at: 14m, v4_pool: {current_tick: -199531}}
    until: 60m
    expect: []

  - name: a word before it happens
    rule: near-the-edge
    answers:
      "*":
        v4_position: {lower_tick: -200250, upper_tick: -199530, liquidity: 5000}
        v4_pool: {current_tick: -200000}
      ${subject}:
        - {at: 10m, v4_pool: {current_tick: -200152}}
        - {at: 30m, v4_pool: {current_tick: -200000}}
    until: 40m
    expect:
      - {at: 10m, kind: fired, subject: ${subject}}
      - {at: 30m, kind: resolved, subject: ${subject}}

  - name: a new owner sends a notice
    rule: position-moved
    values:
      "*": {owner_address: 0x1111111111111111111111111111111111111111x20}
      ${subject}:
        owner_address: 0x1111111111111111111111111111111111111111x10 0x2222222222222222222222222222222222222222x10
    answers:
      "*": {v4_pool: {current_tick: 0}}
    expect:
      - {at: 10m, kind: changed, subject: ${subject}}
`;
}
