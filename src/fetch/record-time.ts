import type { EndpointName } from "../api/endpoints.ts";
import { parseIsoTime, readField } from "../api/fields.ts";
import { wholeOf } from "../base/numerals.ts";
import type { Answer, Ask, RawRecord } from "../model/index.ts";
import { specOf } from "./endpoint.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** The field of a record that says when it was made, and how long the bucket is that begins then. */
interface OwnTime {
  readonly field: string;
  readonly bucketS: number | "period";
}

const CHANGE = { field: "timestamp", bucketS: 0 } as const;
const DAY = { field: "date", bucketS: DAY_S } as const;
const POINT = { field: "date", bucketS: "period" } as const;

/** The endpoints whose records tell; of pools and positions it is the time of the latest change. */
const OWN_TIMES: Readonly<Partial<Record<EndpointName, OwnTime>>> = {
  v4_pool: CHANGE,
  v4_position: CHANGE,
  gas_now: CHANGE,
  gas_hourly: { field: "hour", bucketS: HOUR_S },
  supply_history: DAY,
  balance_history: DAY,
  legacy_balance_history: DAY,
  legacy_token_price: { field: "last_updated", bucketS: 0 },
  legacy_price_history: POINT,
  v4_swaps: CHANGE,
  v3_swaps: CHANGE,
  v4_modify_liquidity: { field: "tx_at_timestamp", bucketS: 0 },
  v4_pool_history: POINT,
  v3_pool_history: POINT,
};

/** The latest time in the records of a request's answers, Unix seconds; of buckets their end. */
export function newestTime(
  endpoint: EndpointName,
  asks: readonly Ask[],
  answers: readonly Answer[],
): number | null {
  const own = OWN_TIMES[endpoint];
  if (own === undefined) return null;
  const { fields, list } = specOf(endpoint);
  const entry = list === undefined ? fields : (fields[list]?.fields ?? {});
  const bucketS =
    own.bucketS === "period" ? (asks[0]?.period === "d" ? DAY_S : HOUR_S) : own.bucketS;
  let newest: number | null = null;
  for (const answer of answers) {
    if (answer.status !== "ok") continue;
    for (const record of answer.records) {
      const at = timeOf(record, own.field, entry[own.field]);
      if (at !== null && (newest === null || at > newest)) newest = at;
    }
  }
  return newest === null ? null : newest + bucketS;
}

function timeOf(
  record: RawRecord,
  name: string,
  spec: Parameters<typeof readField>[2] | undefined,
): number | null {
  if (spec === undefined) return null;
  const raw = record[name];
  // Most are Unix seconds, and every record of every round comes by here.
  const seconds = spec.iso !== true && typeof raw === "string" ? wholeOf(raw) : null;
  if (seconds !== null) return seconds;
  const value = readField(record, name, spec);
  // The hour of gas is a name to rules.
  const time = typeof value === "string" ? parseIsoTime(value) : value;
  if (time === null || typeof time === "boolean") return null;
  const written = Number(time.toString());
  return Number.isFinite(written) ? written : null;
}
