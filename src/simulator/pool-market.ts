import type { Period } from "../serve/world.ts";
import type {
  LegacyPoolRecord,
  LiquidityList,
  PoolHistory,
  SwapEntry,
  SwapList,
  V3PoolRecord,
} from "./earlier-pools.ts";
import { earlierState } from "./earlier-pools.ts";
import type { Stake } from "./liquidity.ts";
import { LISTED_POOLS, type ListedPool, type PoolListing } from "./listed-pools.ts";
import { LISTED_POSITIONS, type ListedPosition } from "./listed-positions.ts";
import { LISTED_V3_POOLS } from "./listed-v3-pools.ts";
import type { Blocks } from "./networks.ts";
import { scriptedPeg } from "./peg.ts";
import { historyOf } from "./pool-history.ts";
import { type PoolRecord, recordsOf } from "./pool-record.ts";
import { type Pool, poolOf } from "./pools.ts";
import { lifeOf, type PositionRecord, positionOf } from "./positions.ts";
import { pathsOf } from "./prices.ts";
import { type PositionRef, type ScriptEvent, scriptedClose, scriptedOwners } from "./script.ts";
import { liquidityEntriesOf, swapsOf } from "./swaps.ts";

/**
 * What the market tells of pools and positions. Letter case of ids and addresses does not matter;
 * undefined: not on this chain, or not yet there at `at` (epoch ms). In lists, `limit` and `offset`
 * are whole numbers from 0; past the end a list is empty.
 */
export interface PoolMarket {
  pool(chainId: number, id: string, at: number): PoolRecord | undefined;
  /** The same pool as the earlier family tells it. */
  legacyPool(chainId: number, poolId: string, at: number): LegacyPoolRecord | undefined;
  v3Pool(chainId: number, address: string, at: number): V3PoolRecord | undefined;
  /** The newest first, of a V4 pool by its id or a V3 pool by its address. */
  swaps(
    chainId: number,
    idOrAddress: string,
    limit: number,
    offset: number,
    at: number,
  ): SwapList | undefined;
  /** What was added to and taken from a V4 pool, the newest first. */
  liquidityChanges(
    chainId: number,
    poolId: string,
    limit: number,
    offset: number,
    at: number,
  ): LiquidityList | undefined;
  /** Hours or days (UTC) of a V4 or V3 pool; the first is the running one. */
  poolHistory(
    chainId: number,
    idOrAddress: string,
    period: Period,
    limit: number,
    offset: number,
    at: number,
  ): PoolHistory | undefined;
  position(chainId: number, protocol: string, nft: string, at: number): PositionRecord | undefined;
}

/** What pools and positions need of the market around them. */
export interface PoolMarketSurroundings {
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  readonly blocksOf: (chainId: number) => Blocks;
}

/** A pool with what is asked of it. */
interface Asked {
  readonly pool: Pool;
  readonly v4: V4 | null;
  readonly swaps: ReturnType<typeof swapsOf>;
  readonly history: ReturnType<typeof historyOf>;
}

interface V4 {
  readonly hook: string;
  readonly record: ReturnType<typeof recordsOf>;
  readonly changes: ReturnType<typeof liquidityEntriesOf>;
}

/** Also returns the pools themselves, V4 before V3, since tokens cost what they tell. */
export function poolMarketOf(around: PoolMarketSurroundings): {
  readonly market: PoolMarket;
  readonly pools: ReadonlyMap<string, Pool>;
} {
  const { seed, start } = around;
  const pools = buildPools(around);
  const asked = new Map<string, Asked>();
  for (const [id, pool] of pools) {
    const listed = LISTED_POOLS.find((one) => one.id === id);
    const v4 = listed && {
      hook: listed.hook,
      record: recordsOf(listed, pool, seed, start),
      changes: liquidityEntriesOf(listed, pool, seed),
    };
    asked.set(id, {
      pool,
      v4: v4 ?? null,
      swaps: swapsOf(pool, seed),
      history: historyOf(pool),
    });
  }
  const positions = new Map<string, (at: number) => PositionRecord | undefined>();
  for (const { listed, home, ref, life, owners } of settled(around)) {
    const pool = pools.get(home.id);
    if (pool === undefined) continue;
    const blocks = around.blocksOf(home.chainId);
    const { protocol } = home;
    positions.set(keyOf(ref), positionOf(listed, { pool, protocol, blocks, life, owners }));
  }
  const find = (chainId: number, id: string, at: number): Asked | undefined => {
    const found = asked.get(id.toLowerCase());
    if (found?.pool.listed.chainId !== chainId) return undefined;
    return at < found.pool.created.time ? undefined : found;
  };

  const market: PoolMarket = {
    pool: (chainId, id, at) => {
      const found = find(chainId, id, at);
      const state = found?.pool.state(at);
      return state && found?.v4?.record(state);
    },
    legacyPool: (chainId, id, at) => {
      const found = find(chainId, id, at);
      const state = found?.pool.state(at);
      if (state === undefined || !found?.v4) return undefined;
      return {
        chain_id: chainId,
        pool_id: found.pool.listed.id,
        hook_address: found.v4.hook,
        ...earlierState(found.pool, state, at),
      };
    },
    v3Pool: (chainId, address, at) => {
      const found = find(chainId, address, at);
      const state = found?.pool.state(at);
      if (state === undefined || found === undefined || found.v4 !== null) return undefined;
      return {
        chain_id: chainId,
        pool_address: found.pool.listed.id,
        ...earlierState(found.pool, state, at),
      };
    },
    swaps: (chainId, id, limit, offset, at) => {
      const found = find(chainId, id, at);
      if (found === undefined) return undefined;
      const swaps: readonly SwapEntry[] = found.swaps(limit, offset, at);
      return { ...nameOf(found), swaps };
    },
    liquidityChanges: (chainId, id, limit, offset, at) => {
      const found = find(chainId, id, at);
      if (!found?.v4) return undefined;
      return {
        pool_id: found.pool.listed.id,
        modify_liquidity_history: found.v4.changes(limit, offset, at),
      };
    },
    poolHistory: (chainId, id, period, limit, offset, at) => {
      const found = find(chainId, id, at);
      if (found === undefined) return undefined;
      return { ...nameOf(found), period, data: found.history(period, limit, offset, at) };
    },
    position: (chain, protocol, nft, at) => positions.get(keyOf({ chain, protocol, nft }))?.(at),
  };
  return { market, pools };
}

function nameOf({ pool: { listed }, v4 }: Asked): { pool_id: string } | { pool_address: string } {
  return v4 === null ? { pool_address: listed.id } : { pool_id: listed.id };
}

/** Every pool of the market, V4 before V3. */
export const ALL_POOLS: readonly PoolListing[] = [...LISTED_POOLS, ...LISTED_V3_POOLS];

/** The listed positions at home: with their pools, and with the blocks of their lives. */
function settled({ start, script, blocksOf }: PoolMarketSurroundings) {
  return LISTED_POSITIONS.map((listed) => {
    const home = homeOf(listed);
    const ref = { chain: home.chainId, protocol: home.protocol, nft: listed.nft };
    const life = lifeOf(listed, blocksOf(home.chainId), start, scriptedClose(script, ref));
    const owners = scriptedOwners(script, ref).map(({ at, owner }) => ({
      owner,
      block: blocksOf(home.chainId).numberAt(start + at) + 1,
    }));
    return { listed, home, ref, life, owners };
  });
}

/** The pool of a listed position. */
export function homeOf({ pool }: ListedPosition): ListedPool {
  const home = LISTED_POOLS.find(({ id }) => id === pool);
  if (home === undefined) throw new Error(`the market's lists do not fit: ${pool}`);
  return home;
}

function buildPools(around: PoolMarketSurroundings): ReadonlyMap<string, Pool> {
  const { seed, start, script, blocksOf } = around;
  const paths = pathsOf(ALL_POOLS, seed, script);
  const residents = settled(around);
  const pools = new Map<string, Pool>();
  for (const listed of ALL_POOLS) {
    const { quote, chainId, token1, id } = listed;
    const leader = typeof quote === "number" ? null : pools.get(quote.sameAsToken0Of);
    const worth = (at: number): number =>
      typeof quote === "number" ? quote : (leader?.usd(at).usd0 ?? 0);
    const coin1 = token1.address.toLowerCase();
    const blocks = blocksOf(chainId);
    const stakes = residents.flatMap(({ home, listed: position, life }): Stake[] => {
      if (home.id !== id) return [];
      return [
        {
          nft: position.nft,
          lower: position.lowerTick,
          upper: position.upperTick,
          liquidity: position.liquidity,
          minted: blocks.timeOf(life.minted),
          closed: life.closed === null ? null : blocks.timeOf(life.closed),
        },
      ];
    });
    const path = paths.get(id);
    if (path === undefined) throw new Error(`the market's lists do not fit: ${id}`);
    pools.set(
      id,
      poolOf(listed, {
        blocks,
        seed,
        start,
        script,
        path,
        stakes,
        quote: (at) => worth(at) * Math.exp(scriptedPeg(script, chainId, coin1, at - start)),
      }),
    );
  }
  return pools;
}

function keyOf({ chain, protocol, nft }: PositionRef): string {
  return `${chain}:${protocol}:${nft}`;
}
