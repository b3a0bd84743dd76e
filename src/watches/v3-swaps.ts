import { V3_POOL_SOURCE } from "./stream/pool-facts.ts";
import { poolStream } from "./stream/pool-stream.ts";
import { swapStream } from "./stream/swap.ts";
import type { WatchKind } from "./watch.ts";

/** The swaps of a V3 pool, by its contract's address, each told of once. */
export const v3Swaps: WatchKind = poolStream(swapStream("v3_swaps", "v3_swap", V3_POOL_SOURCE));
