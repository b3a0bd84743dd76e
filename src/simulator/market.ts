import { HOUR } from "../base/duration.ts";
import { type GasHourRecord, gasOf } from "./gas.ts";
import { middleWallets } from "./holders.ts";
import { ETH_USDC, WBTC_WETH } from "./listed-pools.ts";
import { LISTED_POSITIONS } from "./listed-positions.ts";
import { LISTED_TOKENS, STABLECOIN } from "./listed-token.ts";
import { blocksOf, NETWORKS, networkOf } from "./networks.ts";
import { ALL_POOLS, homeOf, type PoolMarket, poolMarketOf } from "./pool-market.ts";
import type { Pool } from "./pools.ts";
import { checkScript, type Known, type ScriptEvent, samePosition } from "./script.ts";
import { type TokenMarket, tokenMarketOf } from "./token-market.ts";
import { priceKey } from "./usd-prices.ts";

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
export interface Market extends PoolMarket, TokenMarket {
  readonly start: number;
  hasChain(chainId: number): boolean;
  /**
   * The hours that begin in [from, to] (epoch ms), oldest first, as they are known at `at`: the
   * running one covers its blocks so far, hours to come are left out.
   */
  gasHours(chainId: number, from: number, to: number, at: number): readonly GasHourRecord[];
}

/** Throws ScriptError when the script names what is not in the market. */
export function createMarket({ seed, start, script = [] }: MarketOptions): Market {
  checkScript(script, IN_MARKET);
  const chains = new Map(NETWORKS.map((n) => [n.chainId, blocksOf(n, start)]));
  const gas = new Map(NETWORKS.map((n) => [n.chainId, gasOf(n, seed, start, script)]));
  const { market, pools } = poolMarketOf({
    seed,
    start,
    script,
    blocksOf: (chainId) => known(chains, chainId),
  });
  const tokens = tokenMarketOf({
    seed,
    start,
    script,
    blocksOf: (chainId) => known(chains, chainId),
    pools: Array.from(pools.values(), (pool) => {
      const { chainId, token0, token1 } = pool.listed;
      return { chainId, token0, token1, usd: (at) => pool.usd(at) };
    }),
    ether: keyOfToken0(known(pools, ETH_USDC)),
    bitcoin: keyOfToken0(known(pools, WBTC_WETH)),
  });

  return {
    ...market,
    ...tokens,
    start,
    hasChain: (chainId) => networkOf(chainId) !== undefined,
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
  };
}

/** What a script may name. */
const IN_MARKET: Known = {
  pool: (id) => ALL_POOLS.some((pool) => pool.id === id),
  chain: (id) => networkOf(id) !== undefined,
  position: (ref) =>
    LISTED_POSITIONS.some((listed) => {
      const { chainId, protocol } = homeOf(listed);
      return samePosition({ chain: chainId, protocol, nft: listed.nft }, ref);
    }),
  token: (chain, address) =>
    (address === STABLECOIN.toLowerCase() &&
      LISTED_TOKENS.some(({ chainId }) => chainId === chain)) ||
    ALL_POOLS.some(
      ({ chainId, token0, token1 }) =>
        chainId === chain &&
        [token0, token1].some((token) => token.address.toLowerCase() === address),
    ),
  tokens: {
    simulated: (chain, wallet) => middleWallets(chain, STABLECOIN).includes(wallet),
    supply: (chain) => LISTED_TOKENS.find(({ chainId }) => chainId === chain)?.supply,
    balance: (chain, wallet) =>
      LISTED_TOKENS.find(({ chainId }) => chainId === chain)?.wallets.find(
        ({ address }) => address === wallet,
      )?.balance,
  },
};

function keyOfToken0({ listed }: Pool): string {
  return priceKey(listed.chainId, listed.token0.address);
}

/** The lists of pools, positions and chains belong together; a gap in them is a slip in there. */
function known<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`the market's lists do not fit: ${String(key)}`);
  return value;
}
