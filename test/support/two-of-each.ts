import {
  ETH_USDC,
  V3_WBTC_WETH,
  V3_WETH_USDT,
  WBTC_WETH,
} from "../../src/simulator/listed-pools.ts";
import { MAKER, STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { cloneIds } from "./clones.ts";
import { STATE_KINDS } from "./every-kind.ts";
import { WHOLE } from "./tier.ts";

/**
 * Rules of every kind on two subjects at least: one that faults of one subject touch, and others
 * that they must leave alone. Clones fill whole batches.
 */

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
/** More than a batch holds: 20 of most, 100 wallets. */
const [MANY, MANY_WALLETS] = WHOLE ? [25, 110] : [21, 101];
const list = (ids: readonly string[]): string => `[${ids.map((id) => `"${id}"`).join(", ")}]`;
const coins = list(cloneIds("supply", MANY));
const wallets = list(cloneIds("legacy_balances", MANY_WALLETS));

/** The one of each batch that faults of one subject are about: whole ids, as they are sent. */
export const VICTIM_IDS: ReadonlySet<string> = new Set([
  WBTC_WETH,
  V3_WBTC_WETH,
  MAKER,
  "91777",
  USDC.toLowerCase(),
  cloneIds("v4_pool", 8)[7] ?? "",
  cloneIds("v4_position", 8)[7] ?? "",
  cloneIds("supply", 8)[7] ?? "",
  cloneIds("legacy_balances", 8)[7] ?? "",
]);

/** And where a request is about one token or chain: the whole chain. */
export const VICTIM_CHAIN = "137";

/** Rules whose verdict needs no value: how old a record is can be told without an answer. */
export const KNOWN_WITHOUT_VALUE: ReadonlySet<string> = new Set(["v4_pool-never-3"]);

/** Whether a subject is one that faults of one subject touch. */
export function isVictim(subject: string): boolean {
  const [, chain] = subject.split(":");
  return chain === VICTIM_CHAIN || subject.split(":").some((part) => VICTIM_IDS.has(part));
}

const both = `chain: [1, ${VICTIM_CHAIN}], token: "${STABLECOIN}"`;
/** What is watched in place of the one subject, and what of it differs from round to round. */
const WATCHED: Readonly<Record<string, readonly [watch: string | null, moving: string | null]>> = {
  gas: [null, "tx_count"],
  v4_pool: [`kind: v4_pool, chain: 1, pools: ${list([ETH_USDC, WBTC_WETH])}`, "swap_count"],
  v4_pool_many: [`kind: v4_pool, chain: 1, pools: ${list(cloneIds("v4_pool", MANY))}`, null],
  v4_position: [
    `kind: v4_position, chain: 1, protocol: dexa, positions: ${list(["91777", "33019"])}`,
    "amount0",
  ],
  v4_position_many: [
    `kind: v4_position, chain: 1, protocol: dexa, positions: ${list(cloneIds("v4_position", MANY))}`,
    null,
  ],
  token_supply: [`kind: token_supply, ${both}`, "total_supply"],
  token_supply_many: [`kind: token_supply, chain: 1, token: ${coins}, decimals: 6`, null],
  token_balance: [
    `kind: token_balance, chain: 1, token: "${STABLECOIN}", wallet: ["${TREASURY_WALLET}", "${MAKER}"]`,
    "balance",
  ],
  token_balance_many: [
    `kind: token_balance, chain: 1, token: "${STABLECOIN}", wallet: ${wallets}`,
    null,
  ],
  token_balance_one: [
    `kind: token_balance, chain: ${VICTIM_CHAIN}, token: "${STABLECOIN}", wallet: "${TREASURY_WALLET}"`,
    "balance",
  ],
  holder_count: [`kind: holder_count, ${both}`, "holder_count"],
  holder_count_many: [`kind: holder_count, chain: 1, token: ${coins}`, null],
  token_info: [`kind: token_info, ${both}`, "transfer_count"],
  token_price: [`kind: token_price, chain: 1, token: ["${STABLECOIN}", "${USDC}"]`, "price_usd"],
  v3_pool: [`kind: v3_pool, chain: 1, pools: ${list([V3_WETH_USDT, V3_WBTC_WETH])}`, "swap_count"],
  v4_pool_24h: [`kind: v4_pool_24h, chain: 1, pools: ${list([ETH_USDC, WBTC_WETH])}`, "swap_count"],
  pool_history: [
    `kind: pool_history, chain: 1, pools: ${list([ETH_USDC, WBTC_WETH, V3_WETH_USDT, V3_WBTC_WETH])}`,
    "volume_usd",
  ],
  pool_history_daily: [
    `kind: pool_history, chain: 1, pools: ${list([ETH_USDC, V3_WBTC_WETH])}, period: d`,
    "volume_usd",
  ],
  price_history: [`kind: price_history, chain: 1, token: ["${STABLECOIN}", "${USDC}"]`, "close"],
  price_history_daily: [
    `kind: price_history, chain: 1, token: ["${STABLECOIN}", "${USDC}"], period: d`,
    "close",
  ],
  holders: [`kind: holders, ${both}, top: 20`, null],
};

const ENTRY_RULES: readonly (readonly [name: string, watch: string, when: string])[] = [
  [
    "v4_swaps",
    `kind: v4_swaps, chain: 1, pools: ${list([ETH_USDC, WBTC_WETH])}`,
    "{metric: transaction_hash, not_equals: none}",
  ],
  [
    "v3_swaps",
    `kind: v3_swaps, chain: 1, pools: ${list([V3_WETH_USDT, V3_WBTC_WETH])}`,
    "{metric: transaction_hash, not_equals: none}",
  ],
  [
    "v4_liquidity",
    `kind: v4_liquidity, chain: 1, pools: ${list([ETH_USDC, WBTC_WETH])}`,
    "{metric: id, not_equals: none}",
  ],
  ["holders-entered", `kind: holders, ${both}, top: 20`, "{metric: entered, equals: true}"],
  ["holders-left", `kind: holders, ${both}, top: 20`, "{metric: left, equals: true}"],
];

/** What the daemon says of the endpoints themselves; `down` is true while one does not work. */
const SOURCE_RULES: readonly (readonly [name: string, when: string])[] = [
  ["source-down", "{metric: up, equals: false}"],
  ["source-always", "{metric: failures, at_least: 0}"],
  ["source-changes", "{metric: endpoint, changes: true}"],
];

export function rulesOnTwoOfEach(schedule: string): string {
  const rule = (name: string, watch: string, when: string): string =>
    `  - {name: ${name}, watch: {${watch}}, when: ${when}, schedule: ${schedule}, notify: [screen]}`;
  const states = Object.entries(WATCHED).flatMap(([name, [watch, moving]]) => {
    const kind = STATE_KINDS.find((one) => one.kind === name.replace(/_many$|_one$/, ""));
    if (kind === undefined) throw new Error(`no kind ${name}`);
    const on = watch ?? kind.watch;
    const always = rule(`${name}-always`, on, kind.always);
    if (name.endsWith("_many")) return [always];
    return [
      ...kind.never.map((when, i) => rule(`${name}-never-${i}`, on, when)),
      always,
      ...(kind.constant === null
        ? []
        : [rule(`${name}-changes`, on, `{metric: ${kind.constant}, changes: true}`)]),
      ...(moving === null ? [] : [rule(`${name}-moves`, on, `{metric: ${moving}, changes: true}`)]),
    ];
  });
  const entries = ENTRY_RULES.map(([name, watch, when]) => rule(`${name}-each`, watch, when));
  const own = SOURCE_RULES.map(([name, when]) => rule(name, "kind: source", when));
  return `rules:\n${[...states, ...entries, ...own].join("\n")}\n`;
}
