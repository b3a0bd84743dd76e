import { HOUR } from "../base/duration.ts";
import type { World } from "../serve/world.ts";
import { gasOf } from "./gas.ts";
import { middleWallets } from "./holders.ts";
import { ALL_POOLS } from "./listed-pools.ts";
import { LISTED_TOKENS, STABLECOIN } from "./listed-tokens.ts";
import { blocksOf, NETWORKS } from "./networks.ts";
import { type MarketSurroundings, poolMarketOf, poolsOf } from "./pool-market.ts";
import { LISTED_POSITIONS, refOf } from "./positions.ts";
import { checkScript, type Known, type ScriptEvent, samePosition } from "./script.ts";
import { tokenMarketOf } from "./token-market.ts";

interface MarketOptions {
  /** Another whole number is another market. */
  readonly seed: number;
  /** Epoch milliseconds at which the listed prices hold; the script counts from here. */
  readonly start: number;
  readonly script?: readonly ScriptEvent[];
}

/**
 * A simulated world of pools, positions, gas and tokens. What it answers is a function of seed, start,
 * script and the time asked about (`at`, epoch ms), never of what was asked before; times before
 * `start` have their history. The noise runs relative to `start`, so that one seed tells the same
 * story on any date; only the daily rhythm of gas and the hours' borders follow the calendar.
 */
export type Market = ReturnType<typeof createMarket>;

/** Throws ScriptError when the script names what is not in the market. */
export function createMarket({ seed, start, script = [] }: MarketOptions) {
  checkScript(script, IN_MARKET);
  const story = { seed, start, script };
  const chains = new Map(
    NETWORKS.map((network) => {
      const hourOf = gasOf(network, story);
      return [network.chainId, { blocks: blocksOf(network, start), hourOf }];
    }),
  );
  const around: MarketSurroundings = {
    ...story,
    blocksOf: (chainId) => {
      const chain = chains.get(chainId);
      if (chain === undefined) throw new Error(`the market's lists do not fit: chain ${chainId}`);
      return chain.blocks;
    },
  };
  const pools = poolsOf(around);

  return {
    ...poolMarketOf(pools, around),
    ...tokenMarketOf(pools, around),
    start,
    hasChain: (chainId: number) => chains.has(chainId),
    gasHours: (chainId: number, from: number, to: number, at: number) => {
      const first = Math.ceil(from / HOUR);
      const count = Math.max(0, Math.floor(Math.min(to, at) / HOUR) - first + 1);
      return Array.from({ length: count }, (_, i) =>
        chains.get(chainId)?.hourOf((first + i) * HOUR, at),
      ).filter((record) => record !== undefined);
    },
  } satisfies World;
}

/** What a script may name. */
const IN_MARKET: Known = {
  pool: (id) => ALL_POOLS.some((pool) => pool.id === id),
  chain: (id) => NETWORKS.some(({ chainId }) => chainId === id),
  position: (ref) => LISTED_POSITIONS.some((listed) => samePosition(refOf(listed), ref)),
  token: (chain, address) =>
    (address === STABLECOIN.toLowerCase() && tokenOn(chain) !== undefined) ||
    ALL_POOLS.some(
      ({ chainId, token0, token1 }) =>
        chainId === chain &&
        [token0, token1].some((token) => token.address.toLowerCase() === address),
    ),
  simulated: (chain, wallet) => middleWallets(chain, STABLECOIN).includes(wallet),
  supply: (chain) => tokenOn(chain)?.supply,
  balance: (chain, wallet) =>
    tokenOn(chain)?.wallets.find(({ address }) => address === wallet)?.balance,
};

function tokenOn(chain: number) {
  return LISTED_TOKENS.find(({ chainId }) => chainId === chain);
}
