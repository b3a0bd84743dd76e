import { NFT_ID, POOL_ID, PROTOCOLS } from "../api/endpoints.ts";
import type { Answer, Ask, RawRecord, Subject } from "../model/index.ts";
import { pastTicks } from "./bucket-time.ts";
import {
  answerTrouble,
  fieldsOf,
  fieldTroubles,
  markOf,
  metric,
  metricsOf,
  recordOf,
} from "./fields.ts";
import {
  type Answers,
  type Description,
  LAGS,
  type Mark,
  type Reading,
  type Row,
  type WatchKind,
} from "./kind.ts";
import { endedHours, hoursAsk } from "./pool-past.ts";
import { depositsOf, extraAsks, FEE_METRICS, PositionExtras, VS_HOLD } from "./position-extras.ts";
import {
  isClosed,
  nftOf,
  POSITION_LABELS,
  POSITION_METRICS,
  PositionReading,
  PositionRow,
  RANGE_METRICS,
  rangeDecimals,
  rangeFacts,
  rangeOf,
} from "./position-row.ts";
import { INVERT, inversion, sideOf, tokenDecimals } from "./tokens.ts";
import { isInverted, poolAsk, poolAtPoint } from "./v4-pool.ts";

const FIELDS = fieldsOf("v4_position");

/** A liquidity position by its NFT id and protocol, with the pool that it lies in. */
export const v4Position: WatchKind = {
  kind: "v4_position",
  aliases: ["position", "positions", "lp", "lp_position", "range", "nft"],
  words: { subjects: "positions", nameTellsChain: true },
  targets: {
    key: "positions",
    id: { pattern: NFT_ID, expected: "an NFT id, a decimal number of up to 78 digits" },
    protocols: PROTOCOLS,
    options: INVERT,
    owned: "v4_owned",
    deposits: true,
  },
  bucketMs: null,
  records: ["v4_position", "v4_pool"],
  ownTime: "timestamp",
  metrics: metricsOf(
    "v4_position",
    {
      ...POSITION_LABELS,
      timestamp: "last change",
    },
    [...POSITION_METRICS, metric("current_tick", "tick", "tick", "tick"), ...FEE_METRICS, VS_HOLD],
  ),

  subject: (target) => {
    const { chainId, id, protocol, name } = target;
    const nft = nftOf(id);
    const { suffix, ids: more } = inversion(target);
    const deposits = depositsOf(target);
    const ids = { nft, protocol: (protocol ?? "").toLowerCase(), ...more, ...deposits.ids };
    const key = `v4_position:${chainId}:${ids.protocol}:${nft}${suffix}${deposits.suffix}`;
    return { key, kind: "v4_position", chainId, ids, name };
  },

  asks: (subject) => [positionAsk(subject)],

  follow: (subject, answers) => {
    const position = recordOf(answers(positionAsk(subject)));
    const pool = position === null ? null : poolOf(position, subject);
    return pool === null ? [] : [pool];
  },

  extras: (subject, metrics) => extraAsks("v4", subject, metrics),

  history: ({ chainId }, metricName, from, now, known) => {
    if (metricName !== "current_tick") return null;
    const pool = known.find(({ record }) => record === "v4_pool");
    return pool === undefined ? "later" : pastTicks("v4_pool_point", chainId, pool.id, from, now);
  },

  replayed: {
    metrics: new Set(["current_tick", ...RANGE_METRICS.map(({ name }) => name)]),
    ask: ({ chainId }, known) => {
      const pool = known.find(({ record }) => record === "v4_pool");
      return pool === undefined ? null : hoursAsk("v4_pool_point", chainId, pool.id);
    },
    rows: (subject, points, now, today) => {
      // Its range never changes, and its liquidity is taken to have been there.
      const position = recordOf(today(positionAsk(subject)));
      return endedHours(points, now).map(([end, point]) => {
        const inverted = isInverted(subject);
        const row = new PositionRow({ position, pool: poolAtPoint(point), inverted });
        return [end, row] as const;
      });
    },
    ranges: (subject, points, now, today) => {
      const position = recordOf(today(positionAsk(subject)));
      const ask = position === null ? null : poolOf(position, subject);
      const known = ask === null ? null : recordOf(today(ask));
      if (position === null || known === null) return [];
      return endedHours(points, now).map(([end, point]) => {
        const pool = { ...known, ...poolAtPoint(point) };
        const range = rangeOf(position, pool);
        const facts = range && rangeFacts(range, pool, subject.chainId, isInverted(subject));
        return [end, facts] as const;
      });
    },
  },

  read: (subject, answers) => new V4PositionReading(subject, answers),
};

function positionAsk(subject: Subject): Ask {
  const { chainId, ids } = subject;
  const { nft: id = "", protocol = "" } = ids;
  // Mostly the same text, which is kept already.
  const isPlain = !isInverted(subject) && ids.deposited0 === undefined;
  const key = isPlain ? subject.key : `v4_position:${chainId}:${protocol}:${id}`;
  return { key, record: "v4_position", chainId, id, protocol };
}

/** The ask for the pool that a position names; null: its name is not a pool id. */
function poolOf(position: RawRecord, { chainId }: Subject): Ask | null {
  const id = position.pool_id;
  return typeof id === "string" && POOL_ID.test(id) ? poolAsk(chainId, id) : null;
}

const NOTHING: ReadonlySet<string> = new Set();

class V4PositionReading extends PositionReading {
  readonly rows: readonly Row[];
  override readonly closed: boolean;
  readonly #poolAsk: Ask | null;
  readonly #poolAnswer: Answer | undefined;
  protected readonly pool: RawRecord | null;
  readonly #extras: PositionExtras;

  constructor(
    subject: Subject,
    private readonly answers: Answers,
    private readonly dropped: ReadonlySet<string> = NOTHING,
  ) {
    super(subject, "v4_position", answers(positionAsk(subject)));
    this.#poolAsk = this.record === null ? null : poolOf(this.record, subject);
    this.#poolAnswer = this.#poolAsk === null ? undefined : answers(this.#poolAsk);
    this.pool = recordOf(this.#poolAnswer);
    this.#extras = new PositionExtras("v4", subject, answers);
    const isDropped = dropped.has(positionAsk(subject).key);
    const isPoolDropped = this.#poolAsk !== null && dropped.has(this.#poolAsk.key);
    const position = isDropped ? null : this.record;
    this.closed = position !== null && isClosed(position) === true;
    const row = new PositionRow({
      position,
      pool: isPoolDropped ? null : this.pool,
      inverted: isInverted(subject),
      dropped: isDropped ? "position" : isPoolDropped ? "pool" : null,
      extras: this.#extras,
    });
    this.rows = this.record === null || (isDropped && isPoolDropped) ? [] : [row];
  }

  override get unanswered(): Ask["record"] | null {
    return super.unanswered ?? (this.#poolAnswer?.status === "failed" ? "v4_pool" : null);
  }

  protected troublesOf(position: RawRecord): readonly string[] {
    if (this.dropped.has(positionAsk(this.subject).key)) return [LAGS];
    if (this.dropped.size > 0) return [`its pool: ${LAGS}`];
    const troubles = fieldTroubles(position, FIELDS);
    if (this.#poolAsk === null) troubles.unshift("its pool id is malformed");
    else if (this.pool === null) troubles.unshift(`its pool: ${answerTrouble(this.#poolAnswer)}`);
    else if (rangeOf(position, this.pool) === null) troubles.unshift("its range is malformed");
    return [...troubles, ...this.#extras.troubles(this.pool)];
  }

  override marks(): readonly Mark[] {
    const marks: Mark[] = [];
    if (this.record !== null) marks.push(markOf(positionAsk(this.subject).key, this.record));
    if (this.#poolAsk !== null && this.pool !== null) {
      marks.push(markOf(this.#poolAsk.key, this.pool));
    }
    return marks;
  }

  without(records: ReadonlySet<string>): Reading {
    return new V4PositionReading(this.subject, this.answers, records);
  }

  override decimals(name: string): number | null {
    const quantity = FIELDS[name]?.quantity ?? v4Position.metrics.get(name)?.quantity;
    const side = sideOf(quantity);
    return side === null ? null : tokenDecimals(this.pool, side);
  }

  protected get plainName(): string {
    return this.subject.ids.protocol ?? "";
  }

  override describe(): Description {
    const decimals = this.pool && rangeDecimals(this.pool);
    const said = super.describe();
    return decimals === null ? said : { ...said, rangeDecimals: decimals };
  }
}
