import { readField } from "../api/fields.ts";
import { chainById, chainName } from "../base/chains.ts";
import { Decimal, isZero } from "../base/decimal.ts";
import { shortId } from "../base/text.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import {
  answerTrouble,
  failedOf,
  fieldsOf,
  fieldTroubles,
  joinTroubles,
  metric,
  metricsOf,
  recordOf,
} from "./fields.ts";
import type { Answers, Description, Reading, Row, TargetSpec, WatchKind } from "./kind.ts";
import { pastTicks } from "./past.ts";
import {
  type Direction,
  directionOf,
  type EarlierPool,
  earlierPoolAsk,
  pairFacts,
  pairRecord,
  unansweredFacts,
} from "./pool-tokens.ts";
import { INVERT, inversion, pairLabel, pairOf, unitOf } from "./tokens.ts";
import { isInverted, poolField } from "./v4-pool.ts";

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
        total_value_locked_usd: ["TVL", "tvl"],
        volume_24h: ["volume (24 h)", "volume"],
        fees_24h: ["fees (24 h)", "fees"],
      },
      [metric("price", "price", "price", "price_usd")],
    ),

    subject: (target) => {
      const pool = (target.id ?? "").toLowerCase();
      const { suffix, ids } = inversion(target);
      const { chainId, name } = target;
      return {
        key: `${kind}:${chainId}:${pool}${suffix}`,
        kind,
        chainId,
        ids: { pool, ...ids },
        name,
      };
    },

    asks: (subject) => [askOf(subject)],

    history: ({ chainId, ids }, metricName, from, now) => {
      const record = kind === "v3_pool" ? "v3_pool_point" : "v4_pool_point";
      return metricName === "tick" ? pastTicks(record, chainId, ids.pool ?? "", from, now) : null;
    },

    follow: (subject, answers) => unansweredFacts(askOf(subject), answers),

    facts: (subject, answers) => pairFacts(askOf(subject), answers),

    read: (subject, answers) =>
      new EarlierPoolReading(kind, page, subject, answers(askOf(subject)), answers),
  };
}

class EarlierPoolReading implements Reading {
  readonly rows: readonly Row[];
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed = false;
  readonly #row: EarlierPoolRow | null;

  constructor(
    private readonly kind: EarlierPool,
    private readonly page: EarlierPoolSpec["page"],
    private readonly subject: Subject,
    private readonly answer: Answer | undefined,
    private readonly answers: Answers,
  ) {
    const record = recordOf(answer);
    this.absent = answer?.status === "absent";
    this.unanswered = failedOf(kind, answer);
    this.#row = record === null ? null : new EarlierPoolRow(kind, record, isInverted(subject));
    this.rows = this.#row === null ? [] : [this.#row];
  }

  get trouble(): string | null {
    if (this.#row === null) return answerTrouble(this.answer);
    const { record, direction } = this.#row;
    const troubles = fieldTroubles(record, fieldsOf(this.kind));
    if (this.#row.isUnpriced()) troubles.unshift("total_value_locked_usd is 0 with liquidity");
    if (direction === null && troubles.length === 0) {
      troubles.push("its prices do not fit its sqrt_price_x96");
    }
    return joinTroubles(troubles);
  }

  /** These records do not tell when they were made. */
  marks(): [] {
    return [];
  }

  /** No field counts raw units. */
  decimals(): null {
    return null;
  }

  describe(): Description {
    const { chainId, ids } = this.subject;
    const id = ids.pool ?? "";
    const pool = pairRecord(this.answer, chainId, this.answers);
    const pair = pairOf(pool, chainId);
    const symbols = pair && pool ? pairLabel(pair, poolField(pool, "fee")) : "";
    const explorer = chainById(chainId)?.explorer;
    return {
      label: symbols || shortId(id),
      chain: chainName(chainId),
      link: explorer === undefined || this.page === null ? null : explorer + this.page(id),
      range: null,
      unit: (metricName) => unitOf(pair, this.#asInV4(metricName)),
    };
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
    const value = this.#field(name);
    return value instanceof Decimal ? value : null;
  }

  #field(name: string): Value | null {
    const spec = fieldsOf(this.kind)[name];
    return spec === undefined ? null : readField(this.record, name, spec);
  }
}
