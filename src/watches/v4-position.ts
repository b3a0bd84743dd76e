import { chainById, chainName } from "../base/chains.ts";
import { type Decimal, decimalFromInteger, isZero } from "../base/decimal.ts";
import { percentOfTicks } from "../base/ticks.ts";
import { NFT_ID, POOL_ID, PROTOCOLS } from "../contract/endpoints.ts";
import { readField, readTick } from "../contract/fields.ts";
import type { Answer, Ask, Quantity, RawRecord, Subject, Value } from "../model.ts";
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
import { pastTicks } from "./past.ts";
import { isInRange, rangePosition, sideOfRange, type TickRange, ticksToEdge } from "./range.ts";
import { rangeFacts } from "./range-facts.ts";
import { INVERT, inversion, pairLabel, pairOf, sideOf, tokenDecimals, unitOf } from "./tokens.ts";
import { isInverted, poolAsk, poolField } from "./v4-pool.ts";
import type { Answers, Description, Mark, Metric, Reading, Row, WatchKind } from "./watch.ts";

const FIELDS = fieldsOf("v4_position");

/** The names that rules use beside the fields' own. */
const ALIASES: Readonly<Record<string, string>> = {
  value_usd: "core_total_usd",
  token0_share: "ratio",
};

/** A liquidity position by its NFT id and protocol, with the pool that it lies in. */
export const v4Position: WatchKind = {
  kind: "v4_position",
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
      timestamp: "last change",
    },
    [
      rangeMetric("in_range", "boolean", "in range"),
      { ...rangeMetric("side", "text", "side"), values: ["below", "in", "above"] },
      rangeMetric("ticks_to_edge", "tick", "ticks to the edge"),
      rangeMetric("pct_to_edge", "percent", "distance to the edge"),
      rangeMetric("range_position", "ratio", "position in the range"),
      metric("closed", "boolean", "closed"),
      metric("value_usd", "usd", "value"),
      metric("token0_share", "ratio", "share in token0"),
      metric("current_tick", "tick", "tick"),
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

function rangeMetric(name: string, quantity: Quantity, label: string): Metric {
  return { ...metric(name, quantity, label), range: true };
}

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

class PositionReading implements Reading {
  readonly rows: readonly Row[];
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed: boolean;
  readonly #answer: Answer | undefined;
  readonly #record: RawRecord | null;
  readonly #poolAnswer: Answer | undefined;
  readonly #pool: RawRecord | null;

  constructor(
    private readonly subject: Subject,
    answers: Answers,
  ) {
    this.#answer = answers(positionAsk(subject));
    this.#record = recordOf(this.#answer);
    this.absent = this.#answer?.status === "absent";
    const pool = this.#record === null ? null : poolOf(this.#record, subject);
    this.#poolAnswer = pool === null ? undefined : answers(pool);
    this.#pool = recordOf(this.#poolAnswer);
    this.unanswered =
      failedOf("v4_position", this.#answer) ?? failedOf("v4_pool", this.#poolAnswer);
    this.closed = this.#record !== null && isClosed(this.#record) === true;
    this.rows =
      this.#record === null ? [] : [new PositionRow(this.#record, this.#pool, isInverted(subject))];
  }

  get trouble(): string | null {
    const position = this.#record;
    if (position === null) return answerTrouble(this.#answer);
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

class PositionRow implements Row {
  readonly date = null;

  constructor(
    private readonly position: RawRecord,
    private readonly pool: RawRecord | null,
    private readonly inverted: boolean,
  ) {}

  value(name: string): Value | null {
    switch (name) {
      case "closed":
        return isClosed(this.position);
      case "current_tick":
        return this.pool === null ? null : poolField(this.pool, "current_tick");
      case "in_range":
        return this.#ofRange(isInRange);
      case "side":
        return this.#ofRange((range) => sideOfRange(range, this.inverted));
      case "ticks_to_edge":
        return this.#ofRange((range) => decimalFromInteger(ticksToEdge(range)));
      case "pct_to_edge":
        return this.#ofRange((range) => percentOfTicks(ticksToEdge(range)));
      case "range_position":
        return this.#ofRange((range) => rangePosition(range, this.inverted));
      default:
        return positionField(this.position, ALIASES[name] ?? name);
    }
  }

  #ofRange(compute: (range: TickRange) => Decimal | string | boolean): Value | null {
    const range = this.pool === null ? null : rangeOf(this.position, this.pool);
    return range === null ? null : compute(range);
  }
}

function positionField(record: RawRecord, name: string): Value | null {
  const spec = FIELDS[name];
  return spec === undefined ? null : readField(record, name, spec);
}

/** Whether the position has no liquidity; null where the record does not tell. */
function isClosed(position: RawRecord): boolean | null {
  const liquidity = positionField(position, "liquidity");
  return liquidity !== null && typeof liquidity === "object" ? isZero(liquidity) : null;
}

/** The range and where the pool's own `current_tick` lies; null unless all three can be true. */
function rangeOf(position: RawRecord, pool: RawRecord): TickRange | null {
  const lower = readTick(position.lower_tick);
  const upper = readTick(position.upper_tick);
  const tick = readTick(pool.current_tick);
  if (lower === null || upper === null || tick === null || lower >= upper) return null;
  return { lower, upper, tick };
}

/** A number of up to 78 digits for people: `1234…5678` if it is long. */
function shortNumber(digits: string): string {
  return digits.length <= 12 ? digits : `${digits.slice(0, 4)}…${digits.slice(-4)}`;
}
