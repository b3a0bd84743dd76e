import { HOUR, MINUTE } from "../base/duration.ts";
import { type Blocks, blocksOf } from "./blocks.ts";
import { feesOf, type Minute } from "./fees.ts";
import type { Network } from "./networks.ts";
import type { ScriptEvent } from "./script.ts";

/** The hourly gas record of the specification: fees in wei as decimal strings. */
export type GasHourRecord = Readonly<{
  hour: string;
  block_count: number;
  avg_base_fee: string;
  avg_gas_used: string;
  avg_gas_limit: string;
  utilization: number;
  tx_count: string;
  avg_block_priority_fee_min: string;
  avg_block_priority_fee_max: string;
  avg_priority_fee_top5_threshold: string;
  avg_priority_fee_top5_avg: string;
  avg_priority_fee_top10_threshold: string;
  avg_priority_fee_top10_avg: string;
  zero_tip_ratio: number;
}>;

/** Finished hours are kept so as not to be computed again: 90 days and a few more. */
const KEPT_HOURS = 2_300;

/**
 * The gas statistics of one chain: `hour` (epoch ms of its start) as it is known at `at`. A running
 * hour covers the blocks up to `at`; an hour without a block has no record.
 */
export function gasOf(
  network: Network,
  seed: number,
  start: number,
  script: readonly ScriptEvent[],
): (hour: number, at: number) => GasHourRecord | undefined {
  const blocks = blocksOf(network, start);
  const fees = feesOf(network, seed, start, script);
  const finished = new Map<number, GasHourRecord>();
  return (hour, at) => {
    const kept = finished.get(hour);
    const over = at >= hour + HOUR;
    if (over && kept !== undefined) return kept;
    const record = averaged(network, blocks, fees, hour, Math.min(at, hour + HOUR - 1));
    if (over && record !== undefined) {
      if (finished.size >= KEPT_HOURS) finished.clear();
      finished.set(hour, record);
    }
    return record;
  };
}

/** The averages over the blocks from `hour` to `last`, both included. */
function averaged(
  network: Network,
  blocks: Blocks,
  fees: (minute: number) => Minute,
  hour: number,
  last: number,
): GasHourRecord | undefined {
  const parts: (readonly [Minute, number])[] = [];
  for (let minute = hour; minute <= last; minute += MINUTE) {
    const made = blocks.countIn(minute - 1, Math.min(minute + MINUTE - 1, last));
    if (made > 0) parts.push([fees(minute), made]);
  }
  const count = parts.reduce((sum, [, made]) => sum + made, 0);
  if (count === 0) return undefined;
  const total = (of: (minute: Minute) => number): number =>
    parts.reduce((sum, [minute, made]) => sum + of(minute) * made, 0);
  // Sums of whole numbers below 2^53 are exact, so an average never depends on their order.
  const mean = (of: (minute: Minute) => number): string => String(Math.floor(total(of) / count));
  const txs = total((m) => m.txs);
  return {
    hour: new Date(hour).toISOString().replace(".000Z", "Z"),
    block_count: count,
    avg_base_fee: mean((m) => m.baseFee),
    avg_gas_used: mean((m) => m.gasUsed),
    avg_gas_limit: String(network.gasLimit),
    utilization: sixDigits(total((m) => m.gasUsed) / count / network.gasLimit),
    tx_count: String(txs),
    avg_block_priority_fee_min: mean((m) => m.lowest),
    avg_block_priority_fee_max: mean((m) => m.highest),
    avg_priority_fee_top5_threshold: mean((m) => m.top5),
    avg_priority_fee_top5_avg: mean((m) => m.top5Mean),
    avg_priority_fee_top10_threshold: mean((m) => m.top10),
    avg_priority_fee_top10_avg: mean((m) => m.top10Mean),
    zero_tip_ratio: sixDigits(total((m) => m.zeroTips * m.txs) / txs),
  };
}

function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}
