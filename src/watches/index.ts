import { gas } from "./gas.ts";
import { holderCount } from "./holder-count.ts";
import { tokenBalance } from "./token-balance.ts";
import { tokenSupply } from "./token-supply.ts";
import { v4Pool } from "./v4-pool.ts";
import { v4Position } from "./v4-position.ts";
import type { WatchKind } from "./watch.ts";

/** Every watch kind by the word that rules use for it. */
export const WATCHES: ReadonlyMap<string, WatchKind> = new Map(
  [gas, holderCount, tokenBalance, tokenSupply, v4Pool, v4Position].map((watch) => [
    watch.kind,
    watch,
  ]),
);
