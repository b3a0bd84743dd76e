import { Decimal, decimalFromInteger, shift, subtract } from "../base/decimal.ts";
import { DAY } from "../base/duration.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { BaseReading, fieldsOf, fieldTroubles, metric, valueIn } from "./fields.ts";
import type { Description, Metric, Row, WatchKind } from "./kind.ts";

const FIELDS = fieldsOf("endpoint");

const REASONS: readonly string[] = [
  "none",
  "timeout",
  "network",
  "unauthorized",
  "rate_limited",
  "refused",
  "server_error",
  "malformed",
  "too_large",
  "out_of_time",
];

const METRICS: readonly Metric[] = [
  metric("endpoint", "text", "endpoint"),
  metric("up", "boolean", "up", "status"),
  metric("failures", "count", "failures (5 min)"),
  { ...metric("failure_reason", "text", "reason of failures"), values: REASONS },
  // Durations are plain numbers of seconds: the quantity of that name is a date.
  metric("latency", "integer", "latency"),
  metric("lag", "integer", "lag"),
  metric("chain_lag", "integer", "lag of the chain that lags most"),
  metric("lagging_chain", "text", "chain that lags most"),
];

/** What an endpoint need not have told. */
const OFTEN_ABSENT: ReadonlySet<string> = new Set([
  "latency",
  "newest_record_time",
  "lagging_chain",
  "lagging_record_time",
]);

const METRIC_NAMES: ReadonlySet<string> = new Set(METRICS.map(({ name }) => name));

const SECONDS: ReadonlySet<string> = new Set(["latency", "lag", "chain_lag"]);

/** How the daemon fares with the service's endpoints, each of them by itself. */
export const source: WatchKind = {
  kind: "source",
  aliases: ["endpoint", "service"],
  words: { subjects: "endpoints" },
  targets: { key: "endpoints", id: null, protocols: null },
  bucketMs: null,
  // The daemon itself knows: nothing is asked of the service.
  records: [],
  metrics: new Map(METRICS.map((one) => [one.name, one])),

  subject: ({ id, name }) => {
    const endpoint = id ?? "";
    return { key: `source:${endpoint}`, kind: "source", chainId: 0, ids: { endpoint }, name };
  },

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  read: (subject, answers, date) => new SourceReading(subject, answers(askOf(subject)), date),
};

function askOf({ ids }: Subject): Ask {
  const id = ids.endpoint ?? "";
  return { key: `endpoint:${id}`, record: "endpoint", chainId: 0, id };
}

class SourceReading extends BaseReading {
  readonly rows: readonly Row[];

  constructor(subject: Subject, answer: Answer | undefined, date: number) {
    super(subject, "endpoint", answer);
    this.rows = this.record === null ? [] : [new SourceRow(this.record, date)];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    const told = Object.entries(FIELDS).filter(([name]) => !OFTEN_ABSENT.has(name));
    const troubles = fieldTroubles(record, Object.fromEntries(told));
    const [row] = this.rows;
    if (row?.value("latency") === null) troubles.push("it has not answered yet");
    if (row?.value("lag") === null) troubles.push("no record has told its time lately");
    return troubles;
  }

  protected label(): string {
    return `endpoint ${this.subject.ids.endpoint ?? ""}`;
  }

  protected override unit(metricName: string): string {
    return SECONDS.has(metricName) ? "s" : "";
  }

  override describe(): Description {
    // It serves all chains; the name says all there is to say.
    return { ...super.describe(), chain: this.label() };
  }
}

class SourceRow implements Row {
  readonly date = null;

  constructor(
    private readonly record: RawRecord,
    private readonly now: number,
  ) {}

  value(name: string): Value | null {
    if (name === "lag") return this.#lag("newest_record_time");
    // Where all records are of one chain, it is the one.
    if (name === "chain_lag") return this.#lag("lagging_record_time") ?? this.value("lag");
    return METRIC_NAMES.has(name) ? this.#field(name) : null;
  }

  #field(name: string): Value | null {
    return valueIn(FIELDS, this.record, name);
  }

  /**
   * How old the newest record is, in seconds, to the millisecond. A running bucket is not old at all;
   * a time more than a day ahead is not the time of a record.
   */
  #lag(field: string): Decimal | null {
    const newest = this.#field(field);
    if (!(newest instanceof Decimal)) return null;
    const age = subtract(shift(decimalFromInteger(this.now), -3), newest);
    if (age.digits >= 0n) return age;
    return Number(age.toString()) * 1_000 < -DAY ? null : Decimal.ZERO;
  }
}
