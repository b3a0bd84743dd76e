import { TOPICS } from "../../../src/chain/codec/events.ts";
import { wordOf, wordOfAddress } from "../../../src/chain/codec/words.ts";
import type { FakeLog } from "./fake-chain.ts";
import {
  MANAGER,
  POSITION_MANAGER,
  TOKEN,
  V3_POOL,
  V3_POSITION_MANAGER,
  V4_POOL,
} from "./indexing.ts";

export const NOBODY = `0x${"0".repeat(40)}`;

/** The n-th wallet of the tests. */
export function wallet(n: number): string {
  return `0x${(n + 1).toString(16).padStart(40, "0")}`;
}

export function transfer(from: string, to: string, value: bigint, token = TOKEN): FakeLog {
  const topics = [TOPICS.transfer, `0x${wordOfAddress(from)}`, `0x${wordOfAddress(to)}`];
  return { address: token, topics, data: `0x${wordOf(value)}` };
}

/** A V4 position that goes from one owner to another. */
export function nftTransfer(from: string, to: string, nft: bigint): FakeLog {
  const [sender, receiver] = [`0x${wordOfAddress(from)}`, `0x${wordOfAddress(to)}`];
  const topics = [TOPICS.transfer, sender, receiver, `0x${wordOf(nft)}`];
  return { address: POSITION_MANAGER, topics, data: "0x" };
}

export function v3Flow(
  kind: "v3Increase" | "v3Decrease" | "v3Collect",
  nft: bigint,
  [amount0, amount1]: readonly [bigint, bigint],
): FakeLog {
  const first = kind === "v3Collect" ? BigInt(wallet(4)) : 1_000n;
  const data = `0x${[first, amount0, amount1].map(wordOf).join("")}`;
  return { address: V3_POSITION_MANAGER, topics: [TOPICS[kind], `0x${wordOf(nft)}`], data };
}

export interface FakeSwap {
  /** As the pool sees it. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
}

const LIQUIDITY = 10n ** 18n;

export function v3Swap({ amount0, amount1, sqrtPriceX96, tick }: FakeSwap): FakeLog {
  const words = [amount0, amount1, sqrtPriceX96, LIQUIDITY, tick].map(wordOf);
  return {
    address: V3_POOL,
    topics: [TOPICS.v3Swap, `0x${wordOfAddress(wallet(1))}`, `0x${wordOfAddress(wallet(2))}`],
    data: `0x${words.join("")}`,
  };
}

/** V4 logs the trader's amounts. */
export function v4Swap(
  { amount0, amount1, sqrtPriceX96, tick }: FakeSwap,
  fee = 3_000,
  pool = V4_POOL,
): FakeLog {
  const words = [-amount0, -amount1, sqrtPriceX96, LIQUIDITY, tick, fee].map(wordOf);
  return {
    address: MANAGER,
    topics: [TOPICS.v4Swap, pool, `0x${wordOfAddress(wallet(1))}`],
    data: `0x${words.join("")}`,
  };
}

export function v4Liquidity(delta: bigint, lower: number, upper: number, nft: number): FakeLog {
  return {
    address: MANAGER,
    topics: [TOPICS.v4ModifyLiquidity, V4_POOL, `0x${wordOfAddress(wallet(9))}`],
    data: `0x${[lower, upper, delta, nft].map(wordOf).join("")}`,
  };
}
