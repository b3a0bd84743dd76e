import type { Ask } from "../../model/index.ts";

/** Of more groups the first is forgotten. */
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
