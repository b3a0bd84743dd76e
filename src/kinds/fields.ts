import {
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointSpec,
  type Fields,
  PROTOCOLS,
} from "../api/endpoints.ts";
import { readField } from "../api/fields.ts";
import { chainById, chainName } from "../base/chains.ts";
import { Decimal, wholeOf } from "../base/decimal.ts";
import { someNames } from "../base/text.ts";
import type {
  Answer,
  Ask,
  Quantity,
  RangeFacts,
  RawRecord,
  Subject,
  Value,
} from "../model/index.ts";
import type { Description, Mark, Metric, Reading, Row } from "./kind.ts";

export type { Fields };

/** What the source keeps of each of its endpoints; the service has no such record. */
const ENDPOINT_FIELDS: Fields = {
  endpoint: { type: "string", quantity: "text" },
  up: { type: "boolean", quantity: "boolean" },
  failures: { type: "number", quantity: "count" },
  failure_reason: { type: "string", quantity: "text" },
  // A number of seconds; the quantity `seconds` would print it as a date.
  latency: { type: "number", quantity: "integer" },
  newest_record_time: { type: "number", quantity: "seconds" },
  lagging_chain: { type: "string", quantity: "text" },
  lagging_record_time: { type: "number", quantity: "seconds" },
};

/** What the contract says of the fields of a record: of one entry where it comes in a list. */
export function fieldsOf(record: Ask["record"]): Fields {
  if (record === "endpoint") return ENDPOINT_FIELDS;
  const { fields, list }: EndpointSpec = ENDPOINTS[ENDPOINTS_OF[record][0]];
  return list === undefined ? fields : (fields[list]?.fields ?? {});
}

/** Text fields that can have a few values only. */
const FIELD_VALUES: Readonly<Record<string, readonly string[]>> = { protocol: PROTOCOLS };

export function metric(name: string, quantity: Quantity, ...words: MetricWords): Metric {
  const [label, ...aliases] = words;
  return { name, quantity, label, ...(aliases.length === 0 ? {} : { aliases }) };
}

/** A metric's label, and the names that people give it who do not know its own. */
type MetricWords = readonly [label: string, ...aliases: string[]];
type Labels = Readonly<Record<string, string | MetricWords>>;

/**
 * The metrics of a kind by name: every field of its record that has a quantity, called as `labels`
 * has it or else by its name in words, and the `derived` ones.
 */
export function metricsOf(
  record: Ask["record"],
  labels: Labels,
  derived: readonly Metric[] = [],
): ReadonlyMap<string, Metric> {
  return metricsFrom(fieldsOf(record), labels, derived);
}

/** The same for fields that a kind names otherwise than its record does. */
export function metricsFrom(
  fields: Fields,
  labels: Labels,
  derived: readonly Metric[] = [],
): ReadonlyMap<string, Metric> {
  const metrics = new Map<string, Metric>();
  for (const [name, { quantity, signed }] of Object.entries(fields)) {
    if (quantity === undefined) continue;
    const values = FIELD_VALUES[name];
    const words = labels[name] ?? name.replaceAll("_", " ");
    metrics.set(name, {
      ...metric(name, quantity, ...(typeof words === "string" ? ([words] as const) : words)),
      ...(values === undefined ? {} : { values }),
      ...(signed === undefined ? {} : { signed }),
    });
  }
  for (const one of derived) metrics.set(one.name, one);
  return metrics;
}

/** The record of an ask for one; null where there is none, and `answerTrouble` says why. */
export function recordOf(answer: Answer | undefined): RawRecord | null {
  return answer?.status === "ok" ? (answer.records[0] ?? null) : null;
}

/** Block and time of a record's latest change. */
export function markOf(key: string, { block_number, timestamp }: RawRecord): Mark {
  return { key, block: wholeNumber(block_number), time: wholeNumber(timestamp) };
}

/** All records have marks in all rounds: a number is cheaper than a Decimal, and exact enough. */
function wholeNumber(raw: unknown): number | null {
  if (typeof raw === "string") return wholeOf(raw);
  return typeof raw === "number" && Number.isSafeInteger(raw) && raw >= 0 ? raw : null;
}

/** A field of a record as its spec reads it; null for no value, no such field and no record. */
export function valueIn(fields: Fields, record: RawRecord | null, name: string): Value | null {
  const spec = fields[name];
  return record === null || spec === undefined ? null : readField(record, name, spec);
}

/** The same where it is a number; null for any other value. */
export function numberIn(fields: Fields, record: RawRecord | null, name: string): Decimal | null {
  const value = valueIn(fields, record, name);
  return value instanceof Decimal ? value : null;
}

export function answerTrouble(answer: Answer | undefined): string {
  if (answer === undefined) return "not asked yet";
  return answer.status === "failed" ? answer.failure.detail : "not in the answer";
}

/** More names than this do not help anybody who reads a notice. */
const MOST_TROUBLES = 3;

/** Which fields of a record have no value, and how that looks: `tvl_usd is null`. */
export function fieldTroubles(record: RawRecord, fields: Fields): string[] {
  const troubles: string[] = [];
  for (const [name, spec] of Object.entries(fields)) {
    if (spec.quantity === undefined || readField(record, name, spec) !== null) continue;
    troubles.push(`${name} is ${wordFor(record[name])}`);
  }
  return troubles;
}

/** One line of at most three troubles; null if there are none. */
function joinTroubles(troubles: readonly string[]): string | null {
  return troubles.length === 0 ? null : someNames(troubles, MOST_TROUBLES);
}

function wordFor(raw: unknown): string {
  if (raw === undefined) return "missing";
  if (raw === null) return "null";
  if (raw === "") return "empty";
  // An object that says it has a way to become a number would throw where it is tried.
  const negative = typeof raw === "string" || typeof raw === "number" ? Number(raw) < 0 : false;
  return negative ? "negative" : "malformed";
}

/** What readings have in common: one answer, which the kind interprets. */
export abstract class BaseReading implements Reading {
  abstract readonly rows: readonly Row[];
  readonly closed: boolean = false;
  /** The answer's only record; null where there is none. */
  protected readonly record: RawRecord | null;

  constructor(
    protected readonly subject: Subject,
    private readonly recordName: Ask["record"],
    protected readonly answer: Answer | undefined,
  ) {
    this.record = recordOf(answer);
  }

  get absent(): boolean {
    return this.answer?.status === "absent";
  }

  get unanswered(): Ask["record"] | null {
    return this.answer?.status === "failed" ? this.recordName : null;
  }

  get trouble(): string | null {
    return this.record === null
      ? answerTrouble(this.answer)
      : joinTroubles(this.troublesOf(this.record));
  }

  /** The trouble of a list of dated entries, by its newest one; `entry`: what people call one of them. */
  protected troubleOfList(newest: RawRecord | undefined, entry: string): string | null {
    if (this.answer?.status !== "ok") return answerTrouble(this.answer);
    if (newest !== undefined) return joinTroubles(this.troublesOf(newest));
    return this.answer.records.length === 0
      ? `no ${entry}s in the answer`
      : `no ${entry} has a good date`;
  }

  marks(): readonly Mark[] {
    return [];
  }

  decimals(_metric: string): number | null {
    return null;
  }

  describe(): Description {
    const { chainId } = this.subject;
    const explorer = chainById(chainId)?.explorer;
    const page = this.page();
    return {
      label: this.label(),
      chain: chainName(chainId),
      link: explorer === undefined || page === null ? null : explorer + page,
      range: this.range(),
      unit: (name) => this.unit(name),
    };
  }

  /** Why values of a good record are missing, each in clean words. */
  protected abstract troublesOf(record: RawRecord): readonly string[];

  /** As of `Description`. */
  protected abstract label(): string;

  /** The subject's page below the explorer's address; null where there is none. */
  protected page(): string | null {
    return null;
  }

  protected range(): RangeFacts | null {
    return null;
  }

  protected unit(_metric: string): string {
    return "";
  }
}
