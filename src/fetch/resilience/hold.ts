import type { EndpointName } from "../../api/endpoints.ts";
import type { Failure } from "../../model/index.ts";

/** A service that names a time in the far future must not blind a daemon until then. */
export const LONGEST_HOLD_MS = 3_600_000;

/** Why an endpoint is not asked, and for how many milliseconds more. */
export interface Held {
  readonly failure: Failure;
  readonly ms: number;
}

/** Until when the service has asked to be left alone, endpoint by endpoint (`Retry-After`). */
export class Holds {
  readonly #holds = new Map<EndpointName, { readonly failure: Failure; readonly until: number }>();

  get isEmpty(): boolean {
    return this.#holds.size === 0;
  }

  /** Null: the endpoint may be asked at `now`, in milliseconds of a clock never set back. */
  find(endpoint: EndpointName, now: number): Held | null {
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
