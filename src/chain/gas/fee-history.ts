import { isMap, listOf } from "../../base/json.ts";
import { bigQuantity, quantity, toQuantity } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { GasBlock } from "./hours.ts";
import { estimatedTips, PERCENTILES } from "./tips.ts";

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
  return parts.toReversed().flat();
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
  if (!isMap(answer)) throw bad("is no object");
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
