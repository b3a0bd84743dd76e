import type { Failure } from "../model.ts";

/** One attempt and two more. */
const ATTEMPTS = 3;
const RETRIED_STATUS: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const RETRIED_REASON: ReadonlySet<Failure["reason"]> = new Set(["network", "timeout"]);

/** How one attempt failed, as far as it matters for another one. */
export interface Attempt {
  readonly failure: Failure;
  /** Null: there was no whole answer. */
  readonly status: number | null;
  /** The header's text. */
  readonly retryAfter: string | undefined;
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
  now: number,
): number | null {
  const { failure, status, retryAfter } = attempt;
  const retried = status === null ? RETRIED_REASON.has(failure.reason) : RETRIED_STATUS.has(status);
  if (!retried || attempts >= ATTEMPTS) return null;
  const own = baseMs * 2 ** (attempts - 1) * (1 + Math.random()) * 0.5;
  const wait = Math.max(own, parseRetryAfter(retryAfter, now) ?? 0);
  return wait <= longestMs ? wait : null;
}

/** `Retry-After` as seconds or as a date, in milliseconds from `now`; null if it is neither. */
export function parseRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
