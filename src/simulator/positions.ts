import { DAY } from "../base/duration.ts";
import { amountsForLiquidity } from "../base/ticks.ts";
import { type ListedPosition, managerOf } from "./listed-positions.ts";
import type { Blocks } from "./networks.ts";
import type { Pool } from "./pools.ts";
import { cents, seconds, sixDecimals, wholeTokens } from "./units.ts";

/** The V4 position record of the specification. */
export type PositionRecord = Readonly<{
  chain_id: number;
  protocol: string;
  manager_address: string;
  nft_id: string;
  pool_id: string;
  owner_address: string;
  lower_tick: number;
  upper_tick: number;
  liquidity: string;
  amount0: string;
  amount1: string;
  amount0_d: string;
  amount1_d: string;
  core_total_usd: number;
  ratio: number;
  block_number: string;
  timestamp: string;
}>;

/** The blocks in which a position is minted and closed; null: it stays open. */
export interface Life {
  readonly minted: number;
  readonly closed: number | null;
}

/** `close` is when its liquidity is withdrawn by the script, in ms after start; null: never. */
export function lifeOf(
  listed: ListedPosition,
  blocks: Blocks,
  start: number,
  close: number | null,
): Life {
  // A position that is listed without liquidity was closed a day after it was minted.
  const always = listed.liquidity === 0n ? (1 - listed.ageDays) * DAY : Number.POSITIVE_INFINITY;
  const closedAt = Math.min(always, close ?? Number.POSITIVE_INFINITY);
  return {
    minted: blocks.numberAt(start - listed.ageDays * DAY),
    closed: closedAt === Number.POSITIVE_INFINITY ? null : blocks.numberAt(start + closedAt) + 1,
  };
}

/** What a position needs of the market around it. */
export interface PositionSurroundings {
  readonly pool: Pool;
  readonly protocol: string;
  readonly blocks: Blocks;
  readonly life: Life;
  /** From which blocks on it is whose; before the first, the listed owner's. */
  readonly owners: readonly { readonly block: number; readonly owner: string }[];
}

/**
 * The record of a position at a time (epoch ms); undefined before it was minted. An open position
 * is as new as the latest swap of its pool, for each of them moves its amounts; a closed one keeps
 * the block in which it was closed.
 */
export function positionOf(
  listed: ListedPosition,
  { pool, protocol, blocks, life, owners }: PositionSurroundings,
): (at: number) => PositionRecord | undefined {
  const { chainId, token0, token1 } = pool.listed;
  const { minted, closed } = life;

  return (at) => {
    const now = pool.state(at);
    if (now === undefined || at < blocks.timeOf(minted)) return undefined;
    const gone = closed !== null && at >= blocks.timeOf(closed);
    const liquidity = gone ? 0n : listed.liquidity;
    const { lowerTick, upperTick } = listed;
    const held = amountsForLiquidity(now.sqrtPriceX96, lowerTick, upperTick, liquidity);
    const usd0 = wholeTokens(held.amount0, token0.decimals) * now.usd0;
    const total = usd0 + wholeTokens(held.amount1, token1.decimals) * now.usd1;
    const given = owners.findLast(({ block }) => at >= blocks.timeOf(block));
    const latest = gone ? closed : Math.max(minted, now.swap.block);
    const block = Math.max(latest, given?.block ?? 0);
    return {
      chain_id: chainId,
      protocol,
      manager_address: managerOf(protocol, chainId),
      nft_id: listed.nft,
      pool_id: pool.listed.id,
      owner_address: given?.owner ?? listed.owner,
      lower_tick: lowerTick,
      upper_tick: upperTick,
      liquidity: liquidity.toString(),
      amount0: held.amount0.toString(),
      amount1: held.amount1.toString(),
      amount0_d: sixDecimals(held.amount0, token0.decimals),
      amount1_d: sixDecimals(held.amount1, token1.decimals),
      core_total_usd: cents(total),
      ratio: total === 0 ? 0 : Math.round((usd0 / total) * 1e6) / 1e6,
      block_number: String(block),
      timestamp: seconds(blocks.timeOf(block)),
    };
  };
}
