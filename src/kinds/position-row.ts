import { readField, readTick } from "../api/fields.ts";
import { type Decimal, decimalFromInteger, isZero } from "../base/decimal.ts";
import { percentOfTicks } from "../base/ticks.ts";
import type { Quantity, RawRecord, Value } from "../model/index.ts";
import { fieldsOf, metric } from "./fields.ts";
import type { Metric, Row } from "./kind.ts";
import { isInRange, rangePosition, sideOfRange, type TickRange, ticksToEdge } from "./range.ts";
import { poolField } from "./v4-pool.ts";

const FIELDS = fieldsOf("v4_position");

/** The names that rules use beside the fields' own. */
const ALIASES: Readonly<Record<string, string>> = {
  value_usd: "core_total_usd",
  token0_share: "ratio",
};

/** What takes the position and its pool together. */
export const RANGE_METRICS: readonly Metric[] = [
  rangeMetric("in_range", "boolean", "in range"),
  { ...rangeMetric("side", "text", "side"), values: ["below", "in", "above"] },
  rangeMetric("ticks_to_edge", "tick", "ticks to the edge"),
  rangeMetric("pct_to_edge", "percent", "distance to the edge"),
  rangeMetric("range_position", "ratio", "position in the range"),
];

function rangeMetric(name: string, quantity: Quantity, label: string): Metric {
  return { ...metric(name, quantity, label), range: true };
}

/** What a position and its pool tell in one round. */
export class PositionRow implements Row {
  readonly date = null;

  /** `dropped`: the record that is not to be read in this round, which is null then; null: neither. */
  constructor(
    private readonly position: RawRecord | null,
    private readonly pool: RawRecord | null,
    private readonly inverted: boolean,
    private readonly dropped: "position" | "pool" | null,
  ) {}

  value(name: string): Value | null {
    switch (name) {
      case "closed":
        return this.position === null ? null : isClosed(this.position);
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
        return this.position === null ? null : positionField(this.position, ALIASES[name] ?? name);
    }
  }

  isUnseen(name: string): boolean {
    if (this.dropped === null) return false;
    const { position, pool } = this;
    if (name === "current_tick") return pool === null;
    return position === null || RANGE_METRICS.some((one) => one.name === name);
  }

  #ofRange(compute: (range: TickRange) => Decimal | string | boolean): Value | null {
    const { position, pool } = this;
    const range = position === null || pool === null ? null : rangeOf(position, pool);
    return range === null ? null : compute(range);
  }
}

export function positionField(record: RawRecord, name: string): Value | null {
  const spec = FIELDS[name];
  return spec === undefined ? null : readField(record, name, spec);
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
