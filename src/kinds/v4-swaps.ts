import { absolute, Decimal, multiply, shift } from "../base/decimal.ts";
import type { EntryWords, RawRecord, Value } from "../model/index.ts";
import { fieldsOf, metric, metricsOf, valueIn } from "./fields.ts";
import type { Metric, WatchKind } from "./kind.ts";
import { lacksOf, type PoolSource, tokenPrice, V4_POOL_SOURCE } from "./streams/pool-facts.ts";
import { type PoolStream, poolStream } from "./streams/pool-stream.ts";
import { type TokenKey, tokenDecimals } from "./tokens.ts";

/**
 * The specification does not show what the signs of a swap's amounts mean. They are taken for what
 * the pool gained: the token whose amount is above zero came in, the other one went out.
 */
const DIRECTIONS = ["token0_in", "token1_in"] as const;

/** Marks metrics as those of the entries of a stream. */
export function ofEntries(metrics: ReadonlyMap<string, Metric>): ReadonlyMap<string, Metric> {
  return new Map([...metrics].map(([name, one]) => [name, { ...one, entry: true }]));
}

const SWAP_WORDS: EntryWords = {
  one: "swap in",
  several: () => "swaps",
  shown: ["amount0", "amount1", "amount_usd", "direction", "sender", "block_number"],
  /** `Swap of $1.2M`, `Swap 1.2M USDC for 480 ETH`, `Swap`. */
  lines: ({ inUsd, value, text }) => {
    const sides = [text("amount0_abs"), text("amount1_abs")];
    const [came, went] = value("direction") === DIRECTIONS[1] ? sides.toReversed() : sides;
    const both = came && went ? `${came} for ${went}` : null;
    const usd = text("amount_usd");
    return [
      ...(usd === null || !inUsd
        ? []
        : [{ before: `Swap of ${usd}`, more: both === null ? [] : [`, ${both}`] }]),
      ...(both === null ? [] : [{ before: `Swap ${both}` }]),
      { before: "Swap", plain: true },
    ];
  },
};

/** A watch kind over the swaps of a pool. */
export function swapStream(
  kind: string,
  record: "v4_swap" | "v3_swap",
  pool: PoolSource,
): PoolStream {
  const fields = fieldsOf(record);
  return {
    kind,
    aliases: kind === "v4_swaps" ? ["swap", "swaps", "trades"] : [],
    entry: SWAP_WORDS,
    list: { record, block: "block_number", time: "timestamp", name: "transaction_hash" },
    pool,
    transaction: "transaction_hash",
    metrics: ofEntries(
      metricsOf(
        record,
        {
          amount0: "change of token0",
          amount1: "change of token1",
          timestamp: "time",
        },
        [
          metric("amount0_abs", "raw(token0)", "amount of token0"),
          metric("amount1_abs", "raw(token1)", "amount of token1"),
          {
            ...metric("amount_usd", "usd", "swap", "usd", "amount", "size"),
            entryLabel: "value",
          },
          { ...metric("direction", "text", "direction"), values: DIRECTIONS },
        ],
      ),
    ),
    madeOf: { prices: ["amount_usd"], state: [] },
    lacks: (known) => lacksOf(known, []),
    values: (entries, known) =>
      entries.map((entry) => {
        const field = (name: string): Value | null => {
          return valueIn(fields, entry, name);
        };
        return (name) => {
          switch (name) {
            case "amount0_abs":
              return sized(field("amount0"));
            case "amount1_abs":
              return sized(field("amount1"));
            case "amount_usd":
              return worth(field("amount0"), field("amount1"), known);
            case "direction":
              return directionOf(field("amount0"), field("amount1"));
            default:
              return field(name);
          }
        };
      }),
  };
}

function sized(amount: Value | null): Decimal | null {
  return amount instanceof Decimal ? absolute(amount) : null;
}

/** Null where the signs do not say it: both amounts are on one side. */
function directionOf(amount0: Value | null, amount1: Value | null): string | null {
  if (!(amount0 instanceof Decimal && amount1 instanceof Decimal)) return null;
  if (amount0.digits > 0n && amount1.digits <= 0n) return DIRECTIONS[0];
  return amount1.digits > 0n && amount0.digits <= 0n ? DIRECTIONS[1] : null;
}

/** What came in at its price, or what went out where only that has one. Exact. */
function worth(
  amount0: Value | null,
  amount1: Value | null,
  pool: RawRecord | null,
): Decimal | null {
  const zero = directionOf(amount0, amount1) === DIRECTIONS[1] ? 1 : 0;
  const sides: readonly (readonly [TokenKey, Value | null])[] = [
    ["token0", amount0],
    ["token1", amount1],
  ];
  for (const [key, amount] of zero === 0 ? sides : sides.toReversed()) {
    const value = usdOf(amount, key, pool);
    if (value !== null) return value;
  }
  return null;
}

/** A raw amount of a pool's token in dollars, without its sign; null while price or decimals lack. */
export function usdOf(amount: Value | null, key: TokenKey, pool: RawRecord | null): Decimal | null {
  const price = tokenPrice(pool, key);
  const decimals = tokenDecimals(pool, key);
  if (!(amount instanceof Decimal) || price === null || decimals === null) return null;
  return multiply(shift(absolute(amount), -decimals), price);
}

/** The swaps of a V4 pool; each is notified once. */
export const v4Swaps: WatchKind = poolStream(swapStream("v4_swaps", "v4_swap", V4_POOL_SOURCE));
