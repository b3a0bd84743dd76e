import { ADDRESS } from "../api/endpoints.ts";
import { earlierPool } from "./earlier-pool.ts";
import type { WatchKind } from "./kind.ts";

/** A pool of the concentrated-liquidity protocol, version 3, by its contract's address. */
export const v3Pool: WatchKind = earlierPool({
  kind: "v3_pool",
  id: { pattern: ADDRESS, expected: "a pool's address, 0x and 40 hex digits" },
  page: (pool) => `/address/${pool}`,
});
