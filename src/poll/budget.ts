import { MINUTE } from "../base/duration.ts";
import type { RuleMemory } from "./memory.ts";

/** Of the time until the next round a poll leaves this share to its commits: it would else be skipped. */
const LEFT_TO_CLOSE = 0.1;
/** What hangs is to fail by its own time limit first: a round that is cut off says nothing of it. */
const BEYOND_TIMEOUT_MS = 250;
/** Half as much time again as the rate demands. */
const AT_RATE = 1.5;

interface Pace {
  /** The time limit of one request, in milliseconds. */
  readonly timeoutMs: number;
  readonly requestsPerSecond: number;
}

/**
 * How long a poll may take, in real milliseconds: most of the time until the next round, or what its
 * requests demand at their rate.
 */
export function budgetMs(pace: Pace, untilNextMs: number, requests: number): number {
  const rateMs = (requests * AT_RATE * 1_000) / pace.requestsPerSecond;
  const needed = pace.timeoutMs + BEYOND_TIMEOUT_MS + rateMs;
  return Math.max(untilNextMs * (1 - LEFT_TO_CLOSE), needed);
}

/**
 * How long it is at `now` until the first of the rules whose round at `date` begins is due again, in
 * milliseconds; a minute at most. The first look is not at a scheduled time: its next one may be near.
 */
export function untilNext(rules: readonly RuleMemory[], date: number, now: number): number {
  let least = MINUTE;
  const crons = new Set<string>();
  for (const { rule } of rules) {
    const { key, everyMs } = rule.schedule;
    if (everyMs === null) {
      if (crons.has(key)) continue;
      crons.add(key);
    }
    least = Math.min(least, rule.schedule.next(date) - now);
  }
  return least;
}

/** Ends a poll when its time is over or the daemon stops; leaves nothing behind on either. */
export class Budget {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: AbortSignal;

  constructor(ms: number, stop: AbortSignal) {
    this.#timer = setTimeout(this.#abort, ms);
    this.#stop = stop;
    if (stop.aborted) this.#abort();
    else stop.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#stop.removeEventListener("abort", this.#abort);
  }
}
