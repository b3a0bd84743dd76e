import { type RoundRecord, SOURCE_RULE } from "../model/index.ts";
import type { Store } from "../store/store.ts";

/** So many rounds in a row of which nothing was answered are no chance. */
const ROUNDS = 2;

/**
 * Finds that this daemon alone is answered nothing any more: then its own way to the service is cut, and others
 * are better placed to ask. What they are not answered either, once they have its part, is down for everybody.
 */
export class LonelyOutage {
  #rounds = 0;
  #since = 0;
  /** What others were left to ask for, and when; null: nothing since this daemon was answered last. */
  #left: { readonly at: number; readonly keys: ReadonlySet<string> } | null = null;

  constructor(private readonly store: Store) {}

  /** Resolves to whether others were answered while this one was not. Never rejects. */
  async sees({ date, reads }: RoundRecord): Promise<boolean> {
    const scopes = (reads?.groups ?? []).flatMap((group) => Object.entries(group.scopes));
    const failed = scopes.filter(([, scope]) => scope.failed).map(([key]) => key);
    if (scopes.some(([, { answered }]) => answered)) {
      this.#rounds = 0;
      this.#left = null;
    } else if (failed.length > 0) {
      if (this.#rounds === 0) this.#since = date;
      this.#rounds += 1;
    }
    if (this.#rounds < ROUNDS) return false;
    try {
      const sources = (await this.store.alertsOf?.(SOURCE_RULE)) ?? [];
      const left = this.#left;
      const isLonely = sources.some(({ subject, heldAt }) => {
        if (heldAt === null) return false;
        return left === null ? heldAt > this.#since : heldAt > left.at && left.keys.has(subject);
      });
      if (isLonely) {
        this.#rounds = 0;
        this.#left = { at: date, keys: new Set(failed) };
      }
      return isLonely;
    } catch {
      return false;
    }
  }
}
