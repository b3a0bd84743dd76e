import { Decimal, isZero } from "../base/decimal.ts";
import type { RawRecord, Value } from "../model/index.ts";
import { fieldsOf, valueIn } from "./fields.ts";

const FIELDS = fieldsOf("gas_hour");

/** What is averaged over the blocks of an hour, and over its transactions. */
const OF_BLOCKS = new Set(["avg_base_fee", "avg_gas_used", "avg_gas_limit", "utilization"]);
const OF_TRANSACTIONS = new Set([
  "avg_block_priority_fee_min",
  "avg_block_priority_fee_max",
  "avg_priority_fee_top5_threshold",
  "avg_priority_fee_top5_avg",
  "avg_priority_fee_top10_threshold",
  "avg_priority_fee_top10_avg",
  "zero_tip_ratio",
]);

/** A field of an hour's record as it was sent; null where it has no value. */
export function hourField(record: RawRecord, name: string): Value | null {
  return valueIn(FIELDS, record, name);
}

/**
 * Whether a value is an average over nothing, which services send as 0: a tip of an hour without
 * transactions is no tip of 0. A 0 needs transactions that are known of, where the record says
 * anything at all of how many there were.
 */
export function isOfNothing(record: RawRecord, field: string, value: Value): boolean {
  if (OF_BLOCKS.has(field)) {
    const noRoom = field === "utilization" && isNone(record, "avg_gas_limit");
    return noRoom || isNone(record, "block_count");
  }
  if (!OF_TRANSACTIONS.has(field)) return false;
  const busy = hasTransactions(record);
  return busy === false || (busy === null && value instanceof Decimal && isZero(value));
}

/** What an hour had none of, for people; null: it had all that averages need, as far as it tells. */
export function lacksInHour(record: RawRecord): string | null {
  if (isNone(record, "block_count")) return "the hour had no blocks";
  return hasTransactions(record) === false ? "the hour had no transactions" : null;
}

/** Null: the record has the fields that would tell, and does not tell. */
function hasTransactions(record: RawRecord): boolean | null {
  if (isNone(record, "tx_count") || isNone(record, "block_count")) return false;
  if (isSome(record, "tx_count")) return true;
  // A transaction uses gas, and there is no share of none.
  if (isNone(record, "avg_gas_used")) return false;
  if (isSome(record, "avg_gas_used") || isSome(record, "zero_tip_ratio")) return true;
  const silent = ["tx_count", "block_count", "avg_gas_used"].every((name) => !(name in record));
  return silent ? true : null;
}

function isNone(record: RawRecord, name: string): boolean {
  const value = hourField(record, name);
  return value instanceof Decimal && isZero(value);
}

function isSome(record: RawRecord, name: string): boolean {
  const value = hourField(record, name);
  return value instanceof Decimal && !isZero(value);
}
