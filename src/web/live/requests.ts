import type { Clock } from "../../base/clock.ts";
import { HOUR, MINUTE } from "../../base/duration.ts";
import type { Failure } from "../../model/index.ts";
import type { Endpoint } from "../api/schemas/operations.ts";

interface Minute {
  readonly at: number;
  requests: number;
  failed: number;
}

interface Counted {
  minutes: Minute[];
  answeredAt: number | null;
  latencyMs: number | null;
  failure: { readonly at: number; readonly reason: string } | null;
}

const FAILED_MS = 5 * MINUTE;

/** The requests of the last hour by endpoint, on the daemon's own clock. */
export class RequestLog {
  readonly #endpoints = new Map<string, Counted>();

  constructor(private readonly clock: Clock) {}

  /** A request was sent and has ended; `ms`: after how long it was answered. */
  add(endpoint: string, failure: Failure["reason"] | null, ms: number | null): void {
    const now = this.clock.now();
    const counted = this.#of(endpoint);
    const at = now - (now % MINUTE);
    let minute = counted.minutes.at(-1);
    if (minute?.at !== at) {
      minute = { at, requests: 0, failed: 0 };
      counted.minutes.push(minute);
      if (counted.minutes.length > HOUR / MINUTE) counted.minutes.shift();
    }
    minute.requests += 1;
    if (failure === null) {
      counted.answeredAt = now;
      counted.latencyMs = ms ?? counted.latencyMs;
    } else {
      minute.failed += 1;
      counted.failure = { at: now, reason: failure.replaceAll("_", " ") };
    }
  }

  /** How many endpoints answered when they were asked last. */
  get answering(): number {
    let count = 0;
    for (const { answeredAt, failure } of this.#endpoints.values()) {
      if (answeredAt !== null && (failure === null || failure.at <= answeredAt)) count += 1;
    }
    return count;
  }

  /** By name; `lags` by endpoint. */
  view(lags: ReadonlyMap<string, Endpoint["lags"]>): Endpoint[] {
    const now = this.clock.now();
    return [...this.#endpoints]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { minutes, answeredAt, latencyMs, failure }]): Endpoint => {
        const hour = minutes.filter(({ at }) => at > now - HOUR);
        const lately = hour.filter(({ at }) => at > now - FAILED_MS);
        const isRecent = failure !== null && failure.at > now - HOUR;
        const isFailing = failure !== null && failure.at > (answeredAt ?? 0);
        return {
          name,
          state: hour.length === 0 ? "unused" : isFailing ? "failing" : "up",
          last_answer: answeredAt === null ? null : new Date(answeredAt).toISOString(),
          latency_ms: latencyMs === null ? null : Math.round(latencyMs),
          failed_5m: lately.reduce((sum, { failed }) => sum + failed, 0),
          requests_1h: hour.reduce((sum, { requests }) => sum + requests, 0),
          failure: isRecent
            ? { at: new Date(failure.at).toISOString(), reason: failure.reason }
            : null,
          lags: lags.get(name) ?? [],
        };
      });
  }

  #of(endpoint: string): Counted {
    let counted = this.#endpoints.get(endpoint);
    if (counted === undefined) {
      counted = { minutes: [], answeredAt: null, latencyMs: null, failure: null };
      this.#endpoints.set(endpoint, counted);
    }
    return counted;
  }
}
