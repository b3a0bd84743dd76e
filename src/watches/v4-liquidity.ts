import { LIQUIDITY_STREAM } from "./stream/liquidity.ts";
import { poolStream } from "./stream/pool-stream.ts";
import type { WatchKind } from "./watch.ts";

/** What is added to and removed from a V4 pool, each change told of once. */
export const v4Liquidity: WatchKind = poolStream(LIQUIDITY_STREAM);
