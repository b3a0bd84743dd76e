import { chainWord } from "../../base/chains.ts";
import type { RulesFiles, Target } from "./answers.ts";
import { flowMap, indented, scalar, subjectWord } from "./yaml-text.ts";

/** Rules for whoever looks after a wallet, and their tests. `targets` are the tokens in it, and chains' own currencies. */
export function treasuryFiles(targets: readonly Target[], wallet: string): RulesFiles {
  const tokens = targets.filter(({ id }) => id !== "");
  const natives = targets.filter(({ id }) => id === "");
  const owner = `{id: ${wallet}, name: Treasury}`;
  return {
    rules: `# Does money leave the wallet? docs/rules.md explains every key.
${tokens.length === 0 ? "" : tokenList(tokens)}rules:
${[...(tokens.length === 0 ? [] : [tokenRules(owner)]), ...(natives.length === 0 ? [] : [nativeRule(natives, owner)])].join("\n")}`,
    tests: `# What treasury.yaml tells, and when: \`tickwatch test rules/*.test.yaml\`. docs/testing.md explains the format.
# Amounts are in raw units: a token of 6 decimals has 1,000,000 of them.
rule_files: [treasury.yaml]

cases:
${[...(tokens.length === 0 ? [] : [tokenCases(tokens)]), ...(natives.length === 0 ? [] : [NATIVE_CASES])].join("\n")}`,
  };
}

function tokenList(tokens: readonly Target[]): string {
  const entries = tokenEntries(tokens).map((entry) => `- ${entry}`);
  return `lists:
  # The tokens that the rules below watch in it.
  tokens:
${indented(entries)}
`;
}

function tokenRules(owner: string): string {
  return `  # A tenth of a token is gone within a day. \`send_resolved: false\`, since the end of the day brings
  # nothing back.
  - name: treasury-outflow
    watch:
      kind: token_balance
      token: {list: tokens}
      wallet: ${owner}
    when: {metric: balance, falls: 10%, within: 24h}
    schedule: 5m
    severity: critical
    send_resolved: false

  # Every change, to the last raw unit. This is an event: each one sends a notice, and nothing resolves.
  - name: treasury-moved
    watch:
      kind: token_balance
      token: {list: tokens}
      wallet: ${owner}
    when: {metric: balance, changes: true}
    schedule: 5m
    severity: info
`;
}

function nativeRule(natives: readonly Target[], owner: string): string {
  const chains = natives.map(({ chainId }) => chainWord(chainId)).join(", ");
  return `  # A tenth of the chain's own currency is gone within a day: more than gas takes.
  - name: treasury-native-outflow
    watch: {kind: native_balance, chain: [${chains}], wallet: ${owner}}
    when: {metric: balance, falls: 10%, within: 24h}
    schedule: 5m
    severity: critical
    send_resolved: false
`;
}

function tokenCases(tokens: readonly Target[]): string {
  const [first] = tokens;
  const subject = first === undefined ? '"*"' : subjectWord(first, tokens, balanceLabel);
  return `  - name: a tenth is gone
    rule: treasury-outflow
    every: 1h
    values:
      "*": {balance: 6000000000000x28}
      ${subject}: {balance: 6000000000000x26 5400000000000x2}
    expect:
      - {at: 26h, kind: fired, subject: ${subject}}

  - name: a unit less than a tenth is not
    rule: treasury-outflow
    every: 1h
    values:
      "*": {balance: 6000000000000x26 5400000000001x2}
    expect: []

  - name: every change sends a notice, to the last raw unit
    rule: treasury-moved
    every: 5m
    values:
      "*": {balance: 6000000000000x9}
      ${subject}: {balance: 6000000000000x3 6000000000001x3 6000000000000x3}
    expect:
      - {at: 15m, kind: changed, subject: ${subject}}
      - {at: 30m, kind: changed, subject: ${subject}}
`;
}

const NATIVE_CASES = `  - name: a tenth of the own currency is gone, and a unit less
    rule: treasury-native-outflow
    every: 1h
    values:
      "*": {balance: 2000000000000000000x30 1800000000000000001x5 1800000000000000000x5}
    expect:
      - {at: 35h, kind: fired}
`;

/** The lines of a list of tokens. */
export function tokenEntries(targets: readonly Target[]): readonly string[] {
  return targets.map(({ id, chainId, name, decimals }) =>
    flowMap({
      id,
      name: name === null ? null : scalar(name),
      chain: chainWord(chainId),
      decimals: decimals === null ? null : String(decimals),
    }),
  );
}

/** A balance is called by its wallet and its token. */
function balanceLabel({ name, id }: Target): string {
  return name === null ? id : `Treasury (${name})`;
}
