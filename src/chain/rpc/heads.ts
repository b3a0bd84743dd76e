import type { RpcNode } from "./node.ts";

/** A node that is so far behind the best, in both, is not asked for the newest. */
const BEHIND_BLOCKS = 3;
const BEHIND_MS = 30_000;

/** The newest block of one node. */
export interface Head<Block> {
  readonly node: RpcNode;
  readonly value: Block;
}

/** Those that are not far behind the best, in their order. `time` is in epoch milliseconds. */
export function upToDate<Block extends { readonly number: number; readonly time: number }>(
  heads: readonly Head<Block>[],
): readonly Head<Block>[] {
  const best = Math.max(...heads.map(({ value }) => value.number));
  const newest = Math.max(...heads.map(({ value }) => value.time));
  return heads.filter(
    ({ value }) => best - value.number <= BEHIND_BLOCKS || newest - value.time <= BEHIND_MS,
  );
}
