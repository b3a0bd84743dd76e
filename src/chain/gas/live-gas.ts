import { HOUR } from "../../base/duration.ts";
import { type Block, malformed, wholeBlocks } from "../index/blocks.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { ChainReporter } from "../rpc/nodes.ts";
import { blocksPerHour, hourBorder } from "./borders.ts";
import { feeHistory } from "./fee-history.ts";
import { hourAt } from "./gas-table.ts";
import type { GasBlock } from "./hours.ts";
import { tipsOf } from "./tips.ts";

/** The gas of each block from its transactions, which are read with it. Rejects with RpcError. */
export async function exactGas(
  node: RpcNode,
  blocks: readonly Pick<Block, "hash">[],
): Promise<readonly GasBlock[]> {
  const whole = await wholeBlocks(
    node,
    blocks.map(({ hash }) => hash),
  );
  return whole.map(({ number, baseFee, gasUsed, gasLimit, transactions }) => {
    try {
      const tips = tipsOf(baseFee, transactions);
      return { number, baseFee, gasUsed, gasLimit, txs: transactions.length, tips };
    } catch (error) {
      if (error instanceof RangeError) throw malformed(node, `block ${number}: ${error.message}`);
      throw error;
    }
  });
}

/** Likewise, with tips from the fee history; null where the node has none. Blocks follow one another. */
export async function estimatedGas(
  node: RpcNode,
  blocks: readonly Block[],
): Promise<readonly GasBlock[] | null> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) return [];
  try {
    const fees = await feeHistory(node, first.number, last.number, first.gasLimit);
    return blocks.map(({ number, baseFee, gasUsed, gasLimit }, i) => {
      const tips = gasUsed === 0n ? null : (fees[i]?.tips ?? null);
      return { number, baseFee, gasUsed, gasLimit, txs: null, tips };
    });
  } catch (error) {
    if (isLacking(error)) return null;
    throw error;
  }
}

/** Whether a node has no fee history, or not of these blocks. */
export function isLacking(error: unknown): boolean {
  return error instanceof RpcError && LACKING.has(error.kind);
}

const LACKING = new Set<RpcError["kind"]>(["no_method", "no_state"]);

/**
 * The running hour up to the newest of the blocks, which follow one another, from the fee history. What was
 * kept of it block by block before stays; other hours are finished or, where blocks lack, dropped. Resolves
 * with what is to be written, in a transaction. Rejects with RpcError.
 */
export async function gasSoFar(
  node: RpcNode,
  blocks: readonly Block[],
  tables: ChainTables,
  report: ChainReporter,
): Promise<() => void> {
  const [first, newest] = [blocks[0], blocks.at(-1)];
  if (first === undefined || newest === undefined) return () => {};
  const hour = hourAt(newest.time);
  const inside = blocks.find((block, i) => i > 0 && block.time >= hour);
  const border =
    first.time < hour && inside !== undefined
      ? inside.number
      : (tables.borders.at(hour) ?? (await hourBorder(node, hour, first, blocksPerHour(blocks))));
  const kept = tables.gas.hoursWithBlocks().find((one) => one.hour === hour)?.last;
  const from = kept === undefined ? border : kept + 1;
  let fees: readonly GasBlock[] = [];
  try {
    if (from <= newest.number) {
      fees = await feeHistory(node, from, newest.number, newest.gasLimit);
    }
  } catch (error) {
    if (!isLacking(error)) throw error;
    report("warn", "the node has no fee history: hours before the start stay unknown", {
      node: node.name,
    });
  }
  return () => {
    tables.borders.put(hour, border);
    endHours(tables, hour);
    for (const block of fees) tables.gas.put({ ...block, hour });
  };
}

/**
 * Makes averages of the hours before `hour` that are all kept, and drops those of which blocks lack. Part of
 * a transaction.
 */
export function endHours(tables: ChainTables, hour: number): void {
  for (const one of tables.gas.hoursWithBlocks()) {
    if (one.hour >= hour) continue;
    const [first, next] = [tables.borders.at(one.hour), tables.borders.at(one.hour + HOUR)];
    const whole = first !== undefined && next !== undefined && one.last === next - 1;
    if (whole && tables.gas.countOf(one.hour) === next - first) tables.gas.fold(one.hour);
    else tables.gas.dropBlocks(one.hour);
  }
}
