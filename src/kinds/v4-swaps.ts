import type { WatchKind } from "./kind.ts";
import { V4_POOL_SOURCE } from "./streams/pool-facts.ts";
import { poolStream } from "./streams/pool-stream.ts";
import { swapStream } from "./streams/swap.ts";

/** The swaps of a V4 pool, each told of once. */
export const v4Swaps: WatchKind = poolStream(swapStream("v4_swaps", "v4_swap", V4_POOL_SOURCE));
