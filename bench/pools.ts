import { createHash } from "node:crypto";

/** The subjects of a bench: pools, shared evenly among two chains. */
const CHAIN_IDS = [1, 137] as const;

/** What the batch endpoint takes at once. */
export const BATCH = 20;

/** The key that the source server wants to see. */
export const API_KEY = "bench_0123456789abcdef";

export interface Pool {
  readonly chainId: number;
  readonly id: string;
}

/** The same `count` pools in every process. */
export function benchPools(count: number): readonly Pool[] {
  return Array.from({ length: count }, (_, i) => ({
    chainId: CHAIN_IDS[i % CHAIN_IDS.length] ?? CHAIN_IDS[0],
    id: `0x${createHash("sha256").update(`pool ${i}`).digest("hex")}`,
  }));
}

/** ⌈n / 20⌉ for each chain: the fewest requests that a round can take. */
export function fewestRequests(count: number): number {
  return CHAIN_IDS.reduce((sum, _, i) => {
    const own = Math.ceil((count - i) / CHAIN_IDS.length);
    return sum + Math.ceil(own / BATCH);
  }, 0);
}

/** Paths that ask for every pool once. */
export function batchPaths(pools: readonly Pool[]): readonly string[] {
  return CHAIN_IDS.flatMap((chainId) => {
    const ids = pools.filter((pool) => pool.chainId === chainId).map((pool) => pool.id);
    return Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => {
      const query = new URLSearchParams({ chain_id: String(chainId) });
      for (const id of ids.slice(i * BATCH, (i + 1) * BATCH)) query.append("pool_ids", id);
      return `/v1/dexv4/pool?${query.toString()}`;
    });
  });
}
