import { POOL_ID } from "../api/endpoints.ts";
import { Decimal, isZero } from "../base/decimal.ts";
import { shortId } from "../base/text.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { pastTicks } from "./bucket-time.ts";
import {
  BaseReading,
  fieldsOf,
  fieldTroubles,
  markOf,
  metric,
  metricsOf,
  valueIn,
} from "./fields.ts";
import type { Mark, Row, WatchKind } from "./kind.ts";
import { closingPrices, endedHours, hoursAsk } from "./pool-past.ts";
import { INVERT, inversion, pairLabel, pairOf, sideOf, tokenDecimals, unitOf } from "./tokens.ts";

const FIELDS = fieldsOf("v4_pool");

/** The ask for a pool; a position asks for the pool that it lies in. */
export function poolAsk(chainId: number, pool: string): Ask {
  const id = pool.toLowerCase();
  return { key: `v4_pool:${chainId}:${id}`, record: "v4_pool", chainId, id };
}

/** A pool of the concentrated-liquidity protocol, version 4, by its 32-byte id. */
export const v4Pool: WatchKind = {
  kind: "v4_pool",
  aliases: ["pool", "pools", "liquidity_pool", "tvl"],
  words: { subjects: "pools", nameTellsChain: true },
  targets: {
    key: "pools",
    id: { pattern: POOL_ID, expected: "a pool id, 0x and 64 hex digits" },
    protocols: null,
    options: INVERT,
  },
  bucketMs: null,
  records: ["v4_pool"],
  ownTime: "timestamp",
  metrics: metricsOf(
    "v4_pool",
    {
      current_tick: ["tick", "tick"],
      price0: "price",
      price1: "inverse price",
      amount0: "reserve of token0",
      amount1: "reserve of token1",
      amount0_d: "reserve of token0",
      amount1_d: "reserve of token1",
      volume_usd: ["lifetime volume", "volume"],
      collected_fees_usd: ["lifetime fees", "fees"],
      tvl_usd: ["TVL", "tvl", "usd", "total_value_locked_usd"],
      swap_count: ["swaps", "count"],
      active_position_count: "active positions",
      timestamp: "last change",
    },
    [metric("price", "price", "price", "price_usd")],
  ),

  subject: (target) => {
    const { chainId, id, name } = target;
    const pool = (id ?? "").toLowerCase();
    const { suffix, ids } = inversion(target);
    const key = `v4_pool:${chainId}:${pool}${suffix}`;
    return { key, kind: "v4_pool", chainId, ids: { pool, ...ids }, name };
  },

  asks: (subject) => [ownAsk(subject)],

  follow: () => [],

  history: ({ chainId, ids }, metricName, from, now) =>
    metricName === "current_tick"
      ? pastTicks("v4_pool_point", chainId, ids.pool ?? "", from, now)
      : null,

  replayed: {
    metrics: new Set(["current_tick", "sqrt_price_x96", "liquidity", "price0", "price1", "price"]),
    ask: ({ chainId, ids }) => hoursAsk("v4_pool_point", chainId, ids.pool ?? ""),
    rows: (subject, points, now) =>
      endedHours(points, now).map(([end, point]) => {
        return [end, new PoolRow(poolAtPoint(point), isInverted(subject))] as const;
      }),
  },

  read: (subject, answers) => new PoolReading(subject, answers(ownAsk(subject))),
};

/** A pool at the end of an hour of its history, as far as that tells. */
export function poolAtPoint(point: RawRecord): RawRecord {
  const [price0, price1] = closingPrices(point) ?? [null, null];
  const { tick: current_tick, sqrtPrice: sqrt_price_x96, liquidity } = point;
  return { current_tick, sqrt_price_x96, liquidity, price0, price1 };
}

/** The same ask as `poolAsk` makes, by the key that most subjects have already. */
function ownAsk({ key, chainId, ids }: Subject): Ask {
  const { pool: id = "", inverted } = ids;
  return inverted === undefined ? { key, record: "v4_pool", chainId, id } : poolAsk(chainId, id);
}

class PoolReading extends BaseReading {
  readonly rows: readonly Row[];

  constructor(subject: Subject, answer: Answer | undefined) {
    super(subject, "v4_pool", answer);
    this.rows = this.record === null ? [] : [new PoolRow(this.record, isInverted(subject))];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    const troubles = fieldTroubles(record, FIELDS);
    const unpriced = isUnpriced(poolField(record, "tvl_usd"), record);
    return unpriced ? ["tvl_usd is 0 with reserves", ...troubles] : troubles;
  }

  override marks(): readonly Mark[] {
    return this.record === null ? [] : [markOf(ownAsk(this.subject).key, this.record)];
  }

  override decimals(name: string): number | null {
    const side = sideOf(FIELDS[name]?.quantity);
    return side === null ? null : tokenDecimals(this.record, side);
  }

  // Such a pool is an entry in one big contract: explorers have no page for it.
  protected label(): string {
    return poolLabel(this.record, this.subject);
  }

  protected override unit(metricName: string): string {
    const isTurned = metricName === "price" && isInverted(this.subject);
    return unitOf(pairOf(this.record, this.subject.chainId), isTurned ? "price1" : metricName);
  }
}

/** `ETH/USDC 0.05%`, or the pool's shortened id where its tokens cannot be named. */
export function poolLabel(pool: RawRecord | null, { chainId, ids }: Subject): string {
  const pair = pairOf(pool, chainId);
  const symbols = pair && pool ? pairLabel(pair, poolField(pool, "fee")) : "";
  return symbols || shortId(ids.pool ?? "");
}

class PoolRow implements Row {
  readonly date = null;

  constructor(
    private readonly record: RawRecord,
    private readonly inverted: boolean,
  ) {}

  value(name: string): Value | null {
    if (name === "price") return poolField(this.record, this.inverted ? "price1" : "price0");
    const value = poolField(this.record, name);
    return name === "tvl_usd" && isUnpriced(value, this.record) ? null : value;
  }
}

/** Whether a subject's prices are token0 per token1. */
export function isInverted({ ids }: Subject): boolean {
  return ids.inverted === "true";
}

/** A field of a pool record by the contract's reading of it; null for no data. */
export function poolField(record: RawRecord, name: string): Value | null {
  return valueIn(FIELDS, record, name);
}

/** A pool that holds tokens is worth something: a TVL of 0 then is an unpriced pool, no fall. */
function isUnpriced(tvl: Value | null, record: RawRecord): boolean {
  if (!(tvl instanceof Decimal) || !isZero(tvl)) return false;
  return ["amount0", "amount1"].some((name) => {
    const amount = poolField(record, name);
    return amount instanceof Decimal && !isZero(amount);
  });
}
