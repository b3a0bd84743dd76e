import { onAbort } from "../../base/waiting.ts";
import type { Failure } from "../../model/index.ts";

/** So many requests in a row must have failed before an endpoint is left alone. */
export const FAILURES = 5;
export const FIRST_BACKOFF_MS = 10_000;
/** Less than a minute, so that each round by the minute finds out, and recovery waits for none. */
export const LONGEST_BACKOFF_MS = 45_000;
/** One request alone could be bad by itself; the next one to try is another each time. */
const PROBES = 2;
/** So many requests are known by name as having failed; with more of them all count as such. */
const MOST_FAILED = 10_000;

/** Whether a request may go. `probe`: it is the one that finds out whether the endpoint is back. */
export type BreakerPass = "pass" | "probe" | Failure;

/** `alive`: an answer of any kind that shows a working endpoint. `unknown`: it never got so far. */
export type Health = "alive" | "unknown" | { readonly failure: Failure };

/**
 * Leaves an endpoint alone that does not work: closed, open for a growing time, then half-open
 * for a probe, for whose end the others wait.
 *
 * Requests fail in company: of a round's many batches some may fail one after the other while the
 * rest would be answered, and rules with short schedules ask again and again before others are due.
 * So it opens in a later round than the first that had a failure, and only what has failed since the last
 * answer is left alone; everything else has its chance.
 */
export class Breaker {
  #failures = 0;
  #firstRound: AbortSignal | null = null;
  /** The keys of the requests that failed since the last answer. */
  readonly #failed = new Set<string>();
  /** Null: closed. */
  #open: { until: number; backoffMs: number; readonly failure: Failure } | null = null;
  /** Probes made since it became half-open; zero: none is under way. */
  #probes = 0;
  #phases = 0;
  /** When the latest request was let go. */
  #begunAt = 0;
  #waiting: ((pass: BreakerPass) => void)[] = [];

  /** Nothing failed since the last answer. */
  get isIdle(): boolean {
    return this.#failures === 0 && this.#open === null;
  }

  /** When it may be asked again, in milliseconds of a clock never set back; null: it is closed. */
  get until(): number | null {
    return this.#open?.until ?? null;
  }

  /** Another part of the service answers again: this one is to be tried with the next request. */
  hasten(now: number): void {
    if (this.#open !== null) this.#open.until = Math.min(this.#open.until, now);
  }

  /**
   * Whether the request `key` of the round that `signal` stands for may go, in milliseconds of a clock
   * never set back. Who was let pass or probe must `leave`.
   */
  enter(key: string, signal: AbortSignal, now: number): BreakerPass | Promise<BreakerPass> {
    if (this.#open === null || signal.aborted || !this.#hasFailed(key)) {
      this.#begunAt = now;
      return "pass";
    }
    if (now < this.#open.until) return this.#open.failure;
    if (this.#probes === 0) {
      this.#probes = 1;
      this.#begunAt = now;
      return "probe";
    }
    return new Promise((resolve) => {
      const waiter = (pass: BreakerPass): void => {
        stopListening();
        resolve(pass);
      };
      const stopListening = onAbort(signal, () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        // Its round is over, and the probe with it: as far as is known it is still as it was.
        waiter(this.#open?.failure ?? "pass");
      });
      this.#waiting.push(waiter);
    });
  }

  /** Why a request that was let pass a while ago must not go any more; null if it may. */
  refusal(key: string, now: number): Failure | null {
    if (this.#open === null || now >= this.#open.until) return null;
    return this.#hasFailed(key) ? this.#open.failure : null;
  }

  leave(
    key: string,
    pass: "pass" | "probe",
    health: Health,
    signal: AbortSignal,
    now: number,
  ): void {
    if (health === "alive") {
      this.#close();
      return;
    }
    if (health !== "unknown" && !this.#hasFailed(key)) this.#failed.add(key);
    if (pass === "probe") this.#probed(health, now);
    else if (health !== "unknown" && this.#open === null) {
      this.#failures += 1;
      this.#firstRound ??= signal;
      if (this.#failures >= FAILURES && this.#firstRound !== signal) {
        this.#openFor(FIRST_BACKOFF_MS, notAsked(health.failure), now);
      }
    }
  }

  #hasFailed(key: string): boolean {
    return this.#failed.has(key) || this.#failed.size >= MOST_FAILED;
  }

  #probed(health: "unknown" | { readonly failure: Failure }, now: number): void {
    if (this.#waiting.length > 0 && (health === "unknown" || this.#probes < PROBES)) {
      if (health !== "unknown") this.#probes += 1;
      const index = this.#phases % this.#waiting.length;
      for (const next of this.#waiting.splice(index, 1)) next("probe");
      return;
    }
    // All but the last one have failed: a round that ended during that takes nothing of it back.
    const failed = health !== "unknown" || this.#probes > 1;
    this.#probes = 0;
    if (!failed || this.#open === null) return;
    this.#phases += 1;
    const backoffMs = Math.min(this.#open.backoffMs * 2, LONGEST_BACKOFF_MS);
    const failure = health === "unknown" ? this.#open.failure : notAsked(health.failure);
    this.#answerAll(this.#openFor(backoffMs, failure, now));
  }

  #openFor(backoffMs: number, failure: Failure, now: number): Failure {
    // Otherwise a slow failure would keep the next round from trying, too.
    const latest = Math.max(now, this.#begunAt + LONGEST_BACKOFF_MS);
    this.#open = { until: Math.min(now + backoffMs, latest), backoffMs, failure };
    return failure;
  }

  #close(): void {
    this.#failures = 0;
    this.#firstRound = null;
    this.#failed.clear();
    this.#open = null;
    this.#probes = 0;
    this.#answerAll("pass");
  }

  #answerAll(pass: BreakerPass): void {
    for (const answer of this.#waiting.splice(0)) answer(pass);
  }
}

function notAsked({ reason, detail }: Failure): Failure {
  return { reason, detail: `not asked for now, after: ${detail}` };
}
