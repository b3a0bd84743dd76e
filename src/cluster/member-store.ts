import type { Store } from "../store/store.ts";

/**
 * The same store for a member of a cluster: what is decided and what is claimed for sending waits until this
 * member may work, and rejects once another one has taken over. The database refuses a stale commit by itself; this
 * is for what only memory would know of, and for messages.
 */
export function memberStore(store: Store, mayWork: () => Promise<void>): Store {
  return {
    ...store,
    commit: async (change) => {
      await mayWork();
      await store.commit(change);
    },
    claim: async (...asked) => {
      await mayWork();
      return await store.claim(...asked);
    },
    freeze: async (...asked) => {
      await mayWork();
      await store.freeze(...asked);
    },
  };
}
