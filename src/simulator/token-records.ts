import { isoTime, signed, signedDecimals, sixDecimals } from "../api/written.ts";
import { isoDay, midnightOf } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import type { Days, Page } from "../serve/world.ts";
import { crowdOf, type Holding } from "./holders.ts";
import { ZERO_ADDRESS } from "./listed-pools.ts";
import type { Token } from "./token.ts";

/** The records of the specification for tokens, in both families; amounts are raw units. */

function ofToken({ listed }: Token) {
  return { token_address: listed.coin.address, chain_id: listed.chainId };
}

export function supplyRecord(token: Token, at: number) {
  return { ...ofToken(token), total_supply: token.supply(at).toString() };
}

/** The answer names the wallet in lower case. */
export function balanceRecord(token: Token, wallet: string, at: number) {
  return {
    ...ofToken(token),
    wallet_address: wallet.toLowerCase(),
    balance: token.balance(wallet, at).toString(),
  };
}

export function holderCountRecord(token: Token, at: number) {
  return { ...ofToken(token), holder_count: token.holderCount(at) };
}

export function holderRecords(
  token: Token,
  { size, offset, ascending }: Page & { readonly ascending: boolean },
  at: number,
) {
  return token.holders(at, offset, size, ascending).map(({ address, balance }) => ({
    wallet_address: address,
    ...ofToken(token),
    balance: balance.toString(),
  }));
}

export function legacyHoldersRecord(token: Token, { size, offset }: Page, at: number) {
  const holders = token.holders(at, offset, size, false).map((one) => walletEntry(token, one));
  return { ...ofToken(token), total_holders: token.holderCount(at), holders };
}

/** One entry for each wallet, in the order of the question. */
export function legacyBalancesRecord(token: Token, wallets: readonly string[], at: number) {
  const balances = wallets.map((wallet) =>
    walletEntry(token, { address: wallet.toLowerCase(), balance: token.balance(wallet, at) }),
  );
  return { ...ofToken(token), balances };
}

/** What a wallet holds, in the lists of the earlier family. */
function walletEntry({ listed }: Token, { address, balance }: Holding) {
  return {
    wallet_address: address,
    balance: balance.toString(),
    balance_formatted: sixDecimals(balance, listed.coin.decimals),
  };
}

export function tokenInfoRecord(token: Token, at: number) {
  const { coin, chainId } = token.listed;
  const { name, symbol, decimals, address } = coin;
  const supply = token.supply(at);
  // The native currency was created by nobody.
  const creator =
    address === ZERO_ADDRESS
      ? ZERO_ADDRESS
      : crowdOf(`creator:${chainId}:${address.toLowerCase()}`).address(0);
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

/** Daily histories: a day's value is what a question at its last millisecond was answered. */

export function supplyHistory(token: Token, days: Days, at: number) {
  return daysOf(token, days, at).map((day) => ({
    date: isoDay(day),
    total_supply: token.supply(endOf(day, at)).toString(),
  }));
}

export function balanceHistory(token: Token, wallet: string, days: Days, at: number) {
  return daysOf(token, days, at).map((day) => ({
    date: isoDay(day),
    balance: token.balance(wallet, endOf(day, at)).toString(),
  }));
}

/**
 * The newest day first, each with the change since the day before; on the day of the token's
 * creation that is the balance itself.
 */
export function legacyBalanceHistory(
  token: Token,
  wallet: string,
  { size, offset }: Page,
  at: number,
) {
  const { decimals } = token.listed.coin;
  const newest = midnightOf(at) - offset * DAY;
  const days = daysOf(token, { from: newest - (size - 1) * DAY, to: newest }, at).toReversed();
  const points = days.map((day) => {
    const end = endOf(day, at);
    const balance = token.balance(wallet, end);
    const change = balance - (day > token.created.time ? token.balance(wallet, day - 1) : 0n);
    return {
      date: isoTime(day),
      balance: balance.toString(),
      balance_formatted: sixDecimals(balance, decimals),
      balance_change: signed(change),
      balance_change_formatted: signedDecimals(change, decimals),
      block_number: token.block(end),
    };
  });
  return { ...ofToken(token), wallet_address: wallet.toLowerCase(), historical_balances: points };
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
