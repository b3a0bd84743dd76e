import type { RoundRecord } from "../model/index.ts";
import { SOURCE_RULE } from "../poll/outages.ts";
import type { Store } from "../store/store.ts";

/** So many rounds in a row of which nothing was answered are no chance. */
const ROUNDS = 2;

/**
 * Finds that this daemon alone is answered nothing any more: then its own way to the service is cut, and others
 * are better placed to ask.
 */
export class LonelyOutage {
  #rounds = 0;
  #since = 0;

  constructor(private readonly store: Store) {}

  /** Resolves to whether others were answered while this one was not. Never rejects. */
  async sees({ date, reads }: RoundRecord): Promise<boolean> {
    const scopes = (reads?.groups ?? []).flatMap((group) => Object.values(group.scopes));
    if (scopes.some(({ answered }) => answered)) this.#rounds = 0;
    else if (scopes.some(({ failed }) => failed)) {
      if (this.#rounds === 0) this.#since = date;
      this.#rounds += 1;
    }
    if (this.#rounds < ROUNDS) return false;
    try {
      const sources = (await this.store.alertsOf?.(SOURCE_RULE)) ?? [];
      const isLonely = sources.some(({ heldAt }) => heldAt !== null && heldAt > this.#since);
      if (isLonely) this.#rounds = 0;
      return isLonely;
    } catch {
      return false;
    }
  }
}
