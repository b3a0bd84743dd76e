import type { EndpointName } from "../../api/endpoints.ts";
import type { Failure } from "../../model/index.ts";

/**
 * How long a refused key is left in peace, in milliseconds. Rounds come by the minute and never
 * quite on time; a full minute would let every other one go without its try.
 */
export const KEY_TRY_MS = 55_000;

/** Whether a request may go. `try`: it is the one that finds out whether the key is taken again. */
export type KeyPass = "open" | "try" | Failure;

/**
 * Stops asking with a key that the service refuses: after a 401 or 403 nothing is asked but one
 * try a minute, whose success opens again. If it is another endpoint that answers then, the key is
 * good; those that refused before are asked as ever, and one that refuses again is not for this key:
 * it stays shut, with a try a minute, and the others go on.
 */
export class KeyGuard {
  /** Why the whole service is shut; null: it is open. */
  #shut: { readonly failure: Failure; tried: EndpointName; at: number } | null = null;
  /** Endpoints that were turned away since the last try, and have the next one before its own. */
  readonly #waiting = new Set<EndpointName>();
  /** Endpoints that refused, and when they were tried last. */
  readonly #refused = new Map<EndpointName, { readonly failure: Failure; at: number }>();
  /** Endpoints that refused before the key was taken again: they are asked freely, and may refuse again. */
  readonly #pardoned = new Set<EndpointName>();

  /** Nothing was refused since it was taken last. */
  get isOpen(): boolean {
    return this.#shut === null && this.#refused.size === 0;
  }

  /** Whether a request may go at `now`, in milliseconds of a clock that is never set back. */
  enter(endpoint: EndpointName, now: number): KeyPass {
    if (this.#shut === null) return this.#own(endpoint, now);
    const { failure, tried, at } = this.#shut;
    const isTurn = endpoint !== tried || this.#waiting.size === 0;
    if (now - at < KEY_TRY_MS || !isTurn) {
      if (endpoint !== tried) this.#waiting.add(endpoint);
      return failure;
    }
    this.#waiting.clear();
    this.#shut.tried = endpoint;
    this.#shut.at = now;
    return "try";
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
    this.#waiting.clear();
    return wasShut;
  }

  #own(endpoint: EndpointName, now: number): KeyPass {
    const refused = this.#refused.get(endpoint);
    if (refused === undefined) return "open";
    if (now - refused.at < KEY_TRY_MS) return refused.failure;
    refused.at = now;
    return "try";
  }
}
