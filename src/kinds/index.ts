import { allowance } from "./allowance.ts";
import { call } from "./call.ts";
import { gas } from "./gas.ts";
import { gasNow } from "./gas-now.ts";
import { holderCount } from "./holder-count.ts";
import { holders } from "./holders.ts";
import type { WatchKind } from "./kind.ts";
import { nativeBalance } from "./native-balance.ts";
import { poolHistory, poolHistoryDaily } from "./pool-history.ts";
import { priceHistory, priceHistoryDaily } from "./price-history.ts";
import { source } from "./source.ts";
import { tokenBalance } from "./token-balance.ts";
import { tokenInfo } from "./token-info.ts";
import { tokenPrice } from "./token-price.ts";
import { tokenSupply } from "./token-supply.ts";
import { v3Pool } from "./v3-pool.ts";
import { v3Position } from "./v3-position.ts";
import { v3Swaps } from "./v3-swaps.ts";
import { v4Liquidity } from "./v4-liquidity.ts";
import { v4Pool } from "./v4-pool.ts";
import { v4Pool24h } from "./v4-pool-24h.ts";
import { v4Position } from "./v4-position.ts";
import { v4Swaps } from "./v4-swaps.ts";

const ALL: readonly WatchKind[] = [
  allowance,
  call,
  gas,
  gasNow,
  holderCount,
  holders,
  nativeBalance,
  poolHistory,
  poolHistoryDaily,
  priceHistory,
  priceHistoryDaily,
  source,
  tokenBalance,
  tokenInfo,
  tokenPrice,
  tokenSupply,
  v3Pool,
  v3Position,
  v3Swaps,
  v4Liquidity,
  v4Pool,
  v4Pool24h,
  v4Position,
  v4Swaps,
];

/**
 * Every watch kind by the word that rules use for it, and those with a `variantOf`, which rules choose
 * by an option.
 */
export const KINDS: ReadonlyMap<string, WatchKind> = new Map(
  ALL.map((watch) => [watch.kind, watch]),
);
