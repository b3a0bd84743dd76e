import { randomUUID } from "node:crypto";
import type { Notice } from "../model/index.ts";
import type { Store } from "./store.ts";

/**
 * The notices under ids that nothing in the store has, delivered or not: after a clock that was set back an
 * id may come again, and both places must call it the same, or it is sent from both.
 */
export async function apart(store: Store, notices: readonly Notice[]): Promise<readonly Notice[]> {
  const taken = await store.taken(notices.map(({ id }) => id)).catch(() => new Set<string>());
  if (taken.size === 0) return notices;
  return notices.map((notice) =>
    taken.has(notice.id) ? { ...notice, id: `${notice.id}-${randomUUID().slice(0, 8)}` } : notice,
  );
}
