import type { Notice } from "../../src/model/index.ts";
import { ETH_USDC, V3_WETH_USDT, WBTC_WETH } from "../../src/simulator/listed-pools.ts";
import { STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import type { Market } from "../../src/simulator/market.ts";

/** A watch kind with what is never true of it, what always is, and what never changes. */
export interface StateKind {
  readonly kind: string;
  readonly watch: string;
  readonly never: readonly string[];
  readonly always: string;
  readonly constant: string | null;
}

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const coin = `chain: 1, token: "${STABLECOIN}"`;

export const STATE_KINDS: readonly StateKind[] = [
  {
    kind: "gas",
    watch: "kind: gas, chain: [1, 137]",
    never: [
      "{metric: tip_top10, above: 1000000 gwei}",
      "{metric: avg_base_fee, falls: 99%, within: 6h}",
    ],
    always: "{metric: avg_base_fee, above: 0}",
    constant: null,
  },
  {
    kind: "v4_pool",
    watch: `kind: v4_pool, chain: 1, pools: ["${ETH_USDC}", "${WBTC_WETH}"]`,
    never: [
      "{metric: tvl_usd, below: 1 usd}",
      "{metric: tvl_usd, moves: 50%, within: 1h}",
      "{metric: price, moves: 50%, since: last}",
      "{metric: timestamp, no_update_for: 4h}",
    ],
    always: "{metric: tvl_usd, above: 1 usd}",
    constant: "fee",
  },
  {
    kind: "v4_position",
    watch: "kind: v4_position, chain: 1, protocol: dexa, positions: [91777, 33019]",
    never: ["{metric: lower_tick, above: 800_000}", "{metric: liquidity, falls: 10%, within: 1h}"],
    always: "{metric: lower_tick, above: -800_000}",
    constant: "owner_address",
  },
  {
    kind: "token_supply",
    watch: `kind: token_supply, ${coin}`,
    never: [
      "{metric: total_supply, below: 1k tokens}",
      "{metric: total_supply, falls: 50%, within: 1h}",
    ],
    always: "{metric: total_supply, above: 1k tokens}",
    constant: "token_address",
  },
  {
    kind: "token_balance",
    watch: `kind: token_balance, ${coin}, wallet: "${TREASURY_WALLET}"`,
    never: ["{metric: balance, below: 1k tokens}", "{metric: balance, moves: 90%, since: last}"],
    always: "{metric: balance, above: 1k tokens}",
    constant: "wallet_address",
  },
  {
    kind: "holder_count",
    watch: `kind: holder_count, ${coin}`,
    never: ["{metric: holder_count, below: 10}", "{metric: holder_count, falls: 50%, within: 1h}"],
    always: "{metric: holder_count, above: 10}",
    constant: "token_address",
  },
  {
    kind: "token_info",
    watch: `kind: token_info, ${coin}`,
    never: ["{metric: holder_count, below: 10}", "{metric: total_supply, falls: 50%, within: 1h}"],
    always: "{metric: total_supply, above: 1k tokens}",
    constant: "decimals",
  },
  {
    kind: "token_price",
    watch: `kind: token_price, ${coin}`,
    never: ["{metric: price_usd, below: 0.5 usd}", "{metric: price_usd, moves: 50%, within: 1h}"],
    always: "{metric: price_usd, above: 0.5 usd}",
    constant: "symbol",
  },
  {
    kind: "v3_pool",
    watch: `kind: v3_pool, chain: 1, pools: ["${V3_WETH_USDT}"]`,
    never: [
      "{metric: total_value_locked_usd, below: 1 usd}",
      "{metric: price, moves: 50%, within: 1h}",
    ],
    always: "{metric: total_value_locked_usd, above: 1 usd}",
    constant: "fee_tier",
  },
  {
    kind: "v4_pool_24h",
    watch: `kind: v4_pool_24h, chain: 1, pools: ["${ETH_USDC}"]`,
    never: ["{metric: volume_24h, below: 1 usd}", "{metric: volume_24h, moves: 90%, within: 1h}"],
    always: "{metric: volume_24h, above: 1 usd}",
    constant: "hook_address",
  },
  {
    kind: "pool_history",
    watch: `kind: pool_history, chain: 1, pools: ["${ETH_USDC}", "${V3_WETH_USDT}"]`,
    never: ["{metric: close, below: 0.000001}", "{metric: close, moves: 50%, within: 6h}"],
    always: "{metric: close, above: 0.000001}",
    constant: null,
  },
  {
    kind: "pool_history_daily",
    watch: `kind: pool_history, chain: 1, pools: ["${ETH_USDC}"], period: d`,
    never: ["{metric: close, below: 0.000001}"],
    always: "{metric: close, above: 0.000001}",
    constant: null,
  },
  {
    kind: "price_history",
    watch: `kind: price_history, chain: 1, token: "${USDC}"`,
    never: ["{metric: price_usd, below: 0.5 usd}", "{metric: close, moves: 50%, within: 6h}"],
    always: "{metric: price_usd, above: 0.5 usd}",
    constant: null,
  },
  {
    kind: "price_history_daily",
    watch: `kind: price_history, chain: 1, token: "${USDC}", period: d`,
    never: ["{metric: price_usd, below: 0.5 usd}"],
    always: "{metric: price_usd, above: 0.5 usd}",
    constant: null,
  },
  {
    kind: "holders",
    watch: `kind: holders, ${coin}, top: 20`,
    never: ["{metric: top_share, above: 99%}", "{metric: largest_balance, below: 1k tokens}"],
    always: "{metric: largest_balance, above: 1k tokens}",
    constant: null,
  },
];

/** Rules that tell of each entry; `value` is what tells one from another. */
export const ENTRY_RULES = `
  - {name: v4_swaps-each, watch: {kind: v4_swaps, chain: 1, pools: ["${ETH_USDC}"]}, when: {metric: transaction_hash, not_equals: none}, schedule: 3m, notify: [screen]}
  - {name: v3_swaps-each, watch: {kind: v3_swaps, chain: 1, pools: ["${V3_WETH_USDT}"]}, when: {metric: transaction_hash, not_equals: none}, schedule: 3m, notify: [screen]}
  - {name: v4_liquidity-each, watch: {kind: v4_liquidity, chain: 1, pools: ["${ETH_USDC}"]}, when: {metric: id, not_equals: none}, schedule: 3m, notify: [screen]}
  - {name: holders-left, watch: {kind: holders, ${coin}, top: 20}, when: {metric: left, equals: true}, schedule: 3m, notify: [screen]}
  - {name: holders-entered, watch: {kind: holders, ${coin}, top: 20}, when: {metric: entered, equals: true}, schedule: 3m, notify: [screen]}
`;

/** Rules for every kind: `never` and `changes` must stay quiet, `always` must go on firing. */
export function rulesOfEveryKind(): string {
  const rules = STATE_KINDS.flatMap(({ kind, watch, never, always, constant }) => {
    const rule = (name: string, when: string) =>
      `  - {name: ${kind}-${name}, watch: {${watch}}, when: ${when}, schedule: 3m, notify: [screen]}`;
    return [
      ...never.map((when, i) => rule(`never-${i}`, when)),
      rule("always", always),
      ...(constant === null ? [] : [rule("changes", `{metric: ${constant}, changes: true}`)]),
    ];
  });
  return `rules:\n${rules.join("\n")}\n${ENTRY_RULES}`;
}

/** A list of a pool, the rule that tells of each of its entries, and what names an entry. */
export interface EntryList {
  readonly rule: string;
  readonly entries: (market: Market, at: number) => readonly string[];
}

/** More than come between two questions of any test. */
const MANY = 5_000;

export const ENTRY_LISTS: readonly EntryList[] = [
  {
    rule: "v4_swaps-each",
    entries: (market, at) => hashes(market.swaps(1, ETH_USDC, MANY, 0, at)?.swaps),
  },
  {
    rule: "v3_swaps-each",
    entries: (market, at) => hashes(market.swaps(1, V3_WETH_USDT, MANY, 0, at)?.swaps),
  },
  {
    rule: "v4_liquidity-each",
    entries: (market, at) =>
      market
        .liquidityChanges(1, ETH_USDC, MANY, 0, at)
        ?.modify_liquidity_history.map(({ id }) => id) ?? [],
  },
];

function hashes(swaps: readonly { readonly transaction_hash: string }[] = []): readonly string[] {
  return swaps.map(({ transaction_hash: hash }) => hash);
}

/** What the service's own list says was new between two times, oldest first. */
export function entriesBetween(
  market: Market,
  { entries }: EntryList,
  from: number,
  until: number,
): readonly string[] {
  const before = entries(market, from);
  const after = entries(market, until);
  const known = before[0] === undefined ? after.length : after.lastIndexOf(before[0]);
  // Equal entries stand together; of those at the border as many are old as there were before.
  const twins = before.filter((one) => one === before[0]).length;
  return after.slice(0, known + 1 - twins).toReversed();
}

/** What was told of a list, in the order in which it was told. */
export function toldEntries(told: readonly Notice[], { rule }: EntryList): readonly string[] {
  return told
    .filter((notice) => notice.rule === rule && notice.kind === "changed")
    .map(({ values }) => values[0]?.value ?? "unknown");
}
