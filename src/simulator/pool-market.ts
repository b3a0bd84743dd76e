import type { Period } from "../serve/world.ts";
import { ALL_POOLS, LISTED_POOLS } from "./listed-pools.ts";
import type { Blocks } from "./networks.ts";
import {
  currentRecord,
  earlierRecord,
  historyOf,
  liquidityEntriesOf,
  swapsOf,
} from "./pool-records.ts";
import { type Pool, type PricePath, pathOf, poolOf } from "./pools.ts";
import { homeOf, LISTED_POSITIONS, positionOf, refOf, stakeOf } from "./positions.ts";
import type { PositionRef, Story } from "./script.ts";
import { scriptedPeg } from "./scripted.ts";

/** What a part of the market needs of the market around it. */
export interface MarketSurroundings extends Story {
  readonly blocksOf: (chainId: number) => Blocks;
}

/** Every pool by its id: those that others follow come first. */
export function poolsOf(around: MarketSurroundings): ReadonlyMap<string, Pool> {
  const { start, script, blocksOf } = around;
  const pools = new Map<string, Pool>();
  const paths = new Map<string, PricePath>();
  for (const listed of ALL_POOLS) {
    const { quotedBy, follows, chainId, token1, id } = listed;
    const blocks = blocksOf(chainId);
    const path = pathOf(listed, paths.get(follows ?? ""), around);
    paths.set(id, path);
    const quoting = pools.get(quotedBy ?? "");
    const quote = (at: number): number =>
      (quoting?.prices(at).usd0 ?? 1) *
      Math.exp(scriptedPeg(script, chainId, token1.address, at - start));
    const stakes = LISTED_POSITIONS.filter(({ pool }) => pool === id).map((position) =>
      stakeOf(position, blocks, around),
    );
    pools.set(id, poolOf(listed, { ...around, blocks, path, stakes, quote }));
  }
  return pools;
}

/** What the market tells of pools and positions, as `World` has it. */
export function poolMarketOf(pools: ReadonlyMap<string, Pool>, around: MarketSurroundings) {
  const asked = new Map(
    Array.from(pools, ([id, pool]) => {
      const listed = LISTED_POOLS.find((one) => one.id === id);
      const v4 = listed && {
        hook: listed.hook,
        record: currentRecord(listed, pool, around),
        changes: liquidityEntriesOf(listed, pool, around),
      };
      return [id, { pool, v4, swaps: swapsOf(pool, around), history: historyOf(pool) }];
    }),
  );
  const positions = new Map(
    LISTED_POSITIONS.flatMap((listed) => {
      const home = homeOf(listed);
      const pool = pools.get(home.id);
      if (pool === undefined) return [];
      const recordAt = positionOf(listed, pool, around.blocksOf(home.chainId), around);
      return [[keyOf(refOf(listed)), recordAt] as const];
    }),
  );
  /** A pool and its state; undefined: not on this chain, or not yet there. */
  const find = (chainId: number, id: string, at: number) => {
    const found = asked.get(id.toLowerCase());
    const state = found?.pool.listed.chainId === chainId ? found.pool.state(at) : undefined;
    if (found === undefined || state === undefined) return undefined;
    const name = found.v4 ? { pool_id: id.toLowerCase() } : { pool_address: id.toLowerCase() };
    return { ...found, state, name };
  };
  const v4 = (chainId: number, id: string, at: number) => {
    const found = find(chainId, id, at);
    return found?.v4 && { ...found, v4: found.v4 };
  };

  return {
    pool: (chainId: number, id: string, at: number) => {
      const found = v4(chainId, id, at);
      return found?.v4.record(found.state);
    },
    legacyPool: (chainId: number, id: string, at: number) => {
      const found = v4(chainId, id, at);
      if (found === undefined) return undefined;
      return {
        chain_id: chainId,
        pool_id: found.pool.listed.id,
        hook_address: found.v4.hook,
        ...earlierRecord(found.pool, found.state, at),
      };
    },
    v3Pool: (chainId: number, address: string, at: number) => {
      const found = find(chainId, address, at);
      if (found === undefined || found.v4 !== undefined) return undefined;
      return {
        chain_id: chainId,
        pool_address: found.pool.listed.id,
        ...earlierRecord(found.pool, found.state, at),
      };
    },
    swaps: (chainId: number, id: string, size: number, offset: number, at: number) => {
      const found = find(chainId, id, at);
      return found && { ...found.name, swaps: found.swaps(size, offset, at) };
    },
    liquidityChanges: (chainId: number, id: string, size: number, offset: number, at: number) => {
      const found = v4(chainId, id, at);
      if (found === undefined) return undefined;
      const changes = found.v4.changes(size, offset, at);
      return { pool_id: found.pool.listed.id, modify_liquidity_history: changes };
    },
    poolHistory: (
      chainId: number,
      id: string,
      period: Period,
      size: number,
      offset: number,
      at: number,
    ) => {
      const found = find(chainId, id, at);
      return found && { ...found.name, period, data: found.history(period, size, offset, at) };
    },
    position: (chain: number, protocol: string, nft: string, at: number) =>
      positions.get(keyOf({ chain, protocol, nft }))?.(at),
  };
}

function keyOf({ chain, protocol, nft }: PositionRef): string {
  return `${chain}:${protocol}:${nft}`;
}
