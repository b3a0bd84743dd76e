import { NFT_ID } from "../api/endpoints.ts";
import type { Ask, RawRecord, Subject } from "../model/index.ts";
import { fieldsOf, fieldTroubles, markOf, metricsOf } from "./fields.ts";
import type { Answers, Mark, Row, WatchKind } from "./kind.ts";
import { depositsOf, extraAsks, PositionExtras, VS_HOLD } from "./position-extras.ts";
import {
  isClosed,
  nftOf,
  POSITION_LABELS,
  POSITION_METRICS,
  PositionReading,
  PositionRow,
  rangeOf,
} from "./position-row.ts";
import { INVERT, inversion, sideOf, tokenDecimals } from "./tokens.ts";
import { isInverted } from "./v4-pool.ts";

const FIELDS = fieldsOf("v3_position");

/** A liquidity position of version 3 by its NFT id, with the price of the pool that it lies in. */
export const v3Position: WatchKind = {
  kind: "v3_position",
  aliases: ["uniswap_v3_position", "v3_nft", "v3_lp"],
  words: { subjects: "positions", nameTellsChain: true },
  targets: {
    key: "positions",
    id: { pattern: NFT_ID, expected: "an NFT id, a decimal number of up to 78 digits" },
    protocols: null,
    options: INVERT,
    owned: "v3_owned",
    deposits: true,
  },
  bucketMs: null,
  records: ["v3_position"],
  ownTime: "timestamp",
  metrics: metricsOf(
    "v3_position",
    {
      ...POSITION_LABELS,
      fees0: "fees in token0",
      fees1: "fees in token1",
      fees_usd: ["fees", "fees", "unclaimed_fees", "uncollected_fees"],
      current_tick: ["tick", "tick"],
      price0: "price",
      price1: "inverse price",
      timestamp: "last change",
    },
    [...POSITION_METRICS, VS_HOLD],
  ),

  subject: (target) => {
    const { chainId, id, name } = target;
    const nft = nftOf(id);
    const { suffix, ids } = inversion(target);
    const deposits = depositsOf(target);
    const key = `v3_position:${chainId}:${nft}${suffix}${deposits.suffix}`;
    return { key, kind: "v3_position", chainId, ids: { nft, ...ids, ...deposits.ids }, name };
  },

  asks: (subject) => [positionAsk(subject)],

  follow: () => [],

  extras: (subject, metrics) => extraAsks("v3", subject, metrics),

  read: (subject, answers) => new V3PositionReading(subject, answers),
};

function positionAsk({ chainId, ids }: Subject): Ask {
  const { nft: id = "" } = ids;
  return { key: `v3_position:${chainId}:${id}`, record: "v3_position", chainId, id };
}

class V3PositionReading extends PositionReading {
  readonly rows: readonly Row[];
  override readonly closed: boolean;

  readonly #extras: PositionExtras;

  constructor(subject: Subject, answers: Answers) {
    super(subject, "v3_position", answers(positionAsk(subject)));
    const { record } = this;
    this.#extras = new PositionExtras("v3", subject, answers);
    this.closed = record !== null && isClosed(record) === true;
    const row = new PositionRow({
      position: record,
      pool: record,
      inverted: isInverted(subject),
      fields: FIELDS,
      extras: this.#extras,
    });
    this.rows = record === null ? [] : [row];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    const troubles = fieldTroubles(record, FIELDS);
    if (rangeOf(record, record) === null) troubles.unshift("its range is malformed");
    return [...troubles, ...this.#extras.troubles(record)];
  }

  /** It has what V4 tells of a position and of its pool in one. */
  protected get pool(): RawRecord | null {
    return this.record;
  }

  protected get plainName(): string {
    return "V3";
  }

  override marks(): readonly Mark[] {
    return this.record === null ? [] : [markOf(positionAsk(this.subject).key, this.record)];
  }

  override decimals(name: string): number | null {
    const side = sideOf(FIELDS[name]?.quantity);
    return side === null ? null : tokenDecimals(this.record, side);
  }
}
