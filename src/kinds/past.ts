import { DAY, HOUR } from "../base/duration.ts";
import type { Answer, Ask, RawRecord, Value } from "../model/index.ts";
import { PERIODS, type Period, pointsUntil, utcDay } from "./bucket-time.ts";
import { fieldsOf, valueIn } from "./fields.ts";
import type { History } from "./kind.ts";

/** A value stays in force for three spacings: so many points before a window may count in it. */
const SPARE_POINTS = 3;
/** A request for days may be for so many, both ends included. */
const MOST_DAYS = 365;
/** A page has so many points; what hours do not cover with one is asked for by days. */
const MOST_POINTS = 1_000;

/** What the histories have in common that make the past of a state record. */
interface PastSpec {
  readonly ask: Ask;
  readonly period: Period;
  readonly now: number;
  /** The value of a point; null where it has none. */
  readonly value: (point: RawRecord, metric: string) => Value | null;
}

/** Points by the end of their time, since that is when a point's value was the state. */
function pastOf({ ask, period, now, value }: PastSpec): History {
  const spacingMs = PERIODS[period];
  return {
    ask,
    spacingMs,
    points: (answer: Answer, metric) => {
      if (answer.status !== "ok") return [];
      return pointsUntil(answer.records, period, now)
        .map(([start, point]) => [start + spacingMs, value(point, metric)] as const)
        .filter(([end]) => end <= now);
    },
  };
}

/** The days of a supply or a balance, from `from` to `now`, 365 of them at most. */
export function pastByDays(
  ask: Pick<Ask, "chainId" | "id" | "wallet" | "like"> & {
    readonly record: "supply_point" | "balance_point";
  },
  field: string,
  from: number,
  now: number,
): History {
  const first = Math.max(from - SPARE_POINTS * DAY, now - (MOST_DAYS - 1) * DAY);
  const days = { from: utcDay(first), to: utcDay(now) };
  const { record, chainId, id, wallet } = ask;
  const key = [record, chainId, id, ...(wallet === undefined ? [] : [wallet]), days.from, days.to];
  return pastOf({
    ask: { key: key.join(":"), ...ask, ...days },
    period: "d",
    now,
    value: (point) => valueIn(fieldsOf(record), point, field),
  });
}

/** The hours of a price or a pool from `from` to `now`, or its days where those are too many. */
export function pastByHours(
  { record, chainId, id }: Pick<Ask, "record" | "chainId" | "id">,
  value: PastSpec["value"],
  from: number,
  now: number,
): History {
  const period = (now - from) / HOUR + SPARE_POINTS + 1 <= MOST_POINTS ? "h" : "d";
  const points = Math.ceil((now - from) / PERIODS[period]) + SPARE_POINTS + 1;
  const limit = Math.min(MOST_POINTS, points);
  const key = [record, chainId, id, period, limit].join(":");
  return pastOf({ ask: { key, record, chainId, id, period, limit }, period, now, value });
}

/** The tick of a pool at the end of each hour, by the pool's id. */
export function pastTicks(
  record: "v4_pool_point" | "v3_pool_point",
  chainId: number,
  id: string,
  from: number,
  now: number,
): History {
  const value = (point: RawRecord): Value | null => valueIn(fieldsOf(record), point, "tick");
  return pastByHours({ record, chainId, id }, value, from, now);
}
