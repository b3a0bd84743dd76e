import type { Fields } from "./endpoint.ts";
import { number, string, text } from "./field-specs.ts";

/** One hour of a chain; tips are per gas, in wei, averaged over the hour's blocks. */
export const GAS_HOUR: Fields = {
  // The bucket's name, which is how rows are dated: text like any other identifier.
  hour: text,
  block_count: number("count"),
  avg_base_fee: string("wei"),
  avg_gas_used: string("integer"),
  avg_gas_limit: string("integer"),
  utilization: number("ratio"),
  tx_count: string("count"),
  avg_block_priority_fee_min: string("wei"),
  avg_block_priority_fee_max: string("wei"),
  avg_priority_fee_top5_threshold: string("wei"),
  avg_priority_fee_top5_avg: string("wei"),
  avg_priority_fee_top10_threshold: string("wei"),
  avg_priority_fee_top10_avg: string("wei"),
  zero_tip_ratio: number("ratio"),
};
