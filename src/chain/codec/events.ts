import { isMap } from "../../base/json.ts";
import {
  addressAt,
  hashOf,
  hexData,
  intAt,
  keccakOfText,
  quantity,
  smallIntAt,
  uintAt,
} from "./words.ts";

/** The first topic of an event such as `Transfer(address,address,uint256)`. */
function topicOf(signature: string): string {
  return `0x${keccakOfText(signature)}`;
}

/** The events that are read. Sources: ERC-20 and ERC-721, Uniswap v3-core, v4-core (IPoolManager). */
export const TOPICS = {
  transfer: topicOf("Transfer(address,address,uint256)"),
  v3Swap: topicOf("Swap(address,address,int256,int256,uint160,uint128,int24)"),
  v4Swap: topicOf("Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)"),
  v4ModifyLiquidity: topicOf("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)"),
  v3Initialize: topicOf("Initialize(uint160,int24)"),
  v4Initialize: topicOf("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)"),
  // Of V3's position manager.
  v3Increase: topicOf("IncreaseLiquidity(uint256,uint128,uint256,uint256)"),
  v3Decrease: topicOf("DecreaseLiquidity(uint256,uint128,uint256,uint256)"),
  v3Collect: topicOf("Collect(uint256,address,uint256,uint256)"),
} as const;

/** One log as a node tells it, read once: all hexadecimal in lower case. */
export interface ChainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly blockHash: string;
  readonly transaction: string;
  /** Its place in the block. */
  readonly index: number;
  /** When its block was made (epoch ms); null: the node does not say so with a log. */
  readonly time: number | null;
  /** Taken back by a reorg. */
  readonly removed: boolean;
}

/** Null for what is no mined log. */
export function readLog(value: unknown): ChainLog | null {
  if (!isMap(value) || !Array.isArray(value.topics)) return null;
  const address = hexData(value.address);
  const topics = value.topics.map(hashOf);
  const data = hexData(value.data);
  const block = quantity(value.blockNumber);
  const blockHash = hashOf(value.blockHash);
  const transaction = hashOf(value.transactionHash);
  const index = quantity(value.logIndex);
  if (address?.length !== 42 || data === null || block === null || index === null) return null;
  if (blockHash === null || transaction === null) return null;
  const known = topics.filter((topic) => topic !== null);
  if (known.length !== topics.length) return null;
  const seconds = quantity(value.blockTimestamp);
  const time = seconds === null ? null : seconds * 1_000;
  const removed = value.removed === true;
  return { address, topics: known, data, block, blockHash, transaction, index, time, removed };
}

/** The first price of a pool, of either version; null for any other log. */
export function readInitialize({ topics, data }: Pick<ChainLog, "topics" | "data">): {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
} | null {
  const first =
    topics[0] === TOPICS.v3Initialize ? 0 : topics[0] === TOPICS.v4Initialize ? 3 : null;
  if (first === null) return null;
  const [sqrtPriceX96, tick] = [uintAt(data, first), smallIntAt(data, first + 1)];
  return sqrtPriceX96 === null || tick === null ? null : { sqrtPriceX96, tick };
}

/** An ERC-20 transfer; also mints (from zero) and burns (to zero). */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  /** Raw units, or the token id of an NFT. */
  readonly value: bigint;
}

/** Null for any other log. An NFT has its id as a fourth topic, a token its amount as data. */
export function readTransfer({ topics, data }: ChainLog): Transfer | null {
  const [name, from, to, id] = topics;
  if (name !== TOPICS.transfer || from === undefined || to === undefined) return null;
  const value = uintAt(id ?? data, 0);
  const [sender, receiver] = [addressAt(from, 0), addressAt(to, 0)];
  if (value === null || sender === null || receiver === null) return null;
  return { from: sender, to: receiver, value };
}

/** A transfer of an NFT, whose id is its fourth topic; null for any other log. */
export function readNftTransfer(log: ChainLog): Transfer | null {
  return log.topics.length === 4 ? readTransfer(log) : null;
}

/**
 * What went into a V3 position, was taken out of it, or was collected. What is taken out is not paid before it is
 * collected, with the fees.
 */
export interface V3Flow {
  readonly nft: bigint;
  readonly kind: "in" | "out" | "collected";
  /** What the position's liquidity rose or fell by. */
  readonly liquidity: bigint;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

const FLOWS: Readonly<Record<string, V3Flow["kind"]>> = {
  [TOPICS.v3Increase]: "in",
  [TOPICS.v3Decrease]: "out",
  [TOPICS.v3Collect]: "collected",
};

/** Null for any other log. */
export function readV3Flow({ topics, data }: ChainLog): V3Flow | null {
  const [name = "", id] = topics;
  const kind = FLOWS[name];
  const nft = id === undefined ? null : uintAt(id, 0);
  // A collection names its receiver where the others have their liquidity.
  const first = kind === "collected" ? 0n : uintAt(data, 0);
  const [amount0, amount1] = [uintAt(data, 1), uintAt(data, 2)];
  if (kind === undefined || nft === null || first === null) return null;
  if (amount0 === null || amount1 === null) return null;
  return { nft, kind, liquidity: kind === "out" ? -first : first, amount0, amount1 };
}

/** A swap of either version, its amounts seen from the pool: what comes in is positive. */
export interface Swap {
  readonly sender: string;
  /** V4 logs none. */
  readonly recipient: string | null;
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  /** In hundredths of a basis point, where the log has it. */
  readonly fee: number | null;
}

/** Null for any other log. */
export function readSwap(log: ChainLog): Swap | null {
  const { topics, data } = log;
  const [name, first, second] = topics;
  const isV4 = name === TOPICS.v4Swap;
  if ((!isV4 && name !== TOPICS.v3Swap) || first === undefined || second === undefined) return null;
  const sender = addressAt(isV4 ? second : first, 0);
  const recipient = isV4 ? null : addressAt(second, 0);
  const [amount0, amount1] = [intAt(data, 0), intAt(data, 1)];
  const [sqrtPriceX96, liquidity] = [uintAt(data, 2), uintAt(data, 3)];
  const tick = smallIntAt(data, 4);
  const fee = isV4 ? smallIntAt(data, 5) : null;
  if (sender === null || amount0 === null || amount1 === null) return null;
  if (sqrtPriceX96 === null || liquidity === null || tick === null) return null;
  // V4 tells the trader's amounts, V3 the pool's.
  const way = isV4 ? -1n : 1n;
  return {
    sender,
    recipient,
    amount0: way * amount0,
    amount1: way * amount1,
    sqrtPriceX96,
    liquidity,
    tick,
    fee,
  };
}

/** A mint, burn or collection in a V4 pool. */
export interface LiquidityChange {
  readonly sender: string;
  readonly lower: number;
  readonly upper: number;
  readonly delta: bigint;
  /** 32 bytes with `0x`; of the position manager, the position's token id. */
  readonly salt: string;
}

/** Null for any other log. */
export function readLiquidityChange({ topics, data }: ChainLog): LiquidityChange | null {
  const [name, , from] = topics;
  if (name !== TOPICS.v4ModifyLiquidity || from === undefined) return null;
  const [lower, upper] = [smallIntAt(data, 0), smallIntAt(data, 1)];
  const [delta, salt] = [intAt(data, 2), uintAt(data, 3)];
  const sender = addressAt(from, 0);
  if (lower === null || upper === null || delta === null || salt === null || sender === null) {
    return null;
  }
  return { sender, lower, upper, delta, salt: `0x${salt.toString(16).padStart(64, "0")}` };
}
