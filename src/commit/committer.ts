import { setImmediate as breathe } from "node:timers/promises";
import type { Change } from "../model/index.ts";
import type { Store } from "../store/store.ts";

/**
 * Lets one slice at a time decide and commit, each on what the last one has committed: polls may
 * overlap, decisions may not.
 */
export class Committer {
  readonly #store: Store;
  #tail: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Runs `decide` when its turn has come, commits what it returns, and then `apply`: memory
   * follows the commit. Rejects with what `decide` or the store threw; later turns go on.
   */
  take<T extends { readonly change: Change }>(
    decide: (store: Store) => Promise<T>,
    apply: (decided: T) => void,
  ): Promise<void> {
    const turn = this.#tail.then(async () => {
      // Those that are ready together would hold the event loop until the last of them is committed.
      await breathe();
      const decided = await decide(this.#store);
      await this.#store.commit(decided.change);
      apply(decided);
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }

  /** Resolves when the turns taken so far are over. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}
