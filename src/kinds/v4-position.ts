import { NFT_ID, POOL_ID, PROTOCOLS } from "../api/endpoints.ts";
import { chainById, chainName } from "../base/chains.ts";
import type { Answer, Ask, RawRecord, Subject } from "../model/index.ts";
import {
  answerTrouble,
  failedOf,
  fieldsOf,
  fieldTroubles,
  joinTroubles,
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
import { pastTicks } from "./past.ts";
import {
  isClosed,
  PositionRow,
  positionField,
  RANGE_METRICS,
  rangeFacts,
  rangeOf,
} from "./position-row.ts";
import { INVERT, inversion, pairLabel, pairOf, sideOf, tokenDecimals, unitOf } from "./tokens.ts";
import { isInverted, poolAsk, poolField } from "./v4-pool.ts";

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
  },
  bucketMs: null,
  records: ["v4_position", "v4_pool"],
  ownTime: "timestamp",
  metrics: metricsOf(
    "v4_position",
    {
      amount0: "amount of token0",
      amount1: "amount of token1",
      amount0_d: "amount of token0",
      amount1_d: "amount of token1",
      core_total_usd: "value",
      ratio: "share in token0",
      owner_address: ["owner address", "owner"],
      timestamp: "last change",
    },
    [
      ...RANGE_METRICS,
      metric("closed", "boolean", "closed"),
      metric("value_usd", "usd", "value", "value", "usd"),
      metric("token0_share", "ratio", "share in token0"),
      metric("current_tick", "tick", "tick", "tick"),
    ],
  ),

  subject: (target) => {
    const { chainId, id, protocol, name } = target;
    // A service prints numbers without leading zeros, and its answers are found by this text.
    const nft = (id ?? "").replace(/^0+(?=\d)/, "");
    const { suffix, ids: more } = inversion(target);
    const ids = { nft, protocol: (protocol ?? "").toLowerCase(), ...more };
    const key = `v4_position:${chainId}:${ids.protocol}:${nft}${suffix}`;
    return { key, kind: "v4_position", chainId, ids, name };
  },

  asks: (subject) => [positionAsk(subject)],

  follow: (subject, answers) => {
    const position = recordOf(answers(positionAsk(subject)));
    const pool = position === null ? null : poolOf(position, subject);
    return pool === null ? [] : [pool];
  },

  history: ({ chainId }, metricName, from, now, known) => {
    if (metricName !== "current_tick") return null;
    const pool = known.find(({ record }) => record === "v4_pool");
    return pool === undefined ? "later" : pastTicks("v4_pool_point", chainId, pool.id, from, now);
  },

  read: (subject, answers) => new PositionReading(subject, answers),
};

function positionAsk(subject: Subject): Ask {
  const { chainId, ids } = subject;
  const { nft: id = "", protocol = "" } = ids;
  // Mostly the same text, which is kept already.
  const key = isInverted(subject) ? `v4_position:${chainId}:${protocol}:${id}` : subject.key;
  return { key, record: "v4_position", chainId, id, protocol };
}

/** The ask for the pool that a position names; null where that is no pool id. */
function poolOf(position: RawRecord, { chainId }: Subject): Ask | null {
  const id = position.pool_id;
  return typeof id === "string" && POOL_ID.test(id) ? poolAsk(chainId, id) : null;
}

const NOTHING: ReadonlySet<string> = new Set();

class PositionReading implements Reading {
  readonly rows: readonly Row[];
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed: boolean;
  readonly #answer: Answer | undefined;
  readonly #record: RawRecord | null;
  readonly #poolAnswer: Answer | undefined;
  readonly #pool: RawRecord | null;

  readonly #dropped: ReadonlySet<string>;

  constructor(
    private readonly subject: Subject,
    private readonly answers: Answers,
    dropped: ReadonlySet<string> = NOTHING,
  ) {
    this.#dropped = dropped;
    this.#answer = answers(positionAsk(subject));
    this.#record = recordOf(this.#answer);
    this.absent = this.#answer?.status === "absent";
    const pool = this.#record === null ? null : poolOf(this.#record, subject);
    this.#poolAnswer = pool === null ? undefined : answers(pool);
    this.#pool = recordOf(this.#poolAnswer);
    this.unanswered =
      failedOf("v4_position", this.#answer) ?? failedOf("v4_pool", this.#poolAnswer);
    const isDropped = dropped.has(positionAsk(subject).key);
    const isPoolDropped = pool !== null && dropped.has(pool.key);
    const position = isDropped ? null : this.#record;
    this.closed = position !== null && isClosed(position) === true;
    const row = new PositionRow(
      position,
      isPoolDropped ? null : this.#pool,
      isInverted(subject),
      isDropped ? "position" : isPoolDropped ? "pool" : null,
    );
    this.rows = this.#record === null || (isDropped && isPoolDropped) ? [] : [row];
  }

  get trouble(): string | null {
    const position = this.#record;
    if (position === null) return answerTrouble(this.#answer);
    if (this.#dropped.has(positionAsk(this.subject).key)) return LAGS;
    if (this.#dropped.size > 0) return `its pool: ${LAGS}`;
    const troubles = fieldTroubles(position, FIELDS);
    if (poolOf(position, this.subject) === null) troubles.unshift("its pool id is malformed");
    else if (this.#pool === null) troubles.unshift(`its pool: ${answerTrouble(this.#poolAnswer)}`);
    else if (rangeOf(position, this.#pool) === null) troubles.unshift("its range is malformed");
    return joinTroubles(troubles);
  }

  marks(): readonly Mark[] {
    const marks: Mark[] = [];
    if (this.#record !== null) marks.push(markOf(positionAsk(this.subject).key, this.#record));
    const pool = this.#record === null ? null : poolOf(this.#record, this.subject);
    if (pool !== null && this.#pool !== null) {
      marks.push(markOf(pool.key, this.#pool));
    }
    return marks;
  }

  without(records: ReadonlySet<string>): Reading {
    return new PositionReading(this.subject, this.answers, records);
  }

  decimals(name: string): number | null {
    const side = sideOf(FIELDS[name]?.quantity);
    return side === null ? null : tokenDecimals(this.#pool, side);
  }

  describe(): Description {
    const { chainId, ids } = this.subject;
    const pair = pairOf(this.#pool, chainId);
    const symbols = pair && this.#pool ? pairLabel(pair, poolField(this.#pool, "fee")) : "";
    const range = this.#record && this.#pool ? rangeOf(this.#record, this.#pool) : null;
    return {
      label: `${symbols || ids.protocol} #${shortNumber(ids.nft ?? "")}`,
      chain: chainName(chainId),
      link: this.#link(),
      range:
        range && this.#pool
          ? rangeFacts(range, this.#pool, chainId, isInverted(this.subject))
          : null,
      unit: (metricName) => unitOf(pair, metricName),
    };
  }

  #link(): string | null {
    const explorer = chainById(this.subject.chainId)?.explorer;
    const manager = this.#record === null ? null : positionField(this.#record, "manager_address");
    if (explorer === undefined || typeof manager !== "string") return null;
    return `${explorer}/nft/${manager}/${this.subject.ids.nft ?? ""}`;
  }
}

/** A number of up to 78 digits for people: `1234…5678` if it is long. */
function shortNumber(digits: string): string {
  return digits.length <= 12 ? digits : `${digits.slice(0, 4)}…${digits.slice(-4)}`;
}
