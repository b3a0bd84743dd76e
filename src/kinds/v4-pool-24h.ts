import { POOL_ID } from "../api/endpoints.ts";
import { earlierPool } from "./earlier-pool.ts";
import type { WatchKind } from "./kind.ts";

/** A V4 pool as the earlier family tells of it: with volume and fees of the last 24 hours. */
export const v4Pool24h: WatchKind = earlierPool({
  kind: "v4_pool_24h",
  aliases: ["volume"],
  id: { pattern: POOL_ID, expected: "a pool id, 0x and 64 hex digits" },
  // Such a pool is an entry in one big contract: explorers have no page for it.
  page: null,
});
