import { V4_POOL_SOURCE } from "./stream/pool-facts.ts";
import { poolStream } from "./stream/pool-stream.ts";
import { swapStream } from "./stream/swap.ts";
import type { WatchKind } from "./watch.ts";

/** The swaps of a V4 pool, each told of once. */
export const v4Swaps: WatchKind = poolStream(swapStream("v4_swaps", "v4_swap", V4_POOL_SOURCE));
