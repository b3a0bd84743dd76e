import { isoDay } from "../../base/clock.ts";
import { DAY, HOUR } from "../../base/duration.ts";
import type { Answers, WatchKind } from "../../kinds/kind.ts";
import type { Answer, Ask, RangeFacts, RawRecord, Subject, Value } from "../../model/index.ts";
import type { Need } from "./needs.ts";

/** Where a position's range and its price were, oldest first. */
export type Ranges = readonly (readonly [date: number, range: RangeFacts | null])[];

type Points = readonly (readonly [date: number, value: Value | null])[];

/** Where the service tells the past of a subject. */
export interface HistoryPlan {
  /** Equal for subjects that have the same history. */
  readonly key: string;
  readonly spacingMs: number;
  /** The requests for [from, to], both included, at a time `now`; from the newest back. */
  asks(from: number, to: number, now: number): readonly Ask[];
  /** The earliest date that the answer to one of these tells of. */
  reaches(ask: Ask, now: number): number;
  /** By metric, oldest first; what is not known of a metric is absent. */
  points(records: readonly RawRecord[], now: number): ReadonlyMap<string, Points>;
  /** What is so beside the values, from each date on; absent: all of it is as it is today. */
  ranges?(records: readonly RawRecord[], now: number): Ranges;
}

/** Points on one page, and days in one request. */
const PAGE = 1_000;
const MOST_DAYS: Readonly<Record<string, number>> = {
  gas_hour: 90,
  supply_point: 365,
  balance_point: 365,
};
/** A history of hours reaches so far back for sure. */
const NEAR_MS = 40 * DAY;

/** The history of a subject's metrics; `today`: what the service says of it now. Null: it has none. */
export function historyPlan(
  { subject, kind, metrics }: Pick<Need, "subject" | "kind" | "metrics">,
  now: number,
  today: Answers,
): HistoryPlan | null {
  const known = kind.follow(subject, today, null);
  const own = kind.asks(subject, now, null)[0];
  if (kind.bucketMs !== null && own?.period !== undefined) return bucketPlan(subject, kind, own);
  const replayed = kind.replayed?.ask(subject, known) ?? null;
  if (replayed !== null) return pointPlan(subject, kind, replayed, metrics, today);
  for (const metric of metrics) {
    const history = kind.history?.(subject, metric, now - NEAR_MS, now, known) ?? null;
    if (history === null || history === "later") continue;
    return {
      key: keyOf(history.ask),
      spacingMs: history.spacingMs,
      asks: asksFor(history.ask, history.spacingMs),
      reaches: reachesOf(history.spacingMs),
      points: (records, at) => {
        const answer: Answer = { status: "ok", records };
        const found = new Map<string, Points>();
        for (const name of metrics) {
          const one = kind.history?.(subject, name, at - NEAR_MS, at, known) ?? null;
          if (one !== null && one !== "later") found.set(name, one.points(answer, name));
        }
        return found;
      },
    };
  }
  return null;
}

/** Kinds whose own records are the points of a history. */
function bucketPlan(subject: Subject, kind: WatchKind, own: Ask): HistoryPlan {
  const spacingMs = kind.bucketMs ?? HOUR;
  return {
    key: keyOf(own),
    spacingMs,
    asks: asksFor(own, spacingMs),
    reaches: reachesOf(spacingMs),
    points: (records, now) => {
      const answer: Answer = { status: "ok", records };
      const { rows } = kind.read(subject, (ask) => (ask.key === own.key ? answer : undefined), now);
      return pointsOf(
        kind,
        rows.map((row) => [row.date ?? 0, row]),
      );
    },
  };
}

/** Kinds whose state at the end of an hour the points of their pool tell. */
function pointPlan(
  subject: Subject,
  kind: WatchKind,
  ask: Ask,
  metrics: ReadonlySet<string>,
  today: Answers,
): HistoryPlan | null {
  const told = kind.replayed?.metrics ?? new Set();
  if ([...metrics].every((name) => !told.has(name))) return null;
  return {
    key: keyOf(ask),
    spacingMs: HOUR,
    asks: asksFor(ask, HOUR),
    reaches: reachesOf(HOUR),
    points: (records, now) => {
      const rows = kind.replayed?.rows(subject, records, now, today) ?? [];
      const all = pointsOf(kind, rows);
      return new Map([...all].filter(([name]) => told.has(name)));
    },
    ranges: (records, now) => kind.replayed?.ranges?.(subject, records, now, today) ?? [],
  };
}

function pointsOf(
  kind: WatchKind,
  rows: readonly (readonly [date: number, row: { value(metric: string): Value | null }])[],
): ReadonlyMap<string, Points> {
  const names = [...kind.metrics.keys()];
  return new Map(names.map((name) => [name, rows.map(([date, row]) => [date, row.value(name)])]));
}

function keyOf({ record, chainId, id, wallet, period }: Ask): string {
  return [record, chainId, id, wallet ?? "", period ?? ""].join(":");
}

function asksFor(ask: Ask, spacingMs: number): HistoryPlan["asks"] {
  const key = keyOf(ask);
  const most = MOST_DAYS[ask.record];
  const { limit: _limit, offset: _offset, from: _from, to: _to, ...plain } = ask;
  if (most !== undefined) {
    return (from, to, now) => {
      const asks: Ask[] = [];
      // Whole days are asked for: the first one counts, however late in it the span begins.
      const firstDay = Math.floor(from / DAY) * DAY;
      for (let end = to; end >= firstDay; end -= most * DAY) {
        const start = Math.max(from, end - (most - 1) * DAY);
        const [first, last] = [isoDay(start), isoDay(end)];
        // The earlier family counts days back from the newest, which may be today or yesterday.
        const offset = Math.max(0, Math.floor((now - end) / DAY) - 1);
        const limit = Math.ceil((now - start) / DAY) + 1 - offset;
        asks.push({
          ...plain,
          key: `${key}:${first}:${last}`,
          from: first,
          to: last,
          limit,
          offset,
        });
      }
      return asks;
    };
  }
  return (from, to, now) => {
    const newest = Math.max(0, Math.floor((now - to) / spacingMs) - 1);
    const oldest = Math.ceil((now - from) / spacingMs) + 1;
    const asks: Ask[] = [];
    for (let offset = newest; offset < oldest; offset += PAGE) {
      const limit = Math.min(PAGE, oldest - offset);
      asks.push({
        ...plain,
        key: `${key}:${offset}+${limit}`,
        period: ask.period ?? "h",
        limit,
        offset,
      });
    }
    return asks;
  };
}

function reachesOf(spacingMs: number): HistoryPlan["reaches"] {
  return ({ from, offset = 0, limit = 0 }, now) =>
    from === undefined
      ? (Math.floor(now / spacingMs) - offset - limit + 1) * spacingMs
      : Date.parse(from);
}
