/** Which part of a list: `size` entries at most, after `offset` others. */
export interface Page {
  readonly size: number;
  readonly offset: number;
}

/** The days from `from` to `to` (epoch ms of their midnights), oldest first, both included. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

/** Hours or days. */
export type Period = "d" | "h";

/**
 * Whoever knows the answers. The HTTP face checks a question and puts it here; it knows nothing of where
 * the records come from. `at` is the time that is asked about (epoch ms). Letter case of ids and
 * addresses does not matter; undefined: there is no such pool, position or token on this chain.
 *
 * Each answer may be a promise. What the world cannot answer it refuses by throwing, or rejecting
 * with, a Refusal.
 */
export interface World {
  /** From when (epoch ms) the times of the service's faults count. */
  readonly start: number;
  hasChain(chainId: number): boolean;
  /** Whether the current family's token endpoints answer about this chain. */
  hasToken(chainId: number): boolean;

  pool(chainId: number, id: string, at: number): unknown;
  legacyPool(chainId: number, id: string, at: number): unknown;
  v3Pool(chainId: number, address: string, at: number): unknown;
  position(chainId: number, protocol: string, nft: string, at: number): unknown;
  /** The newest first, of a V4 pool by its id or a V3 pool by its address; likewise the next two. */
  swaps(chainId: number, pool: string, limit: number, offset: number, at: number): unknown;
  liquidityChanges(
    chainId: number,
    pool: string,
    limit: number,
    offset: number,
    at: number,
  ): unknown;
  poolHistory(
    chainId: number,
    pool: string,
    period: Period,
    limit: number,
    offset: number,
    at: number,
  ): unknown;

  supply(chainId: number, token: string, at: number): unknown;
  supplyHistory(chainId: number, token: string, days: Days, at: number): unknown;
  balance(chainId: number, token: string, wallet: string, at: number): unknown;
  balanceHistory(chainId: number, token: string, wallet: string, days: Days, at: number): unknown;
  holderCount(chainId: number, token: string, at: number): unknown;
  holders(
    chainId: number,
    token: string,
    page: Page & { readonly ascending: boolean },
    at: number,
  ): unknown;

  tokenInfo(chainId: number, token: string, at: number): unknown;
  legacyHolders(chainId: number, token: string, page: Page, at: number): unknown;
  legacyBalances(chainId: number, token: string, wallets: readonly string[], at: number): unknown;
  legacyBalanceHistory(
    chainId: number,
    token: string,
    wallet: string,
    page: Page,
    at: number,
  ): unknown;
  tokenPrice(chainId: number, token: string, at: number): unknown;
  priceHistory(chainId: number, token: string, period: Period, page: Page, at: number): unknown;

  /** The hours that begin in [from, to] (epoch ms), oldest first, as they are known at `at`. */
  gasHours(chainId: number, from: number, to: number, at: number): unknown;

  /** What the specification does not have; absent: there are no such endpoints. */
  readonly beyond?: WorldBeyond;
}

/** What only EVM nodes know of positions. `nft` is an id in decimal. */
export interface PositionsBeyond {
  /** A position of V3 with its fees, and its pool's price. */
  v3Position(chainId: number, nft: string): unknown;
  /** What a position of V4 has earned since it was changed last. */
  v4Fees(chainId: number, nft: string): unknown;
  /** What a position holds, owes, and was given. */
  v3Hold(chainId: number, nft: string): unknown;
  v4Hold(chainId: number, nft: string): unknown;
  /** All positions that an owner has now, as a list. */
  v3Owned(chainId: number, owner: string): unknown;
  v4Owned(chainId: number, owner: string): unknown;
}

/** What only EVM nodes know. Each answers about now, as the methods of a world do. */
export interface WorldBeyond extends PositionsBeyond {
  /** What an account holds of the chain's own currency. */
  nativeBalance(chainId: number, wallet: string): unknown;
  /** How much of a token its owner lets the spender take; undefined: it is no such token. */
  allowance(chainId: number, token: string, owner: string, spender: string): unknown;
  /** What a contract's function gives for these arguments, its numbers with so many decimals. */
  call(
    chainId: number,
    address: string,
    signature: string,
    args: readonly string[],
    decimals: number,
  ): unknown;
  /** The base fee and tips of the newest blocks, so many. */
  gasNow(chainId: number, blocks: number): unknown;
}
