import type { WatchKind } from "./kind.ts";
import { LIQUIDITY_STREAM } from "./streams/liquidity.ts";
import { poolStream } from "./streams/pool-stream.ts";

/** Liquidity added to and removed from a V4 pool; each change is notified once. */
export const v4Liquidity: WatchKind = poolStream(LIQUIDITY_STREAM);
