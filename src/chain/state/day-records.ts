import { isoTime, signed, signedDecimals } from "../../api/written.ts";
import { isoDay, midnightOf } from "../../base/clock.ts";
import { DAY } from "../../base/duration.ts";
import type { Days as DayRange, Page } from "../../serve/world.ts";
import { balanceOfData, SELECTORS } from "../codec/calls.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ChainParts } from "./chain-state.ts";
import { balanceIn, supplyOf } from "./tokens.ts";
import { written } from "./v4-pools.ts";

/** Daily histories of tokens; undefined: there is no such token. Each rejects with RpcError and NoArchive. */

function daysIn({ from, to }: DayRange): readonly number[] {
  const count = Math.max(0, Math.floor((to - from) / DAY) + 1);
  return Array.from({ length: count }, (_, i) => from + i * DAY);
}

/** The oldest day first. */
export async function supplyHistory(
  reader: BlockReader,
  token: string,
  range: DayRange,
  { days }: ChainParts,
) {
  if ((await supplyOf(reader, token)) === null) return undefined;
  const call = { to: token, data: SELECTORS.totalSupply };
  const values = await days.values(daysIn(range), reader.header, call);
  return values.map(({ day, value }) => ({ date: isoDay(day), total_supply: value.toString() }));
}

/** The oldest day first. */
export async function balanceHistory(
  reader: BlockReader,
  token: string,
  wallet: string,
  range: DayRange,
  { days }: ChainParts,
) {
  if ((await balanceIn(reader, token, wallet)) === null) return undefined;
  const call = { to: token, data: balanceOfData(wallet) };
  const values = await days.values(daysIn(range), reader.header, call);
  return values.map(({ day, value }) => ({ date: isoDay(day), balance: value.toString() }));
}

/** The newest day first, each with the change since the day before; null where that day is not known. */
export async function legacyBalanceHistory(
  reader: BlockReader,
  token: string,
  wallet: string,
  { size, offset }: Page,
  { days, tokens, chainId }: ChainParts,
) {
  if ((await balanceIn(reader, token, wallet)) === null) return undefined;
  const newest = midnightOf(reader.header.time) - offset * DAY;
  const call = { to: token, data: balanceOfData(wallet) };
  const range = daysIn({ from: newest - size * DAY, to: newest });
  const [{ decimals }, values] = await Promise.all([
    tokens.facts(reader, token),
    days.values(range, reader.header, call),
  ]);
  const byDay = new Map(values.map((value) => [value.day, value]));
  const points = values.flatMap(({ day, block, value }) => {
    if (day <= newest - size * DAY) return [];
    const before = byDay.get(day - DAY);
    const change = before === undefined ? null : value - before.value;
    return {
      date: isoTime(day),
      balance: value.toString(),
      balance_formatted: written(value, decimals),
      balance_change: change === null ? null : signed(change),
      balance_change_formatted:
        change === null || decimals === null ? null : signedDecimals(change, decimals),
      block_number: block,
    };
  });
  const own = { token_address: token, wallet_address: wallet, chain_id: chainId };
  return { ...own, historical_balances: points.toReversed() };
}
