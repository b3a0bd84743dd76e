import { HOUR } from "../base/duration.ts";
import { type Blocks, blocksOf } from "./blocks.ts";
import { type GasHourRecord, gasOf } from "./gas.ts";
import { LISTED_POOLS, type ListedPool } from "./listed-pools.ts";
import { LISTED_POSITIONS, type ListedPosition } from "./listed-positions.ts";
import { LISTED_TOKENS, STABLECOIN } from "./listed-token.ts";
import { NETWORKS, type Network, networkOf } from "./networks.ts";
import { type Pool, type PoolRecord, poolOf } from "./pools.ts";
import { type PositionRecord, positionOf } from "./positions.ts";
import { pricesOf } from "./prices.ts";
import {
  checkScript,
  type Known,
  type PositionRef,
  type ScriptEvent,
  samePosition,
  scriptedClose,
  tokenEvents,
} from "./script.ts";
import {
  type BalanceRecord,
  type HolderCountRecord,
  type SupplyRecord,
  type Token,
  tokenOf,
} from "./token.ts";

export interface MarketOptions {
  /** Another whole number is another market. */
  readonly seed: number;
  /** Epoch milliseconds at which the listed prices hold; the script counts from here. */
  readonly start: number;
  readonly script?: readonly ScriptEvent[];
}

/**
 * A simulated world of pools, positions, gas and a stablecoin. What it answers is a function of seed, start,
 * script and the time asked about (`at`, epoch ms), never of what was asked before; times before
 * `start` have their history. The noise runs relative to `start`, so that one seed tells the same
 * story on any date; only the daily rhythm of gas and the hours' borders follow the calendar.
 */
export interface Market {
  readonly start: number;
  hasChain(chainId: number): boolean;
  /** Letter case of the id does not matter; undefined: not there, or not yet there at `at`. */
  pool(chainId: number, id: string, at: number): PoolRecord | undefined;
  position(chainId: number, protocol: string, nft: string, at: number): PositionRecord | undefined;
  /**
   * The hours that begin in [from, to] (epoch ms), oldest first, as they are known at `at`: the
   * running one covers its blocks so far, hours to come are left out.
   */
  gasHours(chainId: number, from: number, to: number, at: number): readonly GasHourRecord[];
  /** Whether the stablecoin is on this chain; there is no other token. */
  hasToken(chainId: number): boolean;
  /** Letter case of addresses does not matter; undefined: another token, or not on this chain. */
  supply(chainId: number, token: string, at: number): SupplyRecord | undefined;
  /** A wallet that the market does not list holds 0. */
  balance(chainId: number, token: string, wallet: string, at: number): BalanceRecord | undefined;
  holderCount(chainId: number, token: string, at: number): HolderCountRecord | undefined;
}

/** Throws ScriptError when the script names what is not in the market. */
export function createMarket({ seed, start, script = [] }: MarketOptions): Market {
  checkScript(script, IN_MARKET);
  const chains = new Map(NETWORKS.map((n) => [n.chainId, blocksOf(n, start)]));
  const gas = new Map(NETWORKS.map((n) => [n.chainId, gasOf(n, seed, start, script)]));
  const pools = buildPools({ seed, start, script }, chains);
  const positions = new Map<string, (at: number) => PositionRecord | undefined>();
  for (const listed of LISTED_POSITIONS) {
    const pool = known(pools, listed.pool);
    const { chainId } = pool.listed;
    const ref = refOf(listed, pool.listed);
    const close = scriptedClose(script, ref);
    const blocks = known(chains, chainId);
    positions.set(keyOf(ref), positionOf(listed, { pool, blocks, start, close }));
  }
  const events = tokenEvents(script);
  const tokens = new Map(
    LISTED_TOKENS.map((listed) => {
      const blocks = known(chains, listed.chainId);
      return [listed.chainId, tokenOf(listed, { blocks, seed, start, script: events })];
    }),
  );
  const tokenAt = (chainId: number, address: string): Token | undefined =>
    address.toLowerCase() === STABLECOIN.toLowerCase() ? tokens.get(chainId) : undefined;

  return {
    start,
    hasChain: (chainId) => networkOf(chainId) !== undefined,
    pool: (chainId, id, at) => {
      const pool = pools.get(id.toLowerCase());
      return pool?.listed.chainId === chainId ? pool.record(at) : undefined;
    },
    position: (chain, protocol, nft, at) => positions.get(keyOf({ chain, protocol, nft }))?.(at),
    gasHours: (chainId, from, to, at) => {
      const hourOf = gas.get(chainId);
      if (hourOf === undefined) return [];
      const records: GasHourRecord[] = [];
      const first = Math.ceil(from / HOUR) * HOUR;
      for (let hour = first; hour <= Math.min(to, at); hour += HOUR) {
        const record = hourOf(hour, at);
        if (record !== undefined) records.push(record);
      }
      return records;
    },
    hasToken: (chainId) => tokens.has(chainId),
    supply: (chainId, token, at) => tokenAt(chainId, token)?.supply(at),
    balance: (chainId, token, wallet, at) => tokenAt(chainId, token)?.balance(wallet, at),
    holderCount: (chainId, token, at) => tokenAt(chainId, token)?.holderCount(at),
  };
}

/** What a script may name. */
const IN_MARKET: Known = {
  pool: (id) => LISTED_POOLS.some((pool) => pool.id === id),
  chain: (id) => networkOf(id) !== undefined,
  position: (ref) =>
    LISTED_POSITIONS.some((listed) => {
      const pool = LISTED_POOLS.find((p) => p.id === listed.pool);
      return pool !== undefined && samePosition(refOf(listed, pool), ref);
    }),
  tokens: {
    supply: (chain) => LISTED_TOKENS.find(({ chainId }) => chainId === chain)?.supply,
    balance: (chain, wallet) =>
      LISTED_TOKENS.find(({ chainId }) => chainId === chain)?.wallets.find(
        ({ address }) => address === wallet,
      )?.balance,
  },
};

function refOf({ nft }: ListedPosition, { chainId, protocol }: ListedPool): PositionRef {
  return { chain: chainId, protocol, nft };
}

function buildPools(
  { seed, start, script }: Required<MarketOptions>,
  chains: ReadonlyMap<Network["chainId"], Blocks>,
): ReadonlyMap<ListedPool["id"], Pool> {
  const prices = pricesOf(seed, script);
  const pools = new Map<string, Pool>();
  for (const listed of LISTED_POOLS) {
    const { quote } = listed;
    const leader = typeof quote === "number" ? null : known(pools, quote.sameAsToken0Of);
    const around = {
      blocks: known(chains, listed.chainId),
      seed,
      start,
      script,
      sqrtPrice: known(prices, listed.id),
      quote: (at: number) => (typeof quote === "number" ? quote : (leader?.state(at)?.usd0 ?? 0)),
    };
    pools.set(listed.id, poolOf(listed, around));
  }
  return pools;
}

function keyOf({ chain, protocol, nft }: PositionRef): string {
  return `${chain}:${protocol}:${nft}`;
}

/** The lists of pools, positions and chains belong together; a gap in them is a slip in there. */
function known<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`the market's lists do not fit: ${String(key)}`);
  return value;
}
