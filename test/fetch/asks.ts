import fc from "fast-check";
import { type Ask, RECORDS } from "../../src/model/index.ts";

export const poolId = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
export const address = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;

/** How an ask may differ from another of its record. */
export interface Which {
  readonly n: number;
  readonly chainId: number;
  readonly wallet: number;
  readonly protocol: string;
  readonly period: "d" | "h";
  readonly limit: number;
  readonly offset: number;
  /** From the 1st of January 2026, so many days. */
  readonly days: number;
}

const FIRST: Which = {
  n: 1,
  chainId: 1,
  wallet: 7,
  protocol: "dexa",
  period: "h",
  limit: 50,
  offset: 0,
  days: 30,
};

const POOLS: ReadonlySet<Ask["record"]> = new Set([
  "v4_pool",
  "v4_pool_24h",
  "v4_swap",
  "v4_liquidity",
  "v4_pool_point",
]);
const PAGES: ReadonlySet<Ask["record"]> = new Set([
  "holder",
  "price_point",
  "v4_swap",
  "v3_swap",
  "v4_liquidity",
  "v4_pool_point",
  "v3_pool_point",
]);
const PERIODS: ReadonlySet<Ask["record"]> = new Set([
  "price_point",
  "v4_pool_point",
  "v3_pool_point",
]);
const POSITIONS: ReadonlySet<Ask["record"]> = new Set([
  "v4_position",
  "v4_fees",
  "v4_hold",
  "v3_position",
  "v3_hold",
]);
const OWNED: ReadonlySet<Ask["record"]> = new Set(["v3_owned", "v4_owned"]);
/** Nodes know nothing of the other protocol. */
const V4_ITSELF: ReadonlySet<Ask["record"]> = new Set(["v4_fees", "v4_hold", "v4_owned"]);
const RANGES: ReadonlySet<Ask["record"]> = new Set(["gas_hour", "supply_point", "balance_point"]);

/** An ask for a record, with all that such an ask has and nothing else. */
export function askFor(record: Ask["record"], which: Partial<Which> = {}): Ask {
  const { n, chainId, wallet, protocol, period, limit, offset, days } = { ...FIRST, ...which };
  const ask: Omit<Ask, "key"> = {
    record,
    chainId,
    id: idFor(record, n),
    ...(record === "balance" || record === "balance_point" ? { wallet: address(wallet) } : {}),
    ...(record === "native_balance" || OWNED.has(record) ? { wallet: address(n) } : {}),
    ...(record === "allowance" ? { owner: address(wallet), spender: address(9) } : {}),
    ...(record === "gas_now" ? { limit: 5 } : {}),
    ...(record === "call" ? { function: "decimals()(uint8)", args: "[]", decimals: 0 } : {}),
    ...(record === "v4_position" ? { protocol } : {}),
    ...(V4_ITSELF.has(record) ? { protocol: "dexa" } : {}),
    ...(PERIODS.has(record) ? { period } : {}),
    ...(PAGES.has(record) ? { limit, offset } : {}),
    ...(RANGES.has(record) ? { from: "2026-01-01", to: dayAfter(days - 1) } : {}),
  };
  return { key: Object.values(ask).join(":"), ...ask };
}

const NAMELESS: ReadonlySet<Ask["record"]> = new Set(["gas_hour", "native_balance", "gas_now"]);

function idFor(record: Ask["record"], n: number): string {
  if (NAMELESS.has(record) || OWNED.has(record)) return "";
  if (POSITIONS.has(record)) return String(n);
  return POOLS.has(record) ? poolId(n) : address(n);
}

function dayAfter(days: number): string {
  return new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, 10);
}

/** Any ask for any record; within the limits of days, but not of pages. */
export const anyAsk = fc
  .record({
    record: fc.constantFrom(...RECORDS),
    n: fc.integer({ min: 1, max: 60 }),
    chainId: fc.constantFrom(1, 137, 8453),
    wallet: fc.integer({ min: 1, max: 60 }),
    protocol: fc.constantFrom("dexa", "dexb"),
    period: fc.constantFrom<"d" | "h">("d", "h"),
    limit: fc.integer({ min: -5, max: 3_000 }),
    offset: fc.integer({ min: -5, max: 3_000 }),
    days: fc.integer({ min: 1, max: 90 }),
  })
  .map(({ record, ...which }) => askFor(record, which));

/** Many balances, so that batches of both families fill. */
export const balances = fc
  .record({
    chainId: fc.constantFrom(1, 8453),
    tokens: fc.integer({ min: 1, max: 45 }),
    wallets: fc.integer({ min: 1, max: 12 }),
    wide: fc.boolean(),
    holes: fc.integer({ min: 2, max: 9 }),
  })
  .map(({ chainId, tokens, wallets, wide, holes }) => {
    const asks: Ask[] = [];
    const [most, many] = wide ? [wallets, tokens * 5] : [tokens, wallets];
    for (let n = 1; n <= most; n++) {
      for (let wallet = 1; wallet <= many; wallet++) {
        if ((n * 7 + wallet * 3) % holes !== 0)
          asks.push(askFor("balance", { n, wallet, chainId }));
      }
    }
    return asks;
  });
