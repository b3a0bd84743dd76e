import type { EndpointName } from "../../api/endpoints.ts";
import { onAbort } from "../../base/abort.ts";
import type { Failure } from "../../model/index.ts";

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

  /** The try at an endpoint is over, whatever came of it. */
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
