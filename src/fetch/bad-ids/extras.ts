import type { EndpointName } from "../../api/endpoints.ts";

/** Requests of an endpoint in a round beyond the planned ones, for bad ids. */
export const MOST_EXTRAS = 40;
/** What ids known to be bad leave to others: old troubles must not keep a new one from being found. */
export const LEFT_BY_KNOWN = 20;
/** What groups leave that were refused as a whole before. */
export const LEFT_BY_REFUSED = 10;

/** What a round may still spend on bad ids. */
export class RoundExtras {
  readonly #used = new Map<EndpointName, number>();
  readonly #turns = new Map<EndpointName, Promise<unknown>>();
  /** Groups of asks that turned out, in this round, to be refused as a whole. */
  readonly refusing = new Set<string>();

  /** Takes `count` requests if more than `leave` stay behind. */
  take(endpoint: EndpointName, count: number, leave = 0): boolean {
    const used = (this.#used.get(endpoint) ?? 0) + count;
    if (used > MOST_EXTRAS - leave) return false;
    this.#used.set(endpoint, used);
    return true;
  }

  /**
   * Runs one task of an endpoint after the other. Side by side they would all get stuck half-way
   * when the bound is reached, round after round; in a row, each round finishes some.
   */
  inTurn<T>(endpoint: EndpointName, task: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(endpoint) ?? Promise.resolve()).then(task);
    this.#turns.set(
      endpoint,
      turn.catch(() => {}),
    );
    return turn;
  }
}

/** All requests of a round share one signal, so a round is known by it. */
export class Extras {
  readonly #rounds = new WeakMap<AbortSignal, RoundExtras>();

  of(signal: AbortSignal): RoundExtras {
    let round = this.#rounds.get(signal);
    if (round === undefined) {
      round = new RoundExtras();
      this.#rounds.set(signal, round);
    }
    return round;
  }
}
