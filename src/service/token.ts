import { DAY, HOUR } from "../base/duration.ts";
import type { Blocks } from "./blocks.ts";
import { type ListedToken, STABLECOIN } from "./listed-token.ts";
import { type Octave, stream, wander } from "./noise.ts";
import { steps } from "./steps.ts";
import { mintedRaw, scriptedHolders, type TokenEvent, transferredRaw } from "./token-script.ts";

/** The records of the specification for the stablecoin on one chain; amounts are raw units. */
export type SupplyRecord = Readonly<{
  token_address: string;
  chain_id: number;
  total_supply: string;
}>;
export type BalanceRecord = Readonly<{
  token_address: string;
  chain_id: number;
  wallet_address: string;
  balance: string;
}>;
export type HolderCountRecord = Readonly<{
  token_address: string;
  chain_id: number;
  holder_count: number;
}>;

/** The token on one chain, each record as the newest block at `at` (epoch ms) left it. */
export interface Token {
  supply(at: number): SupplyRecord;
  /** A wallet that is not listed has 0; the answer names it in lower case. */
  balance(wallet: string, at: number): BalanceRecord;
  holderCount(at: number): HolderCountRecord;
}

/** What a token needs of the market around it. */
export interface TokenSurroundings {
  readonly blocks: Blocks;
  readonly seed: number;
  readonly start: number;
  readonly script: readonly TokenEvent[];
}

/** Mints and burns: within an hour and a half far less than a hundredth of a percent. */
const ISSUANCE: readonly Octave[] = [
  { period: 8 * HOUR, size: 0.00002 },
  { period: DAY, size: 0.00006 },
  { period: 8 * DAY, size: 0.0004 },
  { period: 60 * DAY, size: 0.003 },
];

/** New holders in a day, as a share of all. */
const GROWTH = 0.0007;
/** Wallets that are emptied and come back. */
const CHURN: readonly Octave[] = [
  { period: 3 * HOUR, size: 0.0003 },
  { period: DAY, size: 0.0006 },
];

export function tokenOf(listed: ListedToken, around: TokenSurroundings): Token {
  const { chainId } = listed;
  const { blocks, seed, start, script } = around;
  const name = `token:${chainId}`;
  const issued = steps(seed, `${name}:supply`, listed.supply, listed.lot, ISSUANCE);
  const churn = wander(stream(seed, `${name}:holders`), CHURN);
  const wallets = new Map(
    listed.wallets.map(({ address, balance, lot, flow }) => [
      address,
      steps(seed, `${name}:${address}`, balance, lot, flow),
    ]),
  );
  const of = { token_address: STABLECOIN, chain_id: chainId };
  // Nothing changes but in a block.
  const timeIn = (at: number): number => blocks.timeOf(blocks.numberAt(at)) - start;

  return {
    supply: (at) => {
      const t = timeIn(at);
      const supply = issued(t) + mintedRaw(script, chainId, t);
      return { ...of, total_supply: supply.toString() };
    },
    balance: (wallet, at) => {
      const address = wallet.toLowerCase();
      const t = timeIn(at);
      const own = wallets.get(address)?.(t) ?? 0n;
      const balance = own + transferredRaw(script, chainId, address, t);
      return { ...of, wallet_address: address, balance: balance.toString() };
    },
    holderCount: (at) => {
      const t = timeIn(at);
      const level = Math.exp((GROWTH * t) / DAY + churn(t)) * scriptedHolders(script, chainId, t);
      return { ...of, holder_count: Math.round(listed.holders * level) };
    },
  };
}
