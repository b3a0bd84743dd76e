import { HOUR } from "../../base/duration.ts";
import { type Block, blocksAt } from "../index/blocks.ts";
import type { RpcNode } from "../rpc/node.ts";
import { firstBlockAt, type Mark } from "./borders.ts";

/**
 * The first block at or after `hour` (epoch ms), looked for below `high`, a block at or after it. `perHour` is
 * about how many blocks an hour has. Rejects with RpcError.
 */
export async function hourBorder(
  node: RpcNode,
  hour: number,
  high: Mark,
  perHour: number,
): Promise<number> {
  let upper = high;
  let step = Math.ceil(((high.time - hour) / HOUR) * perHour * 1.02) + 2;
  for (;;) {
    if (upper.number === 0) return 0;
    const lower = await markAt(node, Math.max(0, upper.number - step));
    if (lower.time < hour) {
      return firstBlockAt(hour, lower, upper, async (number) => {
        const [before, at] = await blocksAt(node, [number - 1, number]);
        return { before: before?.time ?? 0, at: at?.time ?? 0 };
      });
    }
    upper = lower;
    step *= 2;
  }
}

async function markAt(node: RpcNode, number: number): Promise<Mark> {
  const [block] = await blocksAt(node, [number]);
  return { number, time: block?.time ?? 0 };
}

/** About how many blocks a chain makes in an hour, from some that follow one another. */
export function blocksPerHour(blocks: readonly Pick<Block, "time">[]): number {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined || last.time <= first.time) return ASSUMED_PER_HOUR;
  return Math.ceil(((blocks.length - 1) * HOUR) / (last.time - first.time));
}

/** Of blocks every two seconds. */
const ASSUMED_PER_HOUR = 1_800;
