import { isoTime, sixDecimals } from "../../api/written.ts";
import { chainById } from "../../base/chains.ts";
import { pow10 } from "../../base/decimal.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ChainParts } from "./chain-state.ts";
import { quotient, valueOf } from "./price.ts";
import { balanceIn, supplyOf } from "./tokens.ts";
import { written } from "./v4-pools.ts";

/** The records of tokens that a node can answer, in both families. Addresses are in lower case. */

/** Undefined: there is no such token. Each rejects with RpcError. */
export async function supplyRecord(reader: BlockReader, chainId: number, token: string) {
  const supply = await supplyOf(reader, token);
  if (supply === null) return undefined;
  return { token_address: token, chain_id: chainId, total_supply: supply.toString() };
}

export async function balanceRecord(
  reader: BlockReader,
  chainId: number,
  token: string,
  wallet: string,
) {
  const balance = await balanceIn(reader, token, wallet);
  if (balance === null) return undefined;
  const own = { token_address: token, chain_id: chainId };
  return { ...own, wallet_address: wallet, balance: balance.toString() };
}

/** One entry for each wallet, in the order of the question. */
export async function legacyBalancesRecord(
  reader: BlockReader,
  chainId: number,
  token: string,
  wallets: readonly string[],
  { tokens }: ChainParts,
) {
  const [{ decimals }, ...held] = await Promise.all([
    tokens.facts(reader, token),
    ...wallets.map((wallet) => balanceIn(reader, token, wallet)),
  ]);
  if (held.every((balance) => balance === null)) return undefined;
  const balances = wallets.map((wallet, i) => ({
    wallet_address: wallet,
    balance: held[i]?.toString() ?? null,
    balance_formatted: written(held[i] ?? null, decimals),
  }));
  return { token_address: token, chain_id: chainId, balances };
}

/** Counts and the logo are not in the state: null. */
export async function tokenInfoRecord(
  reader: BlockReader,
  chainId: number,
  token: string,
  { tokens, origins }: ChainParts,
) {
  const [{ name, symbol, decimals }, supply] = await Promise.all([
    tokens.facts(reader, token),
    supplyOf(reader, token),
  ]);
  if (supply === null) return undefined;
  const origin = origins.of({ kind: "token", id: token }, reader.header);
  return {
    token_address: token,
    chain_id: chainId,
    name,
    symbol,
    decimals,
    total_supply: supply.toString(),
    total_supply_formatted: decimals === null ? null : sixDecimals(supply, decimals),
    holder_count: null,
    transfer_count: null,
    contract_creator: origin?.creator ?? null,
    creation_block: origin?.block ?? null,
    creation_timestamp: origin === null ? null : isoTime(origin.time),
    logo_url: null,
  };
}

/** Price and market cap at the reader's block, and changes to it; what needs extremes or other venues is null. */
export async function tokenPriceRecord(
  reader: BlockReader,
  chainId: number,
  token: string,
  { tokens, usdOf, contracts, pastPrices }: ChainParts,
) {
  // Only where the native currency is ether is a price in it one in ether.
  const ether = chainById(chainId)?.nativeSymbol === "ETH" ? contracts.wrappedNative : null;
  const [{ name, symbol, decimals }, supply, usd, etherUsd] = await Promise.all([
    tokens.facts(reader, token),
    supplyOf(reader, token),
    usdOf(reader, token),
    ether === null ? null : usdOf(reader, ether),
  ]);
  if (supply === null) return undefined;
  const eth = usd === null || etherUsd === null || etherUsd === 0 ? null : usd / etherUsd;
  const since = (hours: number): ReturnType<typeof changeOf> =>
    changeOf(usd, usd === null ? null : pastPrices.before(reader, token, hours));
  const [day, week] = [since(24), since(168)];
  return {
    token_address: token,
    chain_id: chainId,
    symbol,
    name,
    current_price: { usd, eth, btc: null },
    market_data: {
      market_cap_usd: valueOf(supply, decimals, usd),
      volume_24h_usd: null,
      price_change_24h: day.change,
      price_change_percentage_24h: day.percent,
      price_change_7d: week.change,
      price_change_percentage_7d: week.percent,
      high_24h: null,
      low_24h: null,
      circulating_supply: null,
      total_supply: decimals === null ? null : quotient(supply, pow10(decimals)),
      max_supply: null,
    },
    last_updated: isoTime(reader.header.time),
  };
}

/** What became of a price since, in dollars and percent. */
function changeOf(
  usd: number | null,
  before: number | null,
): { readonly change: number | null; readonly percent: number | null } {
  if (usd === null || before === null) return { change: null, percent: null };
  const change = usd - before;
  return { change, percent: before === 0 ? null : (change / before) * 100 };
}
