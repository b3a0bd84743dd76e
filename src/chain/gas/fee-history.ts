import { isMap, listOf } from "../../base/json.ts";
import { bigQuantity, quantity, toQuantity } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { GasBlock } from "./hours.ts";
import { estimatedTips, PERCENTILES, type Tips, tipsOf } from "./tips.ts";

/** So many blocks a node answers at most (geth); others may answer fewer. */
const MOST_BLOCKS = 1_024;

/**
 * The blocks from `first` to `last` as the fee history has them, oldest first. It tells how full they are and
 * not how large they may be: `gasLimit` is taken for all of them. Rejects with RpcError; `no_state` where
 * the node no longer has them.
 */
export async function feeHistory(
  node: RpcNode,
  first: number,
  last: number,
  gasLimit: bigint,
): Promise<readonly GasBlock[]> {
  const parts: (readonly GasBlock[])[] = [];
  let most = MOST_BLOCKS;
  for (let newest = last; newest >= first; ) {
    const count = Math.min(most, newest - first + 1);
    try {
      const part = await askHistory(node, newest, count, gasLimit);
      parts.push(part);
      newest -= part.length;
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== "too_much" || count === 1) throw error;
      most = Math.ceil(count / 2);
    }
  }
  const blocks = parts.toReversed().flat();
  if (!TRUE.has(node)) await checkTips(node, blocks);
  return blocks;
}

/** Nodes whose fee history was held against transactions. */
const TRUE = new WeakSet<RpcNode>();
/** Blocks that it is held against: each may have a megabyte of transactions. */
const COMPARED = 2;

/**
 * Holds the highest tips of some blocks against those of their transactions, once a node: an old Besu tells
 * prices in place of tips. Blocks with transactions that do not bid, such as deposits of a rollup, do not count.
 * Rejects with RpcError; `no_method` where they differ, for such a history is as good as none.
 */
async function checkTips(node: RpcNode, blocks: readonly GasBlock[]): Promise<void> {
  const bidding = blocks.filter(({ tips }) => tips !== null).slice(-COMPARED);
  for (const { number, tips } of bidding) {
    const value = await node.call("eth_getBlockByNumber", [toQuantity(number), true]);
    const transactions = isMap(value) ? listOf(value.transactions) : [];
    const told = isMap(value) ? tipsIn(value.baseFeePerGas, transactions) : null;
    if (told === null || told.bids !== transactions.length) continue;
    if (told.max !== tips?.max) {
      throw new RpcError("no_method", `${node.name}: the tips of its fee history are wrong`);
    }
    TRUE.add(node);
  }
}

function tipsIn(baseFee: unknown, transactions: readonly unknown[]): Tips | null {
  try {
    return tipsOf(bigQuantity(baseFee), transactions);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The newest of `count` blocks up to `newest`, one at least. */
async function askHistory(
  node: RpcNode,
  newest: number,
  count: number,
  gasLimit: bigint,
): Promise<readonly GasBlock[]> {
  const params = [toQuantity(count), toQuantity(newest), PERCENTILES];
  const answer = await node.call("eth_feeHistory", params);
  const bad = (words: string): RpcError =>
    new RpcError("malformed", `${node.name}: the fee history ${words}`);
  if (!isMap(answer)) throw bad("is not an object");
  const ratios = listOf(answer.gasUsedRatio);
  const [fees, rewards] = [listOf(answer.baseFeePerGas), listOf(answer.reward)];
  if (ratios.length === 0) {
    throw new RpcError("no_state", `${node.name}: no fee history of block ${newest}`);
  }
  const oldest = quantity(answer.oldestBlock);
  if (oldest !== newest - ratios.length + 1 || ratios.length > count) {
    throw bad("is of other blocks than was asked for");
  }
  if (rewards.length !== ratios.length) throw bad("lacks the tips of blocks");
  return ratios.map((ratio, i) => {
    if (typeof ratio !== "number" || !(ratio >= 0 && ratio <= 1)) {
      throw bad("has a block that is fuller than full");
    }
    try {
      const gasUsed = BigInt(Math.round(ratio * Number(gasLimit)));
      return {
        number: oldest + i,
        baseFee: bigQuantity(fees[i]),
        gasUsed,
        gasLimit,
        txs: null,
        // A block without transactions has zeros in place of tips.
        tips: ratio === 0 ? null : estimatedTips(rewards[i]),
      };
    } catch (error) {
      if (error instanceof RangeError) throw bad("has tips that cannot be read");
      throw error;
    }
  });
}
