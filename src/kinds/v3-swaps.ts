import type { WatchKind } from "./kind.ts";
import { V3_POOL_SOURCE } from "./streams/pool-facts.ts";
import { poolStream } from "./streams/pool-stream.ts";
import { swapStream } from "./v4-swaps.ts";

/** The swaps of a V3 pool, by its contract's address; each is notified once. */
export const v3Swaps: WatchKind = poolStream(swapStream("v3_swaps", "v3_swap", V3_POOL_SOURCE));
