import { ENDPOINTS_OF, type EndpointName } from "../../api/endpoints.ts";
import { parseIsoTime, readField } from "../../api/fields.ts";
import { chainName } from "../../base/chains.ts";
import { wholeOf } from "../../base/decimal.ts";
import type { Answer, Ask, Failure, RawRecord } from "../../model/index.ts";
import { specOf } from "../plan.ts";
import type { NewestTime } from "../source.ts";

/** Failures count for so long. */
export const FAILURES_MS = 300_000;
/** A failure does not count against an endpoint that answered within this time before it. */
export const ANSWERED_MS = 60_000;
/** Requests whose duration counts. */
export const LATENCIES = 20;
/** Failures and record times are kept by slots of this length: there may be thousands. */
const SLOT_MS = 10_000;

interface Slot {
  /** The slot's start. */
  readonly at: number;
  readonly failures: Map<Failure["reason"], number>;
  /** By chain, Unix seconds; of some endpoints one for all chains. */
  readonly newest: Map<number, number>;
}

/** The health of one endpoint. */
class EndpointHealth {
  answeredAt: number | null = null;
  failedAt: number | null = null;
  /** Milliseconds each, the newest last. */
  latencies: readonly number[] = [];
  /** Oldest first. */
  slots: Slot[] = [];

  slot(now: number): Slot {
    const at = now - (now % SLOT_MS);
    const last = this.slots.at(-1);
    if (last !== undefined && last.at >= at) return last;
    const slot: Slot = { at, failures: new Map(), newest: new Map() };
    this.slots.push(slot);
    while ((this.slots[0]?.at ?? now) + SLOT_MS + FAILURES_MS <= now) this.slots.shift();
    return slot;
  }

  recent(now: number): readonly Slot[] {
    return this.slots.filter(({ at }) => at + SLOT_MS + FAILURES_MS > now);
  }
}

/**
 * How the endpoints have fared: told of every request as it ends, and asked for the records of the
 * kind `source`. `now` gives milliseconds of a clock that is never set back.
 */
export class Health {
  readonly #endpoints = new Map<string, EndpointHealth>();

  constructor(private readonly now: () => number) {}

  /**
   * A good answer about a chain after `ms`; `newest`: the latest time in its records, Unix seconds, if any
   * tells.
   */
  answered(endpoint: EndpointName, ms: number, newest: number | null, chainId = 0): void {
    const one = this.#of(endpoint);
    const now = this.now();
    one.answeredAt = now;
    one.latencies = [...one.latencies, ms].slice(-LATENCIES);
    const slot = one.slot(now);
    if (newest !== null) {
      slot.newest.set(chainId, Math.max(slot.newest.get(chainId) ?? newest, newest));
    }
  }

  /**
   * A request that failed for good, its retries included. `sent`: false if it was not sent, for what
   * earlier ones came to: that says that the endpoint still does not work, and is no failure more.
   */
  failed(endpoint: EndpointName, reason: Failure["reason"], sent: boolean): void {
    const one = this.#of(endpoint);
    const now = this.now();
    if (sent) {
      const { failures } = one.slot(now);
      failures.set(reason, (failures.get(reason) ?? 0) + 1);
    }
    // Who refuses what he is asked for works; a round that had no time left says nothing of him.
    if (reason === "refused") {
      if (sent) one.answeredAt = now;
    } else if (sent || reason !== "out_of_time") one.failedAt = now;
  }

  newestTimes(): readonly NewestTime[] {
    return [...this.#endpoints].flatMap(([endpoint, one]) =>
      [...newestIn(one.recent(this.now()))].map(([chainId, at]) => ({ endpoint, chainId, at })),
    );
  }

  /** The record of the endpoint that an ask names. */
  answer({ id }: Ask): Answer {
    return { status: "ok", records: [this.recordOf(id)] };
  }

  recordOf(endpoint: string): RawRecord {
    const one = this.#endpoints.get(endpoint) ?? new EndpointHealth();
    const reasons = new Map<Failure["reason"], number>();
    const recent = one.recent(this.now());
    for (const { failures } of recent) {
      for (const [reason, count] of failures)
        reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    }
    const newest = newestIn(recent);
    const latency = median(one.latencies);
    return {
      endpoint,
      up: isUp(one) || this.#isLeft(endpoint, one),
      failures: [...reasons.values()].reduce((sum, count) => sum + count, 0),
      failure_reason: mostFrequent(reasons) ?? "none",
      latency: latency === null ? null : Math.round(latency) / 1_000,
      newest_record_time: newest.size === 0 ? null : Math.max(...newest.values()),
      ...laggingOf(newest),
    };
  }

  /**
   * Whether it is not asked any more, since another endpoint answers for its records: it was tried while
   * that one did not, and nobody will hear of it again.
   */
  #isLeft(endpoint: string, { failedAt }: EndpointHealth): boolean {
    const asked = failedAt ?? Number.POSITIVE_INFINITY;
    return othersOf(endpoint).some(
      (other) => (this.#endpoints.get(other)?.answeredAt ?? 0) - asked > FAILURES_MS,
    );
  }

  #of(endpoint: EndpointName): EndpointHealth {
    let one = this.#endpoints.get(endpoint);
    if (one === undefined) {
      one = new EndpointHealth();
      this.#endpoints.set(endpoint, one);
    }
    return one;
  }
}

/** The endpoints that have the same record as this one. */
function othersOf(endpoint: string): readonly string[] {
  return Object.values(ENDPOINTS_OF)
    .filter((names) => names.some((name) => name === endpoint))
    .flat()
    .filter((name) => name !== endpoint);
}

/** The latest times by chain, Unix seconds. */
function newestIn(slots: readonly Slot[]): ReadonlyMap<number, number> {
  const newest = new Map<number, number>();
  for (const slot of slots) {
    for (const [chainId, at] of slot.newest) {
      newest.set(chainId, Math.max(newest.get(chainId) ?? at, at));
    }
  }
  return newest;
}

/** The chain whose newest record is the oldest; empty with fewer than two chains. */
function laggingOf(newest: ReadonlyMap<number, number>): RawRecord {
  if (newest.size < 2) return {};
  const [[chainId, at] = [0, 0]] = [...newest].toSorted(([a, n], [b, m]) => n - m || a - b);
  return { lagging_chain: chainName(chainId), lagging_record_time: at };
}

/** One failed batch among many does not make an endpoint down; nor does silence because nothing was asked. */
function isUp({ answeredAt, failedAt }: EndpointHealth): boolean {
  if (failedAt === null) return true;
  if (answeredAt === null) return false;
  // Not by the time since: rounds may be hours apart, and one bad answer among good ones is no outage.
  return failedAt - answeredAt < ANSWERED_MS;
}

/** Of equal ones the first by name, so that the choice is stable. */
function mostFrequent(reasons: ReadonlyMap<Failure["reason"], number>): Failure["reason"] | null {
  const [first] = [...reasons].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** The middle one; of an even number the greater of the two in the middle. */
function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** The field of a record that says when it was made, and how long the bucket is that begins then. */
interface OwnTime {
  readonly field: string;
  readonly bucketS: number | "period";
}

const CHANGE = { field: "timestamp", bucketS: 0 } as const;
const DAY = { field: "date", bucketS: DAY_S } as const;
const POINT = { field: "date", bucketS: "period" } as const;

/** The endpoints whose records have a time; for pools and positions it is the latest change. */
const OWN_TIMES: Readonly<Partial<Record<EndpointName, OwnTime>>> = {
  v4_pool: CHANGE,
  v4_position: CHANGE,
  gas_now: CHANGE,
  gas_hourly: { field: "hour", bucketS: HOUR_S },
  supply_history: DAY,
  balance_history: DAY,
  legacy_balance_history: DAY,
  legacy_token_price: { field: "last_updated", bucketS: 0 },
  legacy_price_history: POINT,
  v4_swaps: CHANGE,
  v3_swaps: CHANGE,
  v4_modify_liquidity: { field: "tx_at_timestamp", bucketS: 0 },
  v4_pool_history: POINT,
  v3_pool_history: POINT,
};

/** The latest time in the records of a request's answers, Unix seconds; of buckets their end. */
export function newestTime(
  endpoint: EndpointName,
  asks: readonly Ask[],
  answers: readonly Answer[],
): number | null {
  const own = OWN_TIMES[endpoint];
  if (own === undefined) return null;
  const { fields, list } = specOf(endpoint);
  const entry = list === undefined ? fields : (fields[list]?.fields ?? {});
  const bucketS =
    own.bucketS === "period" ? (asks[0]?.period === "d" ? DAY_S : HOUR_S) : own.bucketS;
  let newest: number | null = null;
  for (const answer of answers) {
    if (answer.status !== "ok") continue;
    for (const record of answer.records) {
      const at = timeOf(record, own.field, entry[own.field]);
      if (at !== null && (newest === null || at > newest)) newest = at;
    }
  }
  return newest === null ? null : newest + bucketS;
}

function timeOf(
  record: RawRecord,
  name: string,
  spec: Parameters<typeof readField>[2] | undefined,
): number | null {
  if (spec === undefined) return null;
  const raw = record[name];
  // Most are Unix seconds, and every record of every round comes by here.
  const seconds = spec.iso !== true && typeof raw === "string" ? wholeOf(raw) : null;
  if (seconds !== null) return seconds;
  const value = readField(record, name, spec);
  // The hour of gas is a name to rules.
  const time = typeof value === "string" ? parseIsoTime(value) : value;
  if (time === null || typeof time === "boolean") return null;
  const written = Number(time.toString());
  return Number.isFinite(written) ? written : null;
}
