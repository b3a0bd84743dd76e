import type { Ask } from "../model/index.ts";

/** What rules need of chains beside what they ask for. */
export interface ChainNeeds {
  /** Chains whose blocks and logs are followed. */
  readonly indexed: ReadonlySet<number>;
  /** Chains of which each block is seen. */
  readonly watched: ReadonlySet<number>;
}

/** What is answered, as a whole or in part, from a chain's blocks and logs: for it they are followed. */
export const FROM_LOGS: ReadonlySet<Ask["record"]> = new Set<Ask["record"]>([
  "gas_hour",
  "holder",
  "holder_count",
  "v3_hold",
  "v3_pool",
  "v3_pool_point",
  "v3_swap",
  "v4_hold",
  "v4_liquidity",
  "v4_owned",
  "v4_pool_24h",
  "v4_pool_point",
  "v4_swap",
]);
