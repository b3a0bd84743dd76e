import { DAY } from "../base/duration.ts";
import { midnightOf } from "../base/times.ts";
import type { Days } from "../serve/world.ts";
import type { Holding } from "./holders.ts";
import type { Token } from "./token.ts";
import { isoDay, isoTime, signedDecimals, sixDecimals } from "./units.ts";

/** The records of the specification for tokens, in both families; amounts are raw units. */

interface OfToken {
  readonly token_address: string;
  readonly chain_id: number;
}

export type SupplyRecord = Readonly<OfToken & { total_supply: string }>;
export type BalanceRecord = Readonly<OfToken & { wallet_address: string; balance: string }>;
export type HolderCountRecord = Readonly<OfToken & { holder_count: number }>;
export type HolderRecord = BalanceRecord;

/** Earlier family: what a wallet holds, in its lists. */
type WalletEntry = Readonly<{ wallet_address: string; balance: string; balance_formatted: string }>;
export type LegacyHoldersRecord = Readonly<
  OfToken & { total_holders: number; holders: readonly WalletEntry[] }
>;
export type LegacyBalancesRecord = Readonly<OfToken & { balances: readonly WalletEntry[] }>;
export type LegacyTokenInfo = Readonly<
  OfToken & {
    name: string;
    symbol: string;
    decimals: number;
    total_supply: string;
    total_supply_formatted: string;
    holder_count: number;
    transfer_count: number;
    contract_creator: string;
    creation_block: number;
    creation_timestamp: string;
    logo_url: string;
  }
>;

function ofToken({ listed }: Token): OfToken {
  return { token_address: listed.coin.address, chain_id: listed.chainId };
}

export function supplyRecord(token: Token, at: number): SupplyRecord {
  return { ...ofToken(token), total_supply: token.supply(at).toString() };
}

/** The answer names the wallet in lower case. */
export function balanceRecord(token: Token, wallet: string, at: number): BalanceRecord {
  return {
    ...ofToken(token),
    wallet_address: wallet.toLowerCase(),
    balance: token.balance(wallet, at).toString(),
  };
}

export function holderCountRecord(token: Token, at: number): HolderCountRecord {
  return { ...ofToken(token), holder_count: token.holderCount(at) };
}

export function holderRecord(token: Token, { address, balance }: Holding): HolderRecord {
  const { token_address, chain_id } = ofToken(token);
  return { wallet_address: address, token_address, chain_id, balance: balance.toString() };
}

export function legacyHoldersRecord(
  token: Token,
  page: readonly Holding[],
  at: number,
): LegacyHoldersRecord {
  const holders = page.map((holding) => walletEntry(token, holding));
  return { ...ofToken(token), total_holders: token.holderCount(at), holders };
}

/** One entry for each wallet, in the order of the question. */
export function legacyBalancesRecord(
  token: Token,
  wallets: readonly string[],
  at: number,
): LegacyBalancesRecord {
  const balances = wallets.map((wallet) =>
    walletEntry(token, { address: wallet.toLowerCase(), balance: token.balance(wallet, at) }),
  );
  return { ...ofToken(token), balances };
}

function walletEntry({ listed }: Token, { address, balance }: Holding): WalletEntry {
  return {
    wallet_address: address,
    balance: balance.toString(),
    balance_formatted: sixDecimals(balance, listed.coin.decimals),
  };
}

export function tokenInfoRecord(token: Token, creator: string, at: number): LegacyTokenInfo {
  const { coin, chainId } = token.listed;
  const { name, symbol, decimals, address } = coin;
  const supply = token.supply(at);
  return {
    ...ofToken(token),
    name,
    symbol,
    decimals,
    total_supply: supply.toString(),
    total_supply_formatted: sixDecimals(supply, decimals),
    holder_count: token.holderCount(at),
    transfer_count: token.transferCount(at),
    contract_creator: creator,
    creation_block: token.created.block,
    creation_timestamp: isoTime(token.created.time),
    logo_url: `https://logos.example.org/${chainId}/${address.toLowerCase()}.png`,
  };
}

/** A point of the earlier family's balance history: the day's balance against the day's before. */
function balanceChange(
  { listed }: Token,
  before: bigint,
  balance: bigint,
): Readonly<{
  balance: string;
  balance_formatted: string;
  balance_change: string;
  balance_change_formatted: string;
}> {
  const change = balance - before;
  const { decimals } = listed.coin;
  return {
    balance: balance.toString(),
    balance_formatted: sixDecimals(balance, decimals),
    balance_change: change > 0n ? `+${change}` : change.toString(),
    balance_change_formatted: signedDecimals(change, decimals),
  };
}

/** Daily histories: a day's value is what a question at its last millisecond was answered. */

export type SupplyPoint = Readonly<{ date: string; total_supply: string }>;
export type BalancePoint = Readonly<{ date: string; balance: string }>;
export type LegacyBalanceHistory = Readonly<{
  token_address: string;
  wallet_address: string;
  chain_id: number;
  historical_balances: readonly Readonly<{
    date: string;
    balance: string;
    balance_formatted: string;
    balance_change: string;
    balance_change_formatted: string;
    block_number: number;
  }>[];
}>;

export function supplyHistory(token: Token, days: Days, at: number): readonly SupplyPoint[] {
  return daysOf(token, days, at).map((day) => ({
    date: isoDay(day),
    total_supply: token.supply(endOf(day, at)).toString(),
  }));
}

export function balanceHistory(
  token: Token,
  wallet: string,
  days: Days,
  at: number,
): readonly BalancePoint[] {
  return daysOf(token, days, at).map((day) => ({
    date: isoDay(day),
    balance: token.balance(wallet, endOf(day, at)).toString(),
  }));
}

/**
 * The newest day first, `limit` days at most after `offset` others. On the day of the token's
 * creation the change is the balance itself.
 */
export function legacyBalanceHistory(
  token: Token,
  wallet: string,
  limit: number,
  offset: number,
  at: number,
): LegacyBalanceHistory {
  const { listed, created } = token;
  const newest = midnightOf(at) - offset * DAY;
  const days = daysOf(token, { from: newest - (limit - 1) * DAY, to: newest }, at).toReversed();
  return {
    token_address: listed.coin.address,
    wallet_address: wallet.toLowerCase(),
    chain_id: listed.chainId,
    historical_balances: days.map((day) => {
      const end = endOf(day, at);
      const before = day > created.time ? token.balance(wallet, day - 1) : 0n;
      return {
        date: isoTime(day),
        ...balanceChange(token, before, token.balance(wallet, end)),
        block_number: token.block(end),
      };
    }),
  };
}

/** Days before the token's creation and days to come are left out. */
function daysOf({ created }: Token, { from, to }: Days, at: number): readonly number[] {
  const first = Math.max(midnightOf(created.time), from);
  const last = Math.min(midnightOf(at), to);
  const count = Math.max(0, Math.floor((last - first) / DAY) + 1);
  return Array.from({ length: count }, (_, i) => first + i * DAY);
}

/** When a day's value is taken; the running day's is the current one. */
function endOf(day: number, at: number): number {
  return Math.min(day + DAY - 1, at);
}
