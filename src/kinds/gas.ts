import { chainName } from "../base/chains.ts";
import { isoDay } from "../base/clock.ts";
import { add, Decimal, isZero } from "../base/decimal.ts";
import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { hoursUntil } from "./bucket-time.ts";
import { BaseReading, fieldsOf, fieldTroubles, metric, metricsOf, valueIn } from "./fields.ts";
import type { Row, WatchKind } from "./kind.ts";

const FIELDS = fieldsOf("gas_hour");

/** Shorter names for fields. */
const ALIASES: Readonly<Record<string, string>> = {
  tip_top5: "avg_priority_fee_top5_threshold",
  tip_top10: "avg_priority_fee_top10_threshold",
  tip_min: "avg_block_priority_fee_min",
  tip_max: "avg_block_priority_fee_max",
};

/** How far the service's clock may be ahead of ours. */
const CLOCK_SKEW_MS = 5 * MINUTE;

/** The hourly gas statistics of a chain: one subject a chain, one row an hour. */
export const gas: WatchKind = {
  kind: "gas",
  aliases: ["gas_price", "fee", "fees", "basefee", "base_fee"],
  words: { subjects: "chains" },
  targets: { key: null, id: null, protocols: null },
  bucketMs: HOUR,
  records: ["gas_hour"],
  ownTime: "hour",
  metrics: metricsOf(
    "gas_hour",
    {
      block_count: "blocks",
      avg_base_fee: ["base fee", "base_fee", "basefee"],
      avg_gas_used: "gas used",
      avg_gas_limit: "gas limit",
      tx_count: "transactions",
      avg_block_priority_fee_min: "lowest tip",
      avg_block_priority_fee_max: "highest tip",
      avg_priority_fee_top5_threshold: "tip (top 5%)",
      avg_priority_fee_top5_avg: "average tip of the top 5%",
      avg_priority_fee_top10_threshold: "tip (top 10%)",
      avg_priority_fee_top10_avg: "average tip of the top 10%",
      zero_tip_ratio: "share without tip",
    },
    [
      metric("tip_top5", "wei", "tip (top 5%)"),
      metric("tip_top10", "wei", "tip (top 10%)", "tip", "priority_fee"),
      metric("tip_min", "wei", "lowest tip"),
      metric("tip_max", "wei", "highest tip"),
      metric("price_top10", "wei", "gas price (top 10%)", "gas", "gas_price", "gwei"),
    ],
  ),

  subject: ({ chainId, name }) => ({ key: `gas:${chainId}`, kind: "gas", chainId, ids: {}, name }),

  asks: ({ chainId }, date) => [gasAsk(chainId, date)],

  follow: () => [],

  history: (subject, _metric, from, now) => {
    // Every round asks for yesterday.
    if (from >= now - DAY) return null;
    const ask = pastAsk(subject.chainId, from, now);
    return {
      ask,
      spacingMs: HOUR,
      points: (answer, name) =>
        new GasReading(subject, answer, now).rows
          .filter(({ date }) => date + HOUR <= now)
          .map((row) => [row.date, row.value(name)] as const),
    };
  },

  read: (subject, answers, date) =>
    new GasReading(subject, answers(gasAsk(subject.chainId, date)), date),
};

/**
 * From yesterday on (24 finished hours at least, whatever the time of day) to tomorrow: the
 * specification does not say whether the hours of the day `to` are in the answer, and today's must be.
 */
function gasAsk(chainId: number, date: number): Ask {
  const from = isoDay(date - DAY);
  const to = isoDay(date + DAY);
  const key = `gas_hour:${chainId}:${from}:${to}`;
  return { key, record: "gas_hour", chainId, id: "", from, to };
}

/** A request may be for so many days, both ends included. */
const MOST_DAYS = 90;

/** The days from `from` on, today included; today's hours are in every round's answer anyway. */
function pastAsk(chainId: number, from: number, now: number): Ask {
  const first = isoDay(Math.max(from, now - (MOST_DAYS - 1) * DAY));
  const to = isoDay(now);
  const key = `gas_hour:${chainId}:${first}:${to}`;
  return { key, record: "gas_hour", chainId, id: "", from: first, to };
}

class GasReading extends BaseReading {
  readonly rows: readonly GasRow[];

  constructor(subject: Subject, answer: Answer | undefined, date: number) {
    super(subject, "gas_hour", answer);
    const records = answer?.status === "ok" ? answer.records : [];
    const hours = hoursUntil(records, (record) => record.hour, date + CLOCK_SKEW_MS);
    this.rows = hours.map(([start, record]) => new GasRow(start, record));
  }

  override get absent(): boolean {
    return false;
  }

  override get trouble(): string | null {
    return this.troubleOfList(this.rows.at(-1)?.record, "hour");
  }

  protected troublesOf(hour: RawRecord): readonly string[] {
    const nothing = lacksInHour(hour);
    return nothing === null ? fieldTroubles(hour, FIELDS) : [nothing];
  }

  protected label(): string {
    return chainName(this.subject.chainId);
  }

  protected override page(): string {
    return "";
  }
}

class GasRow implements Row {
  constructor(
    readonly date: number,
    readonly record: RawRecord,
  ) {}

  value(name: string): Value | null {
    if (name === "price_top10") return this.#priceOfTop10();
    const field = ALIASES[name] ?? name;
    const value = hourField(this.record, field);
    return value === null || isOfNothing(this.record, field, value) ? null : value;
  }

  /** What a transaction pays for each gas that is among a block's top 10%: base fee and tip. */
  #priceOfTop10(): Value | null {
    const base = this.value("avg_base_fee");
    const tip = this.value("tip_top10");
    const exact = typeof base === "object" && typeof tip === "object";
    return exact && base !== null && tip !== null ? add(base, tip) : null;
  }
}

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
function hourField(record: RawRecord, name: string): Value | null {
  return valueIn(FIELDS, record, name);
}

/**
 * Whether a value is an average over nothing, which services send as 0: a tip of an hour without
 * transactions is no tip of 0. A 0 needs transactions that are known of, where the record says
 * anything at all of how many there were.
 */
function isOfNothing(record: RawRecord, field: string, value: Value): boolean {
  if (OF_BLOCKS.has(field)) {
    const noRoom = field === "utilization" && isNone(record, "avg_gas_limit");
    return noRoom || isNone(record, "block_count");
  }
  if (!OF_TRANSACTIONS.has(field)) return false;
  const busy = hasTransactions(record);
  return busy === false || (busy === null && value instanceof Decimal && isZero(value));
}

/** What an hour had none of, for people; null: it had all that averages need, as far as it tells. */
function lacksInHour(record: RawRecord): string | null {
  if (isNone(record, "block_count")) return "the hour had no blocks";
  return hasTransactions(record) === false ? "the hour had no transactions" : null;
}

/** Null: the record has the fields that would tell, and does not tell. */
function hasTransactions(record: RawRecord): boolean | null {
  if (isNone(record, "tx_count") || isNone(record, "block_count")) return false;
  if (isSome(record, "tx_count")) return true;
  // Every transaction uses gas; without transactions there is no average.
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
