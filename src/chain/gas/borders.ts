import { HOUR } from "../../base/duration.ts";
import { type Block, blocksAt } from "../index/blocks.ts";
import type { RpcNode } from "../rpc/node.ts";

/** A block and when it was made (epoch ms). */
export interface Mark {
  readonly number: number;
  readonly time: number;
}

/** Looks of the quick search; what is not found by then is halved. */
const QUICK = 6;

/**
 * The first block at or after `time` (epoch ms), by interpolation between `low`, a block before it, and
 * `high`, a block at or after it: 3 to 4 looks where blocks come regularly, and never more than halving
 * takes, twice. `look` tells the times of a block and of the one before it. Times never fall from one block
 * to the next. Rejects as `look` does.
 */
export async function firstBlockAt(
  time: number,
  low: Mark,
  high: Mark,
  look: (number: number) => Promise<{ readonly before: number; readonly at: number }>,
): Promise<number> {
  let [from, to] = [low, high];
  for (let looks = 0; to.number - from.number > 1; looks += 1) {
    const number = looks < QUICK || looks % 2 === 0 ? between(from, to, time) : middle(from, to);
    const { before, at } = await look(number);
    if (at < time) from = { number, time: at };
    else if (before < time || number - 1 === from.number) return number;
    else to = { number: number - 1, time: before };
  }
  return to.number;
}

/** Where the first block at or after `time` would be if blocks came evenly. */
function between(from: Mark, to: Mark, time: number): number {
  const span = to.number - from.number;
  const share = to.time > from.time ? (time - from.time) / (to.time - from.time) : 1;
  const guess = from.number + Math.ceil(span * share);
  return Math.min(Math.max(guess, from.number + 1), to.number - 1);
}

function middle(from: Mark, to: Mark): number {
  return from.number + Math.floor((to.number - from.number) / 2);
}

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
