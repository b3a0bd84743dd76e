import { KINDS } from "../kinds/index.ts";
import { HOLDINGS_MARK, holdingsFromText, withHoldings } from "../kinds/owned.ts";
import type { Holdings, Setup } from "../model/index.ts";
import { openOperatorDb } from "../store/operator-db/operator-db.ts";
import { StoreError } from "../store/store.ts";

/** What the daemon of a configuration knows of what its owners hold; of some nothing, if it was never told. */
export async function knownHoldings({
  rules,
  store,
}: Pick<Setup, "rules" | "store">): Promise<Holdings> {
  if (rules.every(({ owners }) => owners === undefined)) return new Map();
  try {
    const db = await openOperatorDb(store, false);
    if (db === null) return new Map();
    try {
      const { loaded } = await db.loaded(Number.MAX_SAFE_INTEGER);
      return holdingsFromText(loaded.marks.get(HOLDINGS_MARK));
    } finally {
      db.close();
    }
  } catch (error) {
    // Who only looks around does without it.
    if (!(error instanceof StoreError)) throw error;
    return new Map();
  }
}

/** A setup whose rules by owner watch what the daemon knows of them. */
export async function withKnownHoldings(setup: Setup): Promise<Setup> {
  return withHoldings(setup, await knownHoldings(setup), KINDS);
}
