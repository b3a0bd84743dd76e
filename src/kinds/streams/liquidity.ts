import { readTick } from "../../api/fields.ts";
import { add, Decimal, decimalFromInteger, divide, isZero, subtract } from "../../base/decimal.ts";
import { amountsForLiquidity } from "../../base/ticks.ts";
import type { RawRecord, Value } from "../../model/index.ts";
import { fieldsOf, metric, metricsOf, valueIn } from "../fields.ts";
import { poolField } from "../v4-pool.ts";
import { ofEntries, usdOf } from "../v4-swaps.ts";
import { lacksOf, V4_POOL_SOURCE } from "./pool-facts.ts";
import type { PoolStream } from "./pool-stream.ts";

const FIELDS = fieldsOf("v4_liquidity");
/** Digits of a share after the point. */
const SHARE_SCALE = 18;
const ZERO = Decimal.ZERO;

/** What was added to and removed from a V4 pool, one change of one position an entry. */
export const LIQUIDITY_STREAM: PoolStream = {
  kind: "v4_liquidity",
  aliases: ["liquidity"],
  entry: {
    one: "change of liquidity in",
    several: () => "liquidity changes",
    shown: [
      "liquidity_delta",
      "removed_share",
      "removed_usd",
      "tick_lower",
      "tick_upper",
      "sender",
      "tx_at_block_number",
    ],
    /** `Liquidity removed`, with the share and the value that was removed. */
    lines: ({ value, text }) => {
      const delta = value("liquidity_delta");
      if (!(delta instanceof Decimal)) return [];
      const did = isZero(delta) ? "touched" : delta.digits < 0n ? "removed" : "added";
      const removed = (name: string, words: string): string => {
        const amount = value(name);
        return amount instanceof Decimal && !isZero(amount) ? `, ${text(name)}${words}` : "";
      };
      const after = removed("removed_share", " of the active") + removed("removed_usd", "");
      return [
        { before: `Liquidity ${did}`, after },
        { before: `Liquidity ${did}`, plain: true },
      ];
    },
  },
  list: {
    record: "v4_liquidity",
    block: "tx_at_block_number",
    time: "tx_at_timestamp",
    name: "id",
    unique: true,
  },
  pool: V4_POOL_SOURCE,
  transaction: "hash",
  metrics: ofEntries(
    metricsOf(
      "v4_liquidity",
      {
        liquidity_delta: ["change of liquidity", "liquidity"],
        hash: "transaction",
        tx_at_timestamp: "time",
      },
      [
        {
          ...metric("removed_share", "ratio", "share of active liquidity removed"),
          entryLabel: "removed share of the active liquidity",
        },
        { ...metric("removed_usd", "usd", "liquidity removed"), entryLabel: "removed value" },
      ],
    ),
  ),
  sequence: true,
  madeOf: { prices: ["removed_usd"], state: ["removed_share", "removed_usd"] },
  after: poolAfter,
  lacks: (pool) => lacksOf(pool, ["liquidity", "current_tick", "sqrt_price_x96"]),
  values: (entries, pool) => {
    const changes = entries.map((entry) => readChange(entry));
    const shares = removedShares(changes, pool);
    return entries.map((entry, i) => {
      const change = changes[i] ?? null;
      return (name) => {
        if (name === "removed_share") return shares[i] ?? null;
        if (name === "removed_usd") return change === null ? null : removedUsd(change, pool);
        return fieldOf(entry, name);
      };
    });
  },
};

interface LiquidityChange {
  readonly delta: Decimal;
  readonly lower: number;
  readonly upper: number;
  readonly block: Value | null;
}

function readChange(entry: RawRecord): LiquidityChange | null {
  const delta = fieldOf(entry, "liquidity_delta");
  const lower = readTick(entry.tick_lower);
  const upper = readTick(entry.tick_upper);
  if (!(delta instanceof Decimal) || lower === null || upper === null || lower >= upper)
    return null;
  // Liquidity is counted in whole units.
  if (delta.toString().includes(".")) return null;
  return { delta, lower, upper, block: fieldOf(entry, "tx_at_block_number") };
}

function fieldOf(entry: RawRecord, name: string): Value | null {
  return valueIn(FIELDS, entry, name);
}

/**
 * For each change, oldest first, the share of the liquidity active before it that it removed: 0 where
 * it added some or its range did not hold the price. What was active before is reckoned back from the
 * pool's liquidity now, by the changes that the pool's record knows of already.
 */
function removedShares(
  changes: readonly (LiquidityChange | null)[],
  pool: RawRecord | null,
): readonly (Decimal | null)[] {
  const liquidity = pool === null ? null : poolField(pool, "liquidity");
  const tick = readTick(pool?.current_tick);
  const block = pool === null ? null : poolField(pool, "block_number");
  let after = liquidity instanceof Decimal ? liquidity : null;
  const shares: (Decimal | null)[] = [];
  for (const change of changes.toReversed()) {
    if (change === null) {
      // What came before it cannot be reckoned back past it.
      shares.push(null);
      after = null;
      continue;
    }
    const { delta, lower, upper } = change;
    if (tick === null) {
      shares.push(delta.digits < 0n ? null : ZERO);
      continue;
    }
    const active = lower <= tick && tick < upper;
    if (!active || delta.digits >= 0n) shares.push(ZERO);
    else shares.push(after === null ? null : shareOf(delta, before(after, change, block)));
    if (active && after !== null) after = before(after, change, block);
  }
  return shares.toReversed();
}

/** The pool's active liquidity after later changes, at the price of its record. */
function poolAfter(pool: RawRecord, entries: readonly RawRecord[]): RawRecord {
  const tick = readTick(pool.current_tick);
  let liquidity = poolField(pool, "liquidity");
  for (const entry of entries) {
    const change = readChange(entry);
    if (change === null || tick === null || !(liquidity instanceof Decimal)) {
      return { ...pool, liquidity: null };
    }
    const { delta, lower, upper } = change;
    if (lower <= tick && tick < upper) liquidity = add(liquidity, delta);
  }
  return { ...pool, liquidity: liquidity?.toString() ?? null };
}

/** The active liquidity before a change, if that of the pool's record is the one after it. */
function before(after: Decimal, { delta, block }: LiquidityChange, known: Value | null): Decimal {
  const ahead =
    block instanceof Decimal && known instanceof Decimal && subtract(block, known).digits > 0n;
  return ahead ? after : subtract(after, delta);
}

function shareOf(delta: Decimal, whole: Decimal): Decimal | null {
  if (whole.digits <= 0n) return null;
  const share = divide(subtract(ZERO, delta), whole, SHARE_SCALE);
  // A record that is older than the change may know of less than was removed.
  return subtract(share, decimalFromInteger(1)).digits > 0n ? null : share;
}

/** What the removed liquidity was worth at the pool's price now; 0 where none was removed. */
function removedUsd(
  { delta, lower, upper }: LiquidityChange,
  pool: RawRecord | null,
): Decimal | null {
  if (delta.digits >= 0n) return ZERO;
  const price = pool === null ? null : poolField(pool, "sqrt_price_x96");
  if (!(price instanceof Decimal) || price.scale !== 0 || price.digits <= 0n) return null;
  const removed = BigInt(subtract(ZERO, delta).toString());
  const { amount0, amount1 } = amountsForLiquidity(price.digits, lower, upper, removed);
  const [usd0, usd1] = [
    amount0 === 0n ? ZERO : usdOf(decimalFromInteger(amount0), "token0", pool),
    amount1 === 0n ? ZERO : usdOf(decimalFromInteger(amount1), "token1", pool),
  ];
  return usd0 === null || usd1 === null ? null : add(usd0, usd1);
}
