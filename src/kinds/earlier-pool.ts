import { type Decimal, isZero } from "../base/decimal.ts";
import type { Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { pastTicks } from "./bucket-time.ts";
import {
  BaseReading,
  fieldsOf,
  fieldTroubles,
  metric,
  metricsOf,
  numberIn,
  valueIn,
} from "./fields.ts";
import type { Answers, Row, TargetSpec, WatchKind } from "./kind.ts";
import { closingPrices, endedHours, hoursAsk, sumsOfDay } from "./pool-past.ts";
import {
  type Direction,
  directionOf,
  type EarlierPool,
  earlierPoolAsk,
  pairFacts,
  pairRecord,
  unansweredFacts,
} from "./pool-tokens.ts";
import { INVERT, inversion, pairOf, unitOf } from "./tokens.ts";
import { isInverted, poolLabel } from "./v4-pool.ts";

/** What the kinds that watch pools of the earlier family do not have in common. */
export interface EarlierPoolSpec {
  readonly kind: EarlierPool;
  readonly aliases?: readonly string[];
  readonly id: NonNullable<TargetSpec["id"]>;
  /** The pool's page below the explorer's address; null where explorers have none. */
  readonly page: ((pool: string) => string) | null;
}

/** A watch kind for pools as the earlier family tells of them. */
export function earlierPool({ kind, aliases = [], id: idSpec, page }: EarlierPoolSpec): WatchKind {
  const askOf = ({ chainId, ids }: Subject): Ask => earlierPoolAsk(kind, chainId, ids.pool ?? "");
  const pastRecord = kind === "v3_pool" ? "v3_pool_point" : "v4_pool_point";
  return {
    kind,
    aliases,
    words: { subjects: "pools" },
    targets: { key: "pools", id: idSpec, protocols: null, options: INVERT },
    bucketMs: null,
    records: [kind],
    metrics: metricsOf(
      kind,
      {
        fee_tier: "fee",
        swap_count: ["swaps", "count"],
        token0_price: "price of token0",
        token1_price: "price of token1",
        total_value_locked_usd: ["TVL", "tvl", "tvl_usd"],
        volume_24h: ["volume (24 h)", "volume"],
        fees_24h: ["fees (24 h)", "fees"],
      },
      [metric("price", "price", "price", "price_usd")],
    ),

    subject: (target) => {
      const pool = (target.id ?? "").toLowerCase();
      const { suffix, ids } = inversion(target);
      const { chainId, name } = target;
      const key = `${kind}:${chainId}:${pool}${suffix}`;
      return { key, kind, chainId, ids: { pool, ...ids }, name };
    },

    asks: (subject) => [askOf(subject)],

    history: ({ chainId, ids }, metricName, from, now) =>
      metricName === "tick" ? pastTicks(pastRecord, chainId, ids.pool ?? "", from, now) : null,

    replayed: {
      metrics: new Set([
        "tick",
        "sqrt_price_x96",
        "liquidity",
        "token0_price",
        "token1_price",
        "price",
        "volume_24h",
        "fees_24h",
      ]),
      ask: ({ chainId, ids }) => hoursAsk(pastRecord, chainId, ids.pool ?? ""),
      rows: (subject, points, now) => {
        const ended = endedHours(points, now);
        const volumes = sumsOfDay(ended, "volumeUSD");
        const fees = sumsOfDay(ended, "collectedFeesUSD");
        return ended.map(([end, point], i) => {
          const [token0_price, token1_price] = closingPrices(point) ?? [null, null];
          const { tick, sqrtPrice: sqrt_price_x96, liquidity } = point;
          const record = {
            tick,
            sqrt_price_x96,
            liquidity,
            token0_price,
            token1_price,
            volume_24h: volumes[i] ?? null,
            fees_24h: fees[i] ?? null,
          };
          return [end, new EarlierPoolRow(kind, record, isInverted(subject))] as const;
        });
      },
    },

    follow: (subject, answers) => unansweredFacts(askOf(subject), answers),

    facts: (subject, answers) => pairFacts(askOf(subject), answers),

    read: (subject, answers) => new EarlierPoolReading(kind, page, subject, answers),
  };
}

class EarlierPoolReading extends BaseReading {
  readonly rows: readonly Row[];
  readonly #row: EarlierPoolRow | null;

  constructor(
    private readonly kind: EarlierPool,
    private readonly pageOf: EarlierPoolSpec["page"],
    subject: Subject,
    private readonly answers: Answers,
  ) {
    super(subject, kind, answers(earlierPoolAsk(kind, subject.chainId, subject.ids.pool ?? "")));
    const { record } = this;
    this.#row = record === null ? null : new EarlierPoolRow(kind, record, isInverted(subject));
    this.rows = this.#row === null ? [] : [this.#row];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    const troubles = fieldTroubles(record, fieldsOf(this.kind));
    if (this.#row?.isUnpriced() === true) {
      troubles.unshift("total_value_locked_usd is 0 with liquidity");
    }
    if (this.#row?.direction === null && troubles.length === 0) {
      troubles.push("its prices do not fit its sqrt_price_x96");
    }
    return troubles;
  }

  get #pool(): RawRecord | null {
    return pairRecord(this.answer, this.subject.chainId, this.answers);
  }

  protected label(): string {
    return poolLabel(this.#pool, this.subject);
  }

  protected override page(): string | null {
    return this.pageOf?.(this.subject.ids.pool ?? "") ?? null;
  }

  protected override unit(metricName: string): string {
    return unitOf(pairOf(this.#pool, this.subject.chainId), this.#asInV4(metricName));
  }

  /** The metric of a V4 pool in the current family that has the same direction. */
  #asInV4(name: string): string {
    if (name === "price") return isInverted(this.subject) ? "price1" : "price0";
    if (name !== "token0_price" && name !== "token1_price") return name;
    const direct = this.#row?.direction ?? null;
    if (direct === null) return "";
    return (name === "token0_price") === (direct === "first") ? "price0" : "price1";
  }
}

class EarlierPoolRow implements Row {
  readonly date = null;
  #direction: Direction | null | undefined;

  constructor(
    private readonly kind: EarlierPool,
    readonly record: RawRecord,
    private readonly inverted: boolean,
  ) {}

  value(name: string): Value | null {
    if (name === "price") return this.#price();
    const value = this.#field(name);
    return name === "total_value_locked_usd" && this.isUnpriced() ? null : value;
  }

  /** Which of the record's two prices is token1 per token0; null: it does not tell. */
  get direction(): Direction | null {
    if (this.#direction === undefined) {
      const { sqrt_price_x96: sqrtPriceX96, tick } = this.record;
      const prices = [this.#number("token0_price"), this.#number("token1_price")] as const;
      this.#direction = directionOf(...prices, { sqrtPriceX96, tick });
    }
    return this.#direction;
  }

  /** A pool with liquidity at its price holds tokens: a TVL of 0 then is an unpriced pool, no fall. */
  isUnpriced(): boolean {
    const tvl = this.#number("total_value_locked_usd");
    const liquidity = this.#number("liquidity");
    return tvl !== null && isZero(tvl) && liquidity !== null && !isZero(liquidity);
  }

  #price(): Value | null {
    if (this.direction === null) return null;
    const wanted = (this.direction === "first") === this.inverted ? "token1_price" : "token0_price";
    const price = this.#number(wanted);
    // Rounded to nothing, it is not known.
    return price === null || isZero(price) ? null : price;
  }

  #number(name: string): Decimal | null {
    return numberIn(fieldsOf(this.kind), this.record, name);
  }

  #field(name: string): Value | null {
    return valueIn(fieldsOf(this.kind), this.record, name);
  }
}
