import type { Failure } from "../../model/index.ts";

/** One attempt and two more. */
const ATTEMPTS = 3;
const RETRIED_STATUS: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const RETRIED_REASON: ReadonlySet<Failure["reason"]> = new Set(["network", "timeout"]);

/** How one attempt failed, as far as it matters for another one. */
export interface Attempt {
  readonly failure: Failure;
  /** Null: there was no whole answer. */
  readonly status: number | null;
  /** The wait of its Retry-After; null: it has none. */
  readonly retryAfterMs: number | null;
}

/**
 * How long to wait before the next attempt, in milliseconds; null: there is none. Waits double and
 * are drawn from their upper half, so that clients that failed together do not come back
 * together. A service that names a time is given it, unless that is longer than `longestMs`.
 */
export function retryDelay(
  attempt: Attempt,
  attempts: number,
  baseMs: number,
  longestMs: number,
): number | null {
  const { failure, status, retryAfterMs } = attempt;
  const retried = status === null ? RETRIED_REASON.has(failure.reason) : RETRIED_STATUS.has(status);
  if (!retried || attempts >= ATTEMPTS) return null;
  const own = baseMs * 2 ** (attempts - 1) * (1 + Math.random()) * 0.5;
  const wait = Math.max(own, retryAfterMs ?? 0);
  return wait <= longestMs ? wait : null;
}
