import type { Days, Page, Period } from "../serve/world.ts";
import { crowdOf } from "./holders.ts";
import { ZERO_ADDRESS } from "./listed-pools.ts";
import { coinsOf, LISTED_TOKENS, STABLECOIN } from "./listed-token.ts";
import type { Blocks } from "./networks.ts";
import { type ScriptEvent, tokenEvents } from "./script.ts";
import { type Token, tokenOf } from "./token.ts";
import {
  type PriceHistoryRecord,
  type TokenPrice,
  type TokenPriceRecord,
  tokenPriceOf,
} from "./token-price.ts";
import {
  type BalancePoint,
  type BalanceRecord,
  balanceHistory,
  balanceRecord,
  type HolderCountRecord,
  type HolderRecord,
  holderCountRecord,
  holderRecord,
  type LegacyBalanceHistory,
  type LegacyBalancesRecord,
  type LegacyHoldersRecord,
  type LegacyTokenInfo,
  legacyBalanceHistory,
  legacyBalancesRecord,
  legacyHoldersRecord,
  type SupplyPoint,
  type SupplyRecord,
  supplyHistory,
  supplyRecord,
  tokenInfoRecord,
} from "./token-records.ts";
import {
  type PricingPool,
  poolPrices,
  priceKey,
  stablePrice,
  type UsdPrice,
} from "./usd-prices.ts";

/**
 * What the market tells of tokens. The current family speaks of the stablecoin alone, the earlier one
 * of every token that a pool of the market holds as well. Letter case of addresses does not matter;
 * undefined: another token, or not on this chain. Times are epoch ms, as everywhere in the market.
 */
export interface TokenMarket {
  /** Whether the stablecoin is on this chain. */
  hasToken(chainId: number): boolean;
  supply(chainId: number, token: string, at: number): SupplyRecord | undefined;
  /** One point a day, oldest first; the running day has its current value. */
  supplyHistory(
    chainId: number,
    token: string,
    days: Days,
    at: number,
  ): readonly SupplyPoint[] | undefined;
  /** A wallet that is no holder has 0. */
  balance(chainId: number, token: string, wallet: string, at: number): BalanceRecord | undefined;
  balanceHistory(
    chainId: number,
    token: string,
    wallet: string,
    days: Days,
    at: number,
  ): readonly BalancePoint[] | undefined;
  holderCount(chainId: number, token: string, at: number): HolderCountRecord | undefined;
  holders(
    chainId: number,
    token: string,
    page: Page & { readonly ascending: boolean },
    at: number,
  ): readonly HolderRecord[] | undefined;

  tokenInfo(chainId: number, token: string, at: number): LegacyTokenInfo | undefined;
  /** The richest first. */
  legacyHolders(
    chainId: number,
    token: string,
    page: Page,
    at: number,
  ): LegacyHoldersRecord | undefined;
  legacyBalances(
    chainId: number,
    token: string,
    wallets: readonly string[],
    at: number,
  ): LegacyBalancesRecord | undefined;
  legacyBalanceHistory(
    chainId: number,
    token: string,
    wallet: string,
    page: Page,
    at: number,
  ): LegacyBalanceHistory | undefined;
  tokenPrice(chainId: number, token: string, at: number): TokenPriceRecord | undefined;
  priceHistory(
    chainId: number,
    token: string,
    period: Period,
    page: Page,
    at: number,
  ): PriceHistoryRecord | undefined;
}

/** What the tokens need of the market around them. */
export interface TokenMarketSurroundings {
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  readonly blocksOf: (chainId: number) => Blocks;
  /** All pools of the market; the first one with a token decides what it costs. */
  readonly pools: readonly PricingPool[];
  /** The prices of ether and bitcoin are those of these tokens. */
  readonly ether: string;
  readonly bitcoin: string;
}

export function tokenMarketOf(around: TokenMarketSurroundings): TokenMarket {
  const { seed, start, script, blocksOf, pools } = around;
  const events = tokenEvents(script);
  const prices = new Map<string, UsdPrice>(poolPrices(pools));
  for (const { chainId } of LISTED_TOKENS) {
    const key = priceKey(chainId, STABLECOIN);
    const own = { blocks: blocksOf(chainId), seed, start, script };
    if (!prices.has(key)) prices.set(key, stablePrice(STABLECOIN, chainId, own));
  }
  const eth = priced(prices, around.ether);
  const btc = priced(prices, around.bitcoin);
  const tokens = new Map<string, Priced>();
  for (const listed of [...LISTED_TOKENS, ...coinsOf(pools)]) {
    const { chainId, coin } = listed;
    const key = priceKey(chainId, coin.address);
    const token = tokenOf(listed, { blocks: blocksOf(chainId), seed, start, script: events });
    const usd = priced(prices, key);
    tokens.set(key, { token, price: tokenPriceOf(token, { usd, eth, btc, seed, start }) });
  }
  const find = (chainId: number, address: string): Priced | undefined =>
    tokens.get(priceKey(chainId, address));
  const stable = (chainId: number, address: string): Token | undefined =>
    address.toLowerCase() === STABLECOIN.toLowerCase() ? find(chainId, address)?.token : undefined;

  return {
    hasToken: (chainId) => find(chainId, STABLECOIN) !== undefined,
    supply: (chainId, address, at) =>
      given(stable(chainId, address), (token) => supplyRecord(token, at)),
    supplyHistory: (chainId, address, days, at) =>
      given(stable(chainId, address), (token) => supplyHistory(token, days, at)),
    balance: (chainId, address, wallet, at) =>
      given(stable(chainId, address), (token) => balanceRecord(token, wallet, at)),
    balanceHistory: (chainId, address, wallet, days, at) =>
      given(stable(chainId, address), (token) => balanceHistory(token, wallet, days, at)),
    holderCount: (chainId, address, at) =>
      given(stable(chainId, address), (token) => holderCountRecord(token, at)),
    holders: (chainId, address, { size, offset, ascending }, at) =>
      given(stable(chainId, address), (token) =>
        token.holders(at, offset, size, ascending).map((holding) => holderRecord(token, holding)),
      ),
    tokenInfo: (chainId, address, at) =>
      given(find(chainId, address), ({ token }) =>
        tokenInfoRecord(token, creatorOf(chainId, token.listed.coin.address), at),
      ),
    legacyHolders: (chainId, address, { size, offset }, at) =>
      given(find(chainId, address), ({ token }) =>
        legacyHoldersRecord(token, token.holders(at, offset, size, false), at),
      ),
    legacyBalances: (chainId, address, wallets, at) =>
      given(find(chainId, address), ({ token }) => legacyBalancesRecord(token, wallets, at)),
    legacyBalanceHistory: (chainId, address, wallet, { size, offset }, at) =>
      given(find(chainId, address), ({ token }) =>
        legacyBalanceHistory(token, wallet, size, offset, at),
      ),
    tokenPrice: (chainId, address, at) =>
      given(find(chainId, address), ({ price }) => price.record(at)),
    priceHistory: (chainId, address, period, { size, offset }, at) =>
      given(find(chainId, address), ({ price }) => price.history(period, size, offset, at)),
  };
}

interface Priced {
  readonly token: Token;
  readonly price: TokenPrice;
}

function given<T, R>(found: T | undefined, answer: (found: T) => R): R | undefined {
  return found === undefined ? undefined : answer(found);
}

/** The native currency was created by nobody. */
function creatorOf(chainId: number, token: string): string {
  return token === ZERO_ADDRESS
    ? ZERO_ADDRESS
    : crowdOf(`creator:${chainId}:${token.toLowerCase()}`).address(0);
}

/** Every token has a price; a gap is a slip in the market's lists. */
function priced(prices: ReadonlyMap<string, UsdPrice>, key: string): UsdPrice {
  const price = prices.get(key);
  if (price === undefined) throw new Error(`the market's lists do not fit: no price of ${key}`);
  return price;
}
