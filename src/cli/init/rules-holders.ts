import type { RulesFiles, Target } from "./answers.ts";
import { tokenEntries } from "./rules-treasury.ts";
import { indented, subjectWord } from "./yaml-text.ts";

/** Rules for whoever issues a token or follows its holders, and their tests. `targets` are tokens. */
export function holdersFiles(targets: readonly Target[]): RulesFiles {
  const [first] = targets;
  const subject = first === undefined ? '"*"' : subjectWord(first, targets);
  return {
    rules: `# Do holders leave, does the supply move? docs/rules.md explains every key.
lists:
  # The tokens that the rules below watch.
  tokens:
${indented(tokenEntries(targets).map((entry) => `- ${entry}`))}
rules:
  # One holder of a hundred has left within an hour.
  - name: holders-leave
    watch: {kind: holder_count, token: {list: tokens}}
    when: {metric: holder_count, falls: 1%, within: 1h}

  # The supply is not what it was a day ago: a mint, a burn, or tokens that moved to another chain.
  - name: supply-moves
    watch: {kind: token_supply, token: {list: tokens}}
    when: {metric: total_supply, moves: 1%, since: 24h}
    schedule: 15m
    severity: critical
`,
    tests: `# What holders.yaml tells, and when: \`tickwatch test rules/*.test.yaml\`. docs/testing.md explains the format.
rule_files: [holders.yaml]

cases:
  - name: one of a hundred leaves within an hour
    rule: holders-leave
    values:
      "*": {holder_count: 10000x90}
      ${subject}: {holder_count: 10000x60 9900x30}
    expect:
      - {at: 60m, kind: fired, subject: ${subject}}

  - name: fewer than one of a hundred is nothing
    rule: holders-leave
    values:
      "*": {holder_count: 10000x60 9901x30}
    expect: []

  - name: a mint of one percent, and a day later it is what is usual
    rule: supply-moves
    every: 1h
    values:
      "*": {total_supply: 100000000x60}
      ${subject}: {total_supply: 100000000x30 101000000x30}
    expect:
      - {at: 30h, kind: fired, subject: ${subject}}
      - {at: 54h, kind: resolved, subject: ${subject}}
`,
  };
}
