import type { Tips } from "./tips.ts";

/** One block, as far as the statistics of its hour need it. */
export interface GasBlock {
  readonly number: number;
  /** Wei per gas; null before EIP-1559. */
  readonly baseFee: bigint | null;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** How many transactions; null: it was read from the fee history, which does not say so. */
  readonly txs: number | null;
  /** Null where nobody bid. */
  readonly tips: (Omit<Tips, "bids" | "zero"> & Partial<Pick<Tips, "bids" | "zero">>) | null;
}

/** From each block with its transactions, or, for one of them at least, from the fee history. */
export type GasMethod = "exact" | "estimated";

export function methodOf(blocks: readonly GasBlock[]): GasMethod {
  return blocks.every(({ txs }) => txs !== null) ? "exact" : "estimated";
}

/**
 * The specification's record of an hour without its name: averages over its blocks, one at least, cut to
 * whole numbers. Blocks in which nobody bid have no tips and do not count in the averages of tips. What
 * the fee history does not tell (`tx_count`, `zero_tip_ratio`) is null if one block came from it.
 */
export function hourOf(blocks: readonly GasBlock[]) {
  const bidding = blocks.flatMap(({ tips }) => tips ?? []);
  const tip = (name: "min" | "max" | "top5" | "top5Mean" | "top10" | "top10Mean") =>
    meanOf(bidding.map((tips) => tips[name]));
  const bids = sumOf(bidding.map((tips) => tips.bids));
  const zero = sumOf(bidding.map((tips) => tips.zero));
  const txs = sumOf(blocks.map((block) => block.txs ?? undefined));
  return {
    block_count: blocks.length,
    avg_base_fee: meanOf(blocks.flatMap(({ baseFee }) => baseFee ?? [])),
    avg_gas_used: meanOf(blocks.map(({ gasUsed }) => gasUsed)),
    avg_gas_limit: meanOf(blocks.map(({ gasLimit }) => gasLimit)),
    utilization: utilizationOf(blocks),
    tx_count: txs === null ? null : String(txs),
    avg_block_priority_fee_min: tip("min"),
    avg_block_priority_fee_max: tip("max"),
    avg_priority_fee_top5_threshold: tip("top5"),
    avg_priority_fee_top5_avg: tip("top5Mean"),
    avg_priority_fee_top10_threshold: tip("top10"),
    avg_priority_fee_top10_avg: tip("top10Mean"),
    zero_tip_ratio: bids === null || zero === null || bids === 0 ? null : zero / bids,
  };
}

/** Cut to a whole number; null of none. */
export function meanOf(values: readonly bigint[]): string | null {
  if (values.length === 0) return null;
  return String(values.reduce((sum, value) => sum + value, 0n) / BigInt(values.length));
}

/** Null where one is not known. */
function sumOf(values: readonly (number | undefined)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return null;
    sum += value;
  }
  return sum;
}

const PARTS = 1_000_000_000_000n;

/** The average of each block's share of its limit; null where no block has a limit. */
function utilizationOf(blocks: readonly GasBlock[]): number | null {
  const limited = blocks.filter(({ gasLimit }) => gasLimit > 0n);
  if (limited.length === 0) return null;
  const parts = limited.reduce((sum, block) => sum + (block.gasUsed * PARTS) / block.gasLimit, 0n);
  return Number(parts / BigInt(limited.length)) / Number(PARTS);
}
