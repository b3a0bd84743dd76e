import type { EndpointName } from "../../api/endpoints.ts";
import type { Ask, Failure } from "../../model/index.ts";

/** An id is bad until it is answered, or was not found bad again for so long. */
export const REMEMBERED_MS = 3_600_000;
const MOST_REMEMBERED = 1_000;

interface BadId {
  readonly failure: Failure;
  readonly until: number;
  /** So many more times it is not asked but answered from memory. */
  skips: number;
}

/**
 * The asks that spoiled a batch and were bad alone as well, by key. They are asked alone, so that
 * the batch stays whole, and are good again with the first answer.
 */
export class BadIds {
  readonly #ids = new Map<string, BadId>();

  get size(): number {
    return this.#ids.size;
  }

  /** Times are milliseconds of a clock that is never set back. */
  has(key: string, now: number): boolean {
    const bad = this.#ids.get(key);
    if (bad === undefined) return false;
    if (now < bad.until) return true;
    this.#ids.delete(key);
    return false;
  }

  /** Found bad, or found bad again. Of too many the longest known one is forgotten. */
  remember(key: string, failure: Failure, now: number): void {
    const skips = this.#ids.get(key)?.skips ?? 0;
    this.#ids.delete(key);
    this.#ids.set(key, { failure, until: now + REMEMBERED_MS, skips });
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= MOST_REMEMBERED) break;
      this.#ids.delete(oldest);
    }
  }

  /** It was answered: it is good, and those that wait for their turn are asked in the next round. */
  pardon(key: string): void {
    this.#ids.delete(key);
    for (const bad of this.#ids.values()) bad.skips = 0;
  }

  /** An outage is over. */
  clear(): void {
    this.#ids.clear();
  }

  /** The last failure of it. */
  failure(key: string): Failure | undefined {
    return this.#ids.get(key)?.failure;
  }

  /**
   * Whether to ask a bad id in this round, which `take` must allow. If there are more than `most`
   * in all, they take turns, and all come to be asked.
   */
  takeTurn(key: string, most: number, take: () => boolean): boolean {
    const bad = this.#ids.get(key);
    if (bad === undefined) return true;
    if (bad.skips > 0) {
      bad.skips -= 1;
      return false;
    }
    if (!take()) return false;
    bad.skips = Math.ceil(this.#ids.size / most) - 1;
    return true;
  }
}

/** Requests of an endpoint in a round beyond the planned ones, for bad ids. */
export const MOST_EXTRAS = 40;
/** The requests left beside known bad ids, so that a new one can be found. */
export const LEFT_BY_KNOWN = 20;
/** The requests left beside groups that were refused as a whole before. */
export const LEFT_BY_REFUSED = 10;

/** The requests that a round may still spend on bad ids. */
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

/** The oldest group is forgotten when there are more. */
const MOST_GROUPS = 1_000;
/** Once each id was held against the rest, only every tenth round tries again. */
const ROUNDS_BETWEEN = 9;

interface Refused {
  /** In how many splits in a row nothing was answered. */
  readonly times: number;
  /** Rounds to wait before the next one. */
  skips: number;
}

/**
 * Groups of asks that share requests, and of which no part of a split batch was answered. It looks
 * like a fault of the endpoint, but bad ids in both halves look the same.
 */
export class RefusedGroups {
  readonly #groups = new Map<string, Refused>();

  has(group: string): boolean {
    return this.#groups.has(group);
  }

  /** Whether the group is left as it is in this round; to be asked once a round. */
  skips(group: string): boolean {
    const refused = this.#groups.get(group);
    if (refused === undefined || refused.skips === 0) return false;
    refused.skips -= 1;
    return true;
  }

  /**
   * How to split a batch of the group for the first time: in halves, and once that failed, one id
   * after the other against the rest. The first good one shows that the endpoint is good.
   */
  split(group: string, asks: readonly Ask[]): readonly (readonly Ask[])[] {
    const refused = this.#groups.get(group);
    if (refused === undefined) return halves(asks);
    const at = (refused.times - 1) % asks.length;
    return [asks.slice(at, at + 1), asks.toSpliced(at, 1)];
  }

  /** No part of a batch of so many ids was answered. */
  note(group: string, ids: number): void {
    const times = (this.#groups.get(group)?.times ?? 0) + 1;
    this.#groups.delete(group);
    this.#groups.set(group, { times, skips: times > ids ? ROUNDS_BETWEEN : 0 });
    for (const first of this.#groups.keys()) {
      if (this.#groups.size <= MOST_GROUPS) break;
      this.#groups.delete(first);
    }
  }

  /** An outage is over: each is looked into anew. */
  clear(): void {
    this.#groups.clear();
  }

  /** Some part was answered. */
  forget(group: string): void {
    this.#groups.delete(group);
  }
}

export function halves(asks: readonly Ask[]): readonly (readonly Ask[])[] {
  const middle = Math.ceil(asks.length / 2);
  return [asks.slice(0, middle), asks.slice(middle)];
}
