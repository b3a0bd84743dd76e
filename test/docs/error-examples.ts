import type { ProblemCode } from "../../src/base/problem-codes.ts";

const POOL = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
const TOKEN = "0x00000000efe302beaa2b3e6e1b18d08d69a9012a";
const IN_RANGE = "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}";
const A_POOL = `{kind: v4_pool, chain: 1, pools: [${POOL}]}`;
const SUPPLY = `{kind: token_supply, chain: 1, token: ${TOKEN}}`;

/**
 * An input that gives a problem: the keys of the only rule, or of config.yaml, that differ from those of a
 * good one; or a whole rules file, file of rule tests or scenario.
 */
export type Example =
  | { readonly rule: Readonly<Record<string, string>> }
  | { readonly config: Readonly<Record<string, string>> }
  | { readonly rules: string }
  | { readonly tests: string }
  | { readonly scenario: string };

/** One case of rule tests whose keys are those of a good one but for `keys`. */
function testCase(keys: Readonly<Record<string, string>>): Example {
  const all = { name: "low", values: "{Pool: {tvl_usd: 100x5}}", expect: "[]", ...keys };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}`);
  const watch = `{kind: v4_pool, chain: 1, pools: [{id: ${POOL}, name: Pool}]}`;
  const rule = `  - {name: low, watch: ${watch}, when: {metric: tvl_usd, below: 5}}`;
  return { tests: `rules:\n${rule}\ncases:\n  - ${lines.join("\n    ")}\n` };
}

export const EXAMPLES: Readonly<Record<ProblemCode, Example>> = {
  "always-muted": { config: { mutes: '{nights: {from: "00:00", to: "24:00"}}' } },
  "always-true": { rule: { when: "{metric: tip_top10, at_least: 0 gwei}" } },
  "bad-across": { rule: { across: "sum" } },
  "bad-call": {
    rule: {
      watch:
        "{kind: call, chain: 1, to: 0x1acf37fc9a055461542c22862666ac265d26dc0a, function: 'balanceOf(address)'}",
      when: "{metric: value, below: 5}",
    },
  },
  "bad-duration": { rule: { for: "soon" } },
  "bad-event": {
    scenario: `events:\n  - {kind: price, at: 3m, pool: "0x${"ab".repeat(32)}", factor: 0.9, over: 5m}\n`,
  },
  "bad-host": { config: { web: "{listen: localhost}" } },
  "bad-id": { rule: { watch: "{kind: v4_pool, chain: 1, pools: [0x21c6]}" } },
  "bad-name": { rule: { name: '"tickwatch:mine"' } },
  "bad-percentile": { rule: { when: "{metric: tip_top10, below: p101, within: 7d}" } },
  "bad-port": {
    config: {
      service: `{base_url: "https://data.example.org:80", api_key: "\${env:TICKWATCH_API_KEY}"}`,
    },
  },
  "bad-range": { rule: { when: "{metric: tip_top10, inside: [9 gwei, 5 gwei]}" } },
  "bad-rules-pattern": { config: { rules: "[nowhere/*.yaml]" } },
  "bad-schedule": { rule: { schedule: "7m" } },
  "bad-series": testCase({ values: "{Pool: {tvl_usd: 100 times 5}}" }),
  "bad-setting": { config: { channels: "{chat: {kind: telegram, token: secret, chat: ops}}" } },
  "bad-step": testCase({ steps: "[{at: 1m, restart: soon}]" }),
  "bad-template": { rule: { note: '"now {{ value | uper }}"' } },
  "bad-time": { config: { mutes: '{nights: {from: 10pm, to: "07:00"}}' } },
  "bad-url": {
    config: { service: `{base_url: data.example.org, api_key: "\${env:TICKWATCH_API_KEY}"}` },
  },
  "bad-yaml": { rules: "rules:\n\t- name: tips\n" },
  "below-schedule": { rule: { cooldown: "30s" } },
  "cannot-share": {
    config: {
      service: `{base_url: "https://data.example.org", api_key: "\${env:TICKWATCH_API_KEY}", concurrency: 1}`,
      store: `"\${env:DATABASE_URL}"`,
      cluster: "{}",
    },
  },
  "chain-not-served": {
    rule: {
      watch: `{kind: token_supply, chain: arbitrum, token: ${TOKEN}}`,
      when: "{metric: total_supply, below: 5 raw}",
    },
  },
  "comment-cuts-value": { rule: { title: "ETH/USDC #43" } },
  "curly-quotes": { rule: { name: "\u201ctips\u201d" } },
  "decimals-differ": {
    rule: {
      watch: `{kind: token_supply, chain: 1, token: [{id: ${TOKEN}, decimals: 6}, {id: ${TOKEN}, decimals: 18}]}`,
      when: "{metric: total_supply, below: 5M tokens}",
    },
  },
  "duplicate-key": { rules: "rules: []\nrules: []\n" },
  "duplicate-name": {
    rules:
      "rules:\n" +
      "  - {name: a, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n" +
      "  - {name: a, watch: {kind: gas, chain: 137}, when: {metric: tip_top10, above: 50 gwei}}\n",
  },
  "duplicate-target": { rule: { watch: "{kind: gas, chain: [1, ethereum]}" } },
  "edge-of-range": { rule: { watch: IN_RANGE, when: "{metric: in_range, equals: false}" } },
  empty: { rule: { remind: "[]" } },
  "for-too-long": {
    rule: { watch: A_POOL, when: "{metric: tvl_usd, falls: 10%, within: 1h}", for: "1h" },
  },
  "gate-never-opens": { rule: { only_while: "[tips]" } },
  incomparable: {
    rules:
      `references:\n  supply: {watch: {kind: token_supply, chain: 1, token: ${TOKEN}, decimals: 6}, metric: total_supply}\n` +
      `rules:\n  - name: deep\n    watch: ${A_POOL}\n    when: {metric: tvl_usd, above: 100% of supply}\n`,
  },
  "key-conflict": { rule: { when: "{metric: tip_top10, above: 5 gwei, below: 9 gwei}" } },
  "matches-no-rule": { config: { routes: "[{match: {rule: tisp}, notify: terminal}]" } },
  "metric-no-number": { rule: { watch: IN_RANGE, when: "{metric: side, above: 5}" } },
  "misplaced-key": { rule: { when: "{metric: tip_top10, above: 5 gwei, within: 1h}" } },
  "missing-brackets": { rule: { watch: "{kind: gas, chain: 1, 137}" } },
  "missing-key": { rule: { when: "{above: 5 gwei}" } },
  "needs-across": {
    rules:
      `references:\n  supply: {watch: {kind: token_supply, chain: [1, 137], token: ${TOKEN}, decimals: 6}, metric: total_supply}\n` +
      `rules:\n  - name: supply\n    watch: ${SUPPLY}\n    when: {metric: total_supply, above: 100% of supply}\n`,
  },
  "needs-base-url": {
    rule: {
      watch: `{kind: token_price, chain: 1, token: ${TOKEN}}`,
      when: "{metric: price, below: 0.99}",
    },
  },
  "needs-decimals": { rule: { watch: SUPPLY, when: "{metric: total_supply, below: 5M tokens}" } },
  "needs-node": {
    rule: {
      watch: "{kind: native_balance, chain: 1, wallet: 0x1acf37fc9a055461542c22862666ac265d26dc0a}",
      when: "{metric: balance, below: 0.5}",
    },
  },
  "needs-percent": { rule: { when: "{metric: utilization, above: 95}" } },
  "needs-quotes": { rule: { schedule: "*/5 * * * *" } },
  "needs-token": { config: { web: '{listen: "0.0.0.0:9464"}' } },
  "needs-window": { rule: { watch: A_POOL, when: "{metric: tvl_usd, falls: 10%}" } },
  "never-true": { rule: { when: "{metric: utilization, above: 100%}" } },
  "no-direction": {
    rule: { watch: A_POOL, when: "{metric: tvl_usd, inside: [1, 2]}", worse_by: "5" },
  },
  "no-effect": { rule: { any_chain: "true" } },
  "no-encryption": { config: { store: "postgres://me@db.example.org/alerts?sslmode=disable" } },
  "no-own-time": { rule: { watch: SUPPLY, when: "{no_update_for: 1h}" } },
  "no-rules": { rules: "rules: []\n" },
  "not-a-number": { rule: { when: "{metric: tip_top10, above: plenty}" } },
  "not-enabled": { rule: { enabled: "false" } },
  "not-for-events": {
    rule: { watch: A_POOL, when: "{metric: tvl_usd, changes: true}", for: "5m" },
  },
  "nothing-given": testCase({ values: "{}", until: "5m" }),
  "number-format": { rule: { when: '{metric: tip_top10, above: "1,5 gwei"}' } },
  "odd-cron": { rule: { schedule: '"0 9 1 * 1"' } },
  "only-channel": { config: { channels: `{ops: {kind: slack, url: "\${env:SLACK_URL}"}}` } },
  "out-of-range": { rule: { cooldown: "0s" } },
  overlap: { rule: { resolve_when: "{below: 6 gwei}" } },
  "part-not-points": { rule: { when: "{metric: utilization, falls: 5%, since: 2h}" } },
  "plain-http": {
    config: {
      service: `{base_url: "http://data.example.org", api_key: "\${env:TICKWATCH_API_KEY}"}`,
    },
  },
  "secret-in-file": {
    config: { service: '{base_url: "https://data.example.org", api_key: sk_live_5d41402abc4b}' },
  },
  "secret-in-rules": { rule: { note: '"${env:TICKWATCH_API_KEY}"' } },
  "secret-missing": {
    config: { service: `{base_url: "https://data.example.org", api_key: "\${env:NOT_SET}"}` },
  },
  "strange-character": { config: { heartbeat: '{url: "https://ping.example.org/a b"}' } },
  "tells-nobody": { rule: { notify: "[]" } },
  "timeout-too-long": {
    config: {
      service: `{base_url: "https://data.example.org", api_key: "\${env:TICKWATCH_API_KEY}", timeout: 2m}`,
    },
  },
  "too-large": {
    rule: { when: `${"{not: ".repeat(16)}{metric: tip_top10, above: 5 gwei}${"}".repeat(16)}` },
  },
  "too-long": { rule: { remind: `[${Array.from({ length: 21 }, () => "1h").join(", ")}]` } },
  "unknown-chain": { rule: { watch: "{kind: gas, chain: etherium}" } },
  "unknown-channel": { rule: { notify: "[slak]" } },
  "unknown-fact": { rule: { note: '"now {{ valeu }}"' } },
  "unknown-field": testCase({
    values: "{}",
    answers: "{Pool: {v4_pool: {tvl_us: 5}}}",
    until: "5m",
  }),
  "unknown-key": { rule: { sevrity: "warning" } },
  "unknown-kind": { rule: { watch: "{kind: gass, chain: 1}" } },
  "unknown-list": { rule: { watch: "{kind: v4_pool, chain: 1, pools: {list: mine}}" } },
  "unknown-metric": { rule: { when: "{metric: tip_top, above: 5 gwei}" } },
  "unknown-reference": { rule: { watch: A_POOL, when: "{metric: tvl_usd, above: 90% of peer}" } },
  "unknown-rule": { rule: { only_while: "[cheap-gas]" } },
  "unknown-subject": testCase({ values: "{Pol: {tvl_usd: 100x5}}" }),
  "unknown-word": { rule: { severity: "high" } },
  "unreadable-file": { tests: "rule_files: [gone.yaml]\ncases: []\n" },
  unused: {
    rules:
      "lists:\n  mine: [42]\n" +
      "rules:\n  - {name: a, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n",
  },
  "window-too-short": {
    rule: { watch: A_POOL, when: "{metric: tvl_usd, falls: 10%, within: 30s}" },
  },
  "wrong-checksum": {
    rule: {
      watch: '{kind: token_supply, chain: 1, token: "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012A"}',
      when: "{metric: total_supply, below: 5 raw}",
    },
  },
  "wrong-kind-of-file": { config: { rules: "[config.yaml]" } },
  "wrong-type": { rule: { labels: "team" } },
  "wrong-unit": { rule: { when: "{metric: tip_top10, above: 5 usd}" } },
};
