import { readTick } from "../api/fields.ts";
import { Decimal, decimalFromInteger, divide, isZero } from "../base/decimal.ts";
import { formatPrice } from "../base/format.ts";
import { percentOfTicks, priceAtTick } from "../base/ticks.ts";
import type { RangeFacts, RawRecord, Value } from "../model/index.ts";
import { BaseReading, type Fields, fieldsOf, metric, valueIn } from "./fields.ts";
import type { Metric, Row } from "./kind.ts";
import type { PositionExtras } from "./position-extras.ts";
import { pairLabel, pairOf, shortNumber, tokenDecimals, unitOf } from "./tokens.ts";
import { isInverted, poolField } from "./v4-pool.ts";

const FIELDS = fieldsOf("v4_position");

/** The names that rules use beside the fields' own. */
const ALIASES: Readonly<Record<string, string>> = {
  value_usd: "core_total_usd",
  token0_share: "ratio",
};

/** What takes the position and its pool together. */
export const RANGE_METRICS: readonly Metric[] = [
  metric("in_range", "boolean", "in range", "out_of_range", "range", "status"),
  { ...metric("side", "text", "side"), values: ["below", "in", "above"] },
  metric("ticks_to_edge", "tick", "ticks to the edge"),
  metric("pct_to_edge", "percent", "distance to the edge", "distance", "distance_to_edge"),
  { ...metric("range_position", "ratio", "position in the range"), signed: true } as const,
].map((one) => ({ ...one, range: true }));

/** What the records of V3 and V4 say alike of a position. */
export const POSITION_LABELS = {
  amount0: "amount of token0",
  amount1: "amount of token1",
  amount0_d: "amount of token0",
  amount1_d: "amount of token1",
  core_total_usd: "value",
  ratio: "share in token0",
  owner_address: ["owner address", "owner"],
} as const;

/** What follows from either record. */
export const POSITION_METRICS: readonly Metric[] = [
  ...RANGE_METRICS,
  metric("closed", "boolean", "closed"),
  metric("value_usd", "usd", "value", "value", "usd"),
  metric("token0_share", "ratio", "share in token0"),
];

/** An NFT's id as a service prints it, without leading zeros: its answers are found by this text. */
export function nftOf(id: string | null): string {
  return (id ?? "").replace(/^0+(?=\d)/, "");
}

/** What a row is read from. */
export interface PositionParts {
  readonly position: RawRecord | null;
  readonly pool: RawRecord | null;
  /** Prices are token0 per token1. */
  readonly inverted: boolean;
  /** The record that is not to be read in this round, which is null then; absent: neither. */
  readonly dropped?: "position" | "pool" | null;
  /** Those of the position's record; absent: V4's. */
  readonly fields?: Fields;
  /** What nodes tell beside it; absent: nothing. */
  readonly extras?: PositionExtras;
}

/** What a position and its pool tell in one round. */
export class PositionRow implements Row {
  readonly date = null;

  constructor(private readonly parts: PositionParts) {}

  value(name: string): Value | null {
    const { position, pool, inverted, fields = FIELDS, extras } = this.parts;
    switch (name) {
      case "closed":
        return position === null ? null : isClosed(position);
      case "current_tick":
        return pool === null ? null : poolField(pool, "current_tick");
      case "in_range":
        return this.#ofRange(isInRange);
      case "side":
        return this.#ofRange((range) => sideOfRange(range, inverted));
      case "ticks_to_edge":
        return this.#ofRange((range) => decimalFromInteger(ticksToEdge(range)));
      case "pct_to_edge":
        return this.#ofRange((range) => percentOfTicks(ticksToEdge(range)));
      case "range_position":
        return this.#ofRange((range) => rangePosition(range, inverted));
      default:
        return (
          valueIn(fields, position, ALIASES[name] ?? name) ?? extras?.value(name, pool) ?? null
        );
    }
  }

  isUnseen(name: string): boolean {
    const { position, pool, dropped = null } = this.parts;
    if (dropped === null) return false;
    if (name === "current_tick") return pool === null;
    return position === null || RANGE_METRICS.some((one) => one.name === name);
  }

  #ofRange(compute: (range: TickRange) => Decimal | string | boolean): Value | null {
    const { position, pool } = this.parts;
    const range = position === null || pool === null ? null : rangeOf(position, pool);
    return range === null ? null : compute(range);
  }
}

function positionField(record: RawRecord, name: string): Value | null {
  return valueIn(FIELDS, record, name);
}

/** Whether the position has no liquidity; null where the record does not tell. */
export function isClosed(position: RawRecord): boolean | null {
  const liquidity = positionField(position, "liquidity");
  return liquidity !== null && typeof liquidity === "object" ? isZero(liquidity) : null;
}

/** The range and where the pool's own `current_tick` lies; null unless all three can be true. */
export function rangeOf(position: RawRecord, pool: RawRecord): TickRange | null {
  const lower = readTick(position.lower_tick);
  const upper = readTick(position.upper_tick);
  const tick = readTick(pool.current_tick);
  if (lower === null || upper === null || tick === null || lower >= upper) return null;
  return { lower, upper, tick };
}

/**
 * A range in prices, token1 per token0 in whole tokens (`inverted`: the other way round), as people
 * read them. Null while the
 * tokens' decimals are unknown: a price without them would be wrong by powers of ten.
 */
export function rangeFacts(
  range: TickRange,
  pool: RawRecord,
  chainId: number,
  inverted: boolean,
): RangeFacts | null {
  const decimals = rangeDecimals(pool);
  if (decimals === null) return null;
  const at = (tick: number): string => priceInWords(tick, decimals, inverted);
  const price = poolField(pool, inverted ? "price1" : "price0");
  return {
    lower: at(inverted ? range.upper : range.lower),
    upper: at(inverted ? range.lower : range.upper),
    price: price instanceof Decimal ? formatPrice(price) : at(range.tick),
    unit: unitOf(pairOf(pool, chainId), inverted ? "price1" : "price"),
    lowerTick: range.lower,
    upperTick: range.upper,
    tick: range.tick,
    inverted,
  };
}

/** Of the tokens of a pool; null while one of them is unknown. */
export function rangeDecimals(pool: RawRecord): readonly [number, number] | null {
  const [one, other] = [tokenDecimals(pool, "token0"), tokenDecimals(pool, "token1")];
  return one === null || other === null ? null : [one, other];
}

/** The same range at another tick of the pool; the price follows from the tick. */
export function rangeAt(
  range: RangeFacts,
  decimals: readonly [number, number],
  tick: number,
): RangeFacts {
  return { ...range, tick, price: priceInWords(tick, decimals, range.inverted) };
}

function priceInWords(
  tick: number,
  [decimals0, decimals1]: readonly [number, number],
  inverted: boolean,
): string {
  return formatPrice(
    inverted ? priceAtTick(-tick, decimals1, decimals0) : priceAtTick(tick, decimals0, decimals1),
  );
}

/** A position's range [lower, upper) and the tick of its pool; lower < upper. */
export interface TickRange {
  readonly lower: number;
  readonly upper: number;
  readonly tick: number;
}

/**
 * Digits after the point of `range_position`. Ranges span at most 1,774,544 ticks, so that a
 * fraction of one differs from every limit of up to eleven digits by more than the rounding.
 */
const POSITION_SCALE = 18;

export function isInRange({ lower, upper, tick }: TickRange): boolean {
  return lower <= tick && tick < upper;
}

/** On which side of the range the price is; `inverted`: the price that falls when the tick rises. */
export function sideOfRange(range: TickRange, inverted: boolean): "below" | "in" | "above" {
  if (isInRange(range)) return "in";
  return range.tick < range.lower !== inverted ? "below" : "above";
}

/**
 * How many ticks the price must move to cross the nearest edge: positive inside (the move that
 * leads out), negative outside (the move that leads in), never 0.
 */
export function ticksToEdge({ lower, upper, tick }: TickRange): number {
  if (tick < lower) return tick - lower;
  if (tick >= upper) return upper - 1 - tick;
  return Math.min(tick - lower + 1, upper - tick);
}

/** Where the price is, from 0 at the lower to 1 at the upper edge, below 0 or above 1 outside. */
export function rangePosition({ lower, upper, tick }: TickRange, inverted: boolean): Decimal {
  const done = decimalFromInteger(inverted ? upper - tick : tick - lower);
  return divide(done, decimalFromInteger(upper - lower), POSITION_SCALE);
}

/** What a position of either version is to people: its pool says more of it than its own record. */
export abstract class PositionReading extends BaseReading {
  /** The record of its pool; null: none was read. */
  protected abstract get pool(): RawRecord | null;
  /** What it is called by where its pool's tokens are not known. */
  protected abstract get plainName(): string;

  protected label(): string {
    const { pool, subject } = this;
    const pair = pairOf(pool, subject.chainId);
    const symbols = pair && pool ? pairLabel(pair, poolField(pool, "fee")) : "";
    return `${symbols || this.plainName} #${shortNumber(subject.ids.nft ?? "")}`;
  }

  protected override page(): string | null {
    const manager = this.record === null ? null : positionField(this.record, "manager_address");
    return typeof manager === "string" ? `/nft/${manager}/${this.subject.ids.nft ?? ""}` : null;
  }

  protected override range(): RangeFacts | null {
    const { record, pool, subject } = this;
    const range = record && pool ? rangeOf(record, pool) : null;
    return range && pool ? rangeFacts(range, pool, subject.chainId, isInverted(subject)) : null;
  }

  protected override unit(metricName: string): string {
    return unitOf(pairOf(this.pool, this.subject.chainId), metricName);
  }
}
