import type { StoreError } from "../store.ts";
import { unusable } from "./failure.ts";
import type { Session } from "./session.ts";

/**
 * A pooler that gives a connection to whoever has a transaction would mix sessions up: while one of two has a
 * transaction, each must find its own marker.
 */
export async function refusePooled(one: Session, other: Session, where: string): Promise<void> {
  await other.query("BEGIN");
  const seen = [await one.value<string>(MARKER), await other.value<string>(MARKER)];
  await other.query("COMMIT");
  if (seen[0] !== one.marker || seen[1] !== other.marker) throw pooled(where);
}

const MARKER = "SELECT current_setting('tickwatch.session', true)";

export function pooled(where: string): StoreError {
  return unusable(
    where,
    "a pooler between mixes sessions up: set its pool mode to session, or connect without it",
  );
}
