import type { Page, Period } from "../serve/world.ts";
import { ETH_USDC, WBTC_WETH } from "./listed-pools.ts";
import { coinsOf, LISTED_TOKENS, STABLECOIN } from "./listed-tokens.ts";
import type { MarketSurroundings } from "./pool-market.ts";
import type { Pool } from "./pools.ts";
import { type Token, tokenOf } from "./token.ts";
import { stablePrice, tokenPriceOf, type UsdPrice } from "./token-price.ts";
import {
  balanceHistory,
  balanceRecord,
  holderCountRecord,
  holderRecords,
  legacyBalanceHistory,
  legacyBalancesRecord,
  legacyHoldersRecord,
  supplyHistory,
  supplyRecord,
  tokenInfoRecord,
} from "./token-records.ts";

/**
 * What the market tells of tokens, as `World` has it. The current family speaks of the stablecoin
 * alone, the earlier one of every token that a pool of the market holds as well.
 */
export function tokenMarketOf(pools: ReadonlyMap<string, Pool>, around: MarketSurroundings) {
  const { blocksOf } = around;
  const prices = pricesOf(pools, around);
  const priced = (key: string): UsdPrice => {
    const price = prices.get(key);
    if (price === undefined) throw new Error(`the market's lists do not fit: no price of ${key}`);
    return price;
  };
  const eth = priced(keyOfToken0(pools.get(ETH_USDC)));
  const btc = priced(keyOfToken0(pools.get(WBTC_WETH)));
  const listings = [...LISTED_TOKENS, ...coinsOf(Array.from(pools.values(), (p) => p.listed))];
  const tokens = new Map(
    listings.map((listed) => {
      const key = keyOf(listed.chainId, listed.coin.address);
      const token = tokenOf(listed, blocksOf(listed.chainId), around);
      const usd = priced(key);
      return [key, { token, price: tokenPriceOf(token, { usd, eth, btc }, around) }];
    }),
  );

  const find = (chainId: number, address: string) => tokens.get(keyOf(chainId, address));
  /** What is told of any token; undefined: there is no such. */
  const ofAnyToken =
    <Asked extends unknown[], T>(tell: (token: Token, ...asked: Asked) => T) =>
    (chainId: number, address: string, ...asked: Asked): T | undefined => {
      const found = find(chainId, address);
      return found && tell(found.token, ...asked);
    };
  /** What is told of the stablecoin only. */
  const ofStablecoin = <Asked extends unknown[], T>(tell: (token: Token, ...asked: Asked) => T) => {
    const told = ofAnyToken(tell);
    return (chainId: number, address: string, ...asked: Asked) =>
      keyOf(chainId, address) === keyOf(chainId, STABLECOIN)
        ? told(chainId, address, ...asked)
        : undefined;
  };

  return {
    hasToken: (chainId: number) => find(chainId, STABLECOIN) !== undefined,
    supply: ofStablecoin(supplyRecord),
    supplyHistory: ofStablecoin(supplyHistory),
    balance: ofStablecoin(balanceRecord),
    balanceHistory: ofStablecoin(balanceHistory),
    holderCount: ofStablecoin(holderCountRecord),
    holders: ofStablecoin(holderRecords),

    tokenInfo: ofAnyToken(tokenInfoRecord),
    legacyHolders: ofAnyToken(legacyHoldersRecord),
    legacyBalances: ofAnyToken(legacyBalancesRecord),
    legacyBalanceHistory: ofAnyToken(legacyBalanceHistory),
    tokenPrice: (chainId: number, address: string, at: number) =>
      find(chainId, address)?.price.record(at),
    priceHistory: (chainId: number, address: string, period: Period, page: Page, at: number) =>
      find(chainId, address)?.price.history(period, page, at),
  };
}

/**
 * The price of every token: what the metadata of the first pool with that token on its chain tells,
 * so that pools and prices agree to the last digit.
 */
function pricesOf(
  pools: ReadonlyMap<string, Pool>,
  around: MarketSurroundings,
): ReadonlyMap<string, UsdPrice> {
  const prices = new Map<string, UsdPrice>();
  const add = (key: string, price: UsdPrice): void => {
    if (!prices.has(key)) prices.set(key, price);
  };
  for (const pool of pools.values()) {
    const { chainId, token0, token1 } = pool.listed;
    add(keyOf(chainId, token0.address), (at) => {
      const { usd0, time } = pool.prices(at);
      return { usd: usd0, time };
    });
    add(keyOf(chainId, token1.address), (at) => {
      const { usd1, time } = pool.prices(at);
      return { usd: usd1, time };
    });
  }
  for (const { chainId } of LISTED_TOKENS) {
    const blocks = around.blocksOf(chainId);
    add(keyOf(chainId, STABLECOIN), stablePrice(STABLECOIN, chainId, blocks, around));
  }
  return prices;
}

/** Letter case of addresses does not matter. */
function keyOf(chainId: number, token: string): string {
  return `${chainId}:${token.toLowerCase()}`;
}

function keyOfToken0(pool: Pool | undefined): string {
  return pool === undefined ? "" : keyOf(pool.listed.chainId, pool.listed.token0.address);
}
