import { DAY } from "../base/duration.ts";
import { midnightOf } from "../base/times.ts";
import type { Days } from "../serve/world.ts";
import { isoDay, isoTime } from "./iso.ts";
import type { Token } from "./token.ts";
import { balanceChange } from "./token-records.ts";

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
