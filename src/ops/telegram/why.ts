import type { Setup } from "../../model/index.ts";
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
  /** The path of the database; null: it is in memory alone. */
  readonly disk: string | null;
}

/**
 * The first sentence of `tickwatch explain` on an alert at `now`; null where nothing is recorded on a disk.
 * Throws StoreError.
 */
export async function whySentence(
  one: AlertMemory,
  now: number,
  { setup, disk }: WhyParts,
): Promise<string | null> {
  if (disk === null) return null;
  const db = await openOwnOperatorDb(disk);
  try {
    const recorded = await openOwnRecorded(disk);
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
