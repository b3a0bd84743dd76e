import type { Setup, StorePlace } from "../../model/index.ts";
import type { AlertMemory, Memory } from "../../poll/memory.ts";
import { answer } from "../../replay/explain/answer.ts";
import { openOwnOperatorDb } from "../../store/operator-db/operator-db.ts";
import { openOwnRecorded } from "../../store/operator-db/recorded.ts";
import { explanationOf } from "../explain-facts.ts";
import { nameOf } from "./watched.ts";

/** What an explanation rests on. */
export interface WhyParts {
  readonly memory: () => Memory;
  readonly setup: () => Setup;
  /** Where the database is; null: it is in memory alone. */
  readonly place: StorePlace | null;
}

/**
 * The first sentence of `tickwatch explain` on an alert at `now`; null where nothing is recorded on a disk.
 * Throws StoreError.
 */
export async function whySentence(
  one: AlertMemory,
  now: number,
  { setup, place }: WhyParts,
): Promise<string | null> {
  if (place === null) return null;
  const db = await openOwnOperatorDb(place);
  try {
    const recorded = await openOwnRecorded(place);
    try {
      const { rule } = one.watched;
      const asked = { rule, subject: one.subject.key, name: nameOf(one), at: now, isNow: true };
      const { situation } = await explanationOf(asked, { db, recorded, setup: setup() });
      return answer(situation);
    } finally {
      recorded.close();
    }
  } finally {
    db.close();
  }
}
