import type { EndpointName } from "../../api/endpoints.ts";
import { onAbort } from "../../base/waiting.ts";
import type { Failure } from "../../model/index.ts";
import { Breaker, type BreakerPass, type Health } from "./breaker.ts";

/**
 * How long a refused key is left in peace, in milliseconds. Rounds come by the minute and never
 * quite on time; a full minute would let every other one go without its try.
 */
export const KEY_TRY_MS = 55_000;
/** So long (real time) the endpoint that was tried last leaves the next try to another one. */
const COURTESY_MS = 250;

/**
 * Whether a request may go. `try`: it is the one that finds out whether the key is taken again, which
 * `tried` must be told the end of; `wait`: another one is finding out.
 */
export type KeyPass = "open" | "try" | "wait" | Failure;

/**
 * Stops sending a key that the service refuses: after a 401 or 403 only one request a minute is sent,
 * for whose end the others wait. If another endpoint than the one that refused takes the key, the key is
 * good: all endpoints are asked again, and one that refuses again stays shut by itself.
 */
export class KeyGuard {
  /** Why the whole service is shut; null: it is open. */
  #shut: { readonly failure: Failure; tried: EndpointName; at: number } | null = null;
  /** Endpoints that were turned away since the last try, and have the next one before its own. */
  readonly #turnedAway = new Set<EndpointName>();
  /** Endpoints that refused, and when they were tried last. */
  readonly #refused = new Map<EndpointName, { readonly failure: Failure; at: number }>();
  /** Endpoints that refused before the key was taken again: they are asked freely, and may refuse again. */
  readonly #pardoned = new Set<EndpointName>();
  /** Endpoints at which a try is under way, and the requests that wait for its end. */
  readonly #trying = new Set<EndpointName>();
  readonly #waiting = new Set<() => void>();

  /** Nothing was refused since it was taken last. */
  get isOpen(): boolean {
    return this.#shut === null && this.#refused.size === 0;
  }

  /** Whether a request may go at `now`, in milliseconds of a clock that is never set back. */
  enter(endpoint: EndpointName, now: number): KeyPass {
    if (this.#mustWait(endpoint, now)) return "wait";
    const refused = this.#shut ?? this.#refused.get(endpoint);
    if (refused === undefined) return "open";
    if (now - refused.at < KEY_TRY_MS) {
      if (this.#shut !== null && endpoint !== this.#shut.tried) this.#turnedAway.add(endpoint);
      return refused.failure;
    }
    refused.at = now;
    if (this.#shut !== null) this.#shut.tried = endpoint;
    this.#turnedAway.clear();
    this.#trying.add(endpoint);
    return "try";
  }

  /** Resolves when `enter` may say something else than `wait`, or at an abort; undefined: it does already. */
  wait(endpoint: EndpointName, now: number, signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted || !this.#mustWait(endpoint, now)) return undefined;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        stopListening();
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(() => {
        if (this.#trying.size > 0) return;
        this.#turnedAway.clear();
        end();
      }, COURTESY_MS);
      const stopListening = onAbort(signal, end);
      this.#waiting.add(end);
    });
  }

  /** The try at an endpoint is over, with or without an answer. */
  tried(endpoint: EndpointName): void {
    this.#trying.delete(endpoint);
    for (const end of this.#waiting) end();
  }

  /** The service answered 401 or 403. True when this is news: it is shut from now on. */
  refuse(endpoint: EndpointName, failure: Failure, now: number): boolean {
    const known = this.#refused.has(endpoint) || this.#pardoned.delete(endpoint);
    this.#refused.set(endpoint, { failure, at: now });
    if (this.#shut !== null) return false;
    // The others have answered since this one refused: it says nothing new of the key.
    if (known) return false;
    this.#shut = { failure, tried: endpoint, at: now };
    return true;
  }

  /** The service took the key. True when this is news: it was shut before. */
  accept(endpoint: EndpointName): boolean {
    this.#refused.delete(endpoint);
    this.#pardoned.delete(endpoint);
    const wasShut = this.#shut !== null;
    if (wasShut) {
      for (const other of this.#refused.keys()) this.#pardoned.add(other);
      this.#refused.clear();
    }
    this.#shut = null;
    this.#turnedAway.clear();
    return wasShut;
  }

  #mustWait(endpoint: EndpointName, now: number): boolean {
    if (this.#shut === null) return this.#trying.has(endpoint);
    if (this.#trying.size > 0) return true;
    const isDue = now - this.#shut.at >= KEY_TRY_MS;
    return isDue && endpoint === this.#shut.tried && this.#turnedAway.size > 0;
  }
}

export type Pass = Exclude<BreakerPass, Failure>;

/** A request, as far as it matters here. */
export interface Asking {
  readonly endpoint: EndpointName;
  /** The unit that works or fails together: an endpoint, on one chain if it has chains. */
  readonly part: string;
  /** The same each time that the same is asked for. */
  readonly key: string;
}

/** The outcome of a request, for later requests to learn from. */
type Ended =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** The endpoint's reaction; null: the request did not reach it. */
      readonly met: { readonly failure: Failure; readonly status: number | null } | null;
    };

/** Failures that say that an endpoint does not work, rather than that it does not like a request. */
const UNWELL: ReadonlySet<Failure["reason"]> = new Set([
  "network",
  "timeout",
  "server_error",
  "rate_limited",
]);

/** The status of a server that one of the ids may have tripped. */
const TRIPPED = 500;

/**
 * Everything that is learned from requests about whether another one makes sense: the key, the
 * breakers, and what the service asked for. While all is well it keeps nothing and costs nothing.
 */
export class Gate {
  readonly #key = new KeyGuard();
  readonly #holds = new RetryAfters();
  /** By the part of the service; only those with failures since the last answer. */
  readonly #breakers = new Map<string, Breaker>();

  constructor(
    private readonly now: () => number,
    private readonly warn: (message: string, fields: Readonly<Record<string, string>>) => void,
  ) {}

  /** Whether to ask this part of the service at all; who may must `leave`. */
  enter({ part, key }: Asking, signal: AbortSignal): BreakerPass | Promise<BreakerPass> {
    if (this.#breakers.size === 0) return "pass";
    const now = this.now();
    const breaker = this.#breakers.get(part);
    if (breaker === undefined) return "pass";
    // Once one part may be tried all are: what comes back is used by everything in the same round.
    for (const { until } of this.#breakers.values()) {
      if (until !== null && until <= now) breaker.hasten(now);
    }
    return breaker.enter(key, signal, now);
  }

  leave({ part, key }: Asking, pass: Pass, ended: Ended, signal: AbortSignal): void {
    if (ended.ok && this.#breakers.size === 0) return;
    const health = healthOf(ended);
    let breaker = this.#breakers.get(part);
    if (breaker === undefined) {
      if (typeof health === "string") return;
      breaker = new Breaker();
      this.#breakers.set(part, breaker);
    }
    const now = this.now();
    breaker.leave(key, pass, health, signal, now);
    if (!breaker.isIdle) return;
    this.#breakers.delete(part);
    for (const other of this.#breakers.values()) other.hasten(now);
  }

  /** How long the endpoint wants to be left alone; null: not at all. */
  held(endpoint: EndpointName): RetryAfter | null {
    return this.#holds.isEmpty ? null : this.#holds.find(endpoint, this.now());
  }

  /**
   * Whether a request that was let in with `pass` may be sent now. Asking whether the key is good
   * is always allowed.
   */
  admit({ endpoint, part, key }: Asking, pass: Pass): KeyPass {
    if (pass !== "probe" && this.#breakers.size > 0) {
      const refusal = this.#breakers.get(part)?.refusal(key, this.now()) ?? null;
      if (refusal !== null) return refusal;
    }
    if (this.#key.isOpen || endpoint === "verify_key") return "open";
    return this.#key.enter(endpoint, this.now());
  }

  /** Resolves when it is known whether the key is accepted again; undefined: no try is under way. */
  keyTry(endpoint: EndpointName, signal: AbortSignal): Promise<void> | undefined {
    if (this.#key.isOpen || endpoint === "verify_key") return undefined;
    return this.#key.wait(endpoint, this.now(), signal);
  }

  /** A request that was admitted as a try is over. */
  tried(endpoint: EndpointName): void {
    this.#key.tried(endpoint);
  }

  /** A good answer came. */
  succeeded(endpoint: EndpointName): void {
    if (this.#key.isOpen || endpoint === "verify_key") return;
    if (this.#key.accept(endpoint))
      this.warn("the service accepts the API key again", { endpoint });
  }

  /** An answer of another status came; `retryAfterMs` is the time that it asked for. */
  failed(
    endpoint: EndpointName,
    status: number,
    failure: Failure,
    retryAfterMs: number | null,
  ): void {
    if ((status === 429 || status === 503) && retryAfterMs !== null) {
      this.#holds.hold(endpoint, failure, retryAfterMs, this.now());
    }
    if (endpoint === "verify_key" || (status !== 401 && status !== 403)) return;
    if (this.#key.refuse(endpoint, failure, this.now())) {
      const { detail } = failure;
      this.warn("the service rejects the API key; retrying once a minute", { endpoint, detail });
    }
  }
}

function healthOf(ended: Ended): Health {
  if (ended.ok) return "alive";
  if (ended.met === null) return "unknown";
  const { failure, status } = ended.met;
  // Who trips over one id works for the others; the whole batch would have failed as it does each time.
  if (status === TRIPPED) return "alive";
  return UNWELL.has(failure.reason) ? { failure } : "alive";
}

/** A service that names a time in the far future must not blind a daemon until then. */
export const LONGEST_HOLD_MS = 3_600_000;

/** Why an endpoint is not asked, and for how many milliseconds more. */
export interface RetryAfter {
  readonly failure: Failure;
  readonly ms: number;
}

/** Until when the service has asked to be left alone, endpoint by endpoint (`Retry-After`). */
export class RetryAfters {
  readonly #holds = new Map<EndpointName, { readonly failure: Failure; readonly until: number }>();

  get isEmpty(): boolean {
    return this.#holds.size === 0;
  }

  /** Null: the endpoint may be asked at `now`, in milliseconds of a clock never set back. */
  find(endpoint: EndpointName, now: number): RetryAfter | null {
    const hold = this.#holds.get(endpoint);
    if (hold === undefined) return null;
    if (hold.until > now) return { failure: hold.failure, ms: hold.until - now };
    this.#holds.delete(endpoint);
    return null;
  }

  /** The endpoint said with `failure` that it wants no request for `ms`; an hour counts at most. */
  hold(endpoint: EndpointName, failure: Failure, ms: number, now: number): void {
    const until = now + Math.min(ms, LONGEST_HOLD_MS);
    if (ms <= 0 || until <= (this.#holds.get(endpoint)?.until ?? now)) return;
    const { reason, detail } = failure;
    this.#holds.set(endpoint, {
      until,
      failure: { reason, detail: `left alone after: ${detail}` },
    });
  }
}
