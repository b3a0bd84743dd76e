import { cents, seconds, sixDecimals } from "../api/written.ts";
import { DAY } from "../base/duration.ts";
import { amountsForLiquidity } from "../base/ticks.ts";
import type { Stake } from "./liquidity.ts";
import {
  BNB_USDT,
  ETH_USDC,
  ETH_USDC_BASE,
  ETH_USDC_UNICHAIN,
  EURC_USDC_BASE,
  LISTED_POOLS,
  type ListedPool,
  USDC_USDT_POLYGON,
  WBTC_WETH,
  ZERO_ADDRESS,
} from "./listed-pools.ts";
import { MAKER, TREASURY_WALLET } from "./listed-tokens.ts";
import type { Blocks } from "./networks.ts";
import type { Pool } from "./pools.ts";
import type { PositionRef, Story } from "./script.ts";
import { scriptedClose, scriptedOwners } from "./scripted.ts";
import { wholeTokens } from "./units.ts";

/** What is fixed about a position of the market. */
export interface ListedPosition {
  /** A pool's id; chain and protocol are the pool's. */
  readonly pool: string;
  readonly nft: string;
  readonly owner: string;
  readonly lowerTick: number;
  readonly upperTick: number;
  readonly liquidity: bigint;
  /** When it was minted, in days before the market's start. */
  readonly ageDays: number;
}

/** The contracts that mint position NFTs, by protocol and chain. */
const MANAGERS: Readonly<Record<string, string>> = {
  "dexa:1": "0xbD216513d74C8cf14cf4747E6AaA6420FF64ee9e",
  "dexa:130": "0x4529A01c7A0410167c5740C487A8DE60232617bf",
  "dexa:137": "0x1Ec2eBf4F37E7363FDfe3551602425af0B3ceef9",
  "dexa:8453": "0x7C5f5A4bBd8fD63184577525326123B519429bDc",
  "dexb:1": "0x9120b6f219b709862f46ba81f500bd3311f00afb",
  "dexb:56": "0x55f4c8abA71A1e923edC303eb4fEfF14608cC226",
};

export function managerOf({ protocol, chainId }: ListedPool): string {
  return MANAGERS[`${protocol}:${chainId}`] ?? ZERO_ADDRESS;
}

/** In range, 3.5% to either side of the starting price: the demo pushes the price out of it. */
export const TREASURY_NFT = "128404";
/** Above the price, all ETH: the demo closes it. */
export const IDLE_NFT = "45120";
/** A uint256 of 78 digits. */
export const LONG_NFT =
  "104729331890217765403218876540912387654098123765401928376501928374650192837465";

const PRIVATE = "0xa23b75c18c2e993fd7686535aec9f7f015fc0e50";

export const LISTED_POSITIONS: readonly ListedPosition[] = [
  position(
    ETH_USDC,
    TREASURY_NFT,
    TREASURY_WALLET,
    [-200_250, -199_530],
    90_981_939_733_915_792n,
    41,
  ),
  position(ETH_USDC, "91777", MAKER, [-203_000, -197_000], 6_366_902_391_712_635n, 118),
  // Below the price, all USDC.
  position(ETH_USDC, "60312", PRIVATE, [-203_500, -201_500], 6_059_807_759_634_673n, 160),
  position(ETH_USDC, IDLE_NFT, MAKER, [-198_500, -196_900], 12_425_142_901_890_486n, 187),
  // Closed long ago.
  position(ETH_USDC, "33019", PRIVATE, [-200_500, -199_500], 0n, 212),
  // Nearly the full range with hardly anything in it: dust that must be told exactly.
  position(ETH_USDC, "7301", PRIVATE, [-887_270, 887_270], 49_387_053_232n, 290),
  position(WBTC_WETH, LONG_NFT, TREASURY_WALLET, [262_020, 266_820], 368_963_728_840_580n, 77),
  position(BNB_USDT, "5120", MAKER, [65_260, 70_060], 7_802_928_837_055_042_551_808n, 64),
  position(BNB_USDT, "6044", PRIVATE, [71_500, 73_000], 1_950_732_209_263_760_637_952n, 22),
  position(USDC_USDT_POLYGON, "20881", TREASURY_WALLET, [-12, 10], 227_362_595_101_421n, 95),
  position(ETH_USDC_BASE, "410233", MAKER, [-202_800, -196_800], 2_594_053_813_394_212n, 51),
  position(EURC_USDC_BASE, "398107", TREASURY_WALLET, [1_300, 1_640], 988_007_836_395n, 33),
  position(ETH_USDC_UNICHAIN, "15533", MAKER, [-202_500, -197_500], 5_683_593_880_357_012n, 88),
];

function position(
  pool: string,
  nft: string,
  owner: string,
  [lowerTick, upperTick]: readonly [number, number],
  liquidity: bigint,
  ageDays: number,
): ListedPosition {
  return { pool, nft, owner, lowerTick, upperTick, liquidity, ageDays };
}

/** The pool of a listed position. */
export function homeOf({ pool }: ListedPosition): ListedPool {
  const home = LISTED_POOLS.find(({ id }) => id === pool);
  if (home === undefined) throw new Error(`the market's lists do not fit: ${pool}`);
  return home;
}

export function refOf(listed: ListedPosition): PositionRef {
  const { chainId: chain, protocol } = homeOf(listed);
  return { chain, protocol, nft: listed.nft };
}

/** The blocks in which a position is minted and closed; null: it stays open. */
interface Life {
  readonly minted: number;
  readonly closed: number | null;
}

function lifeOf(listed: ListedPosition, blocks: Blocks, { start, script }: Story): Life {
  // A position that is listed without liquidity was closed a day after it was minted.
  const always = listed.liquidity === 0n ? (1 - listed.ageDays) * DAY : Number.POSITIVE_INFINITY;
  const closedAt = Math.min(always, scriptedClose(script, refOf(listed)));
  return {
    minted: blocks.numberAt(start - listed.ageDays * DAY),
    closed: Number.isFinite(closedAt) ? blocks.numberAt(start + closedAt) + 1 : null,
  };
}

/** A position's part in the liquidity of its pool. */
export function stakeOf(listed: ListedPosition, blocks: Blocks, story: Story): Stake {
  const { minted, closed } = lifeOf(listed, blocks, story);
  return {
    nft: listed.nft,
    lower: listed.lowerTick,
    upper: listed.upperTick,
    liquidity: listed.liquidity,
    minted: blocks.timeOf(minted),
    closed: closed === null ? null : blocks.timeOf(closed),
  };
}

/**
 * The record of a position at a time (epoch ms); undefined before it was minted. An open position
 * is as new as the latest swap of its pool, for each of them moves its amounts; a closed one keeps
 * the block in which it was closed.
 */
export function positionOf(listed: ListedPosition, pool: Pool, blocks: Blocks, story: Story) {
  const home = homeOf(listed);
  const { chainId, protocol, token0, token1 } = home;
  const { minted, closed } = lifeOf(listed, blocks, story);
  const owners = scriptedOwners(story.script, refOf(listed)).map(({ at, owner }) => ({
    owner,
    block: blocks.numberAt(story.start + at) + 1,
  }));

  return (at: number) => {
    const now = pool.state(at);
    if (now === undefined || at < blocks.timeOf(minted)) return undefined;
    const isClosed = closed !== null && at >= blocks.timeOf(closed);
    const liquidity = isClosed ? 0n : listed.liquidity;
    const { lowerTick, upperTick } = listed;
    const held = amountsForLiquidity(now.sqrtPriceX96, lowerTick, upperTick, liquidity);
    const usd0 = wholeTokens(held.amount0, token0.decimals) * now.usd0;
    const total = usd0 + wholeTokens(held.amount1, token1.decimals) * now.usd1;
    const given = owners.findLast(({ block }) => at >= blocks.timeOf(block));
    const latest = isClosed ? closed : Math.max(minted, now.swap.block);
    const block = Math.max(latest, given?.block ?? 0);
    return {
      chain_id: chainId,
      protocol,
      manager_address: managerOf(home),
      nft_id: listed.nft,
      pool_id: home.id,
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
