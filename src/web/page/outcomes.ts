import { randomBytes } from "node:crypto";
import type { Done } from "../api/schemas/actions.ts";

/** What came of an action, for the page that is shown after it. */
export type Outcome =
  | { readonly ok: true; readonly done: Done; readonly back: string }
  | { readonly ok: false; readonly problem: string };

/** What came of actions, under names that nobody can guess, so that no address can make a page say something. */
export interface Outcomes {
  keep(outcome: Outcome): string;
  find(id: string): Outcome | null;
}

/** Who acts reads the answer at once; older ones are forgotten. */
const MOST_KEPT = 200;

export function createOutcomes(): Outcomes {
  const kept = new Map<string, Outcome>();
  return {
    keep(outcome) {
      const id = randomBytes(12).toString("base64url");
      kept.set(id, outcome);
      const [oldest] = kept.keys();
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      return id;
    },
    find: (id) => kept.get(id) ?? null,
  };
}
