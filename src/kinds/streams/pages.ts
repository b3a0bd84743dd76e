import { readField } from "../../api/fields.ts";
import { Decimal } from "../../base/decimal.ts";
import type { Answer, Ask, RawRecord, Value } from "../../model/index.ts";
import { type Fields, fieldsOf, valueIn } from "../fields.ts";
import type { PageAnswer } from "./follow.ts";
import { formOf, hashOf, type Item, type Want } from "./item.ts";
import type { Rejoining } from "./waiting.ts";

/** A list of entries in the contract, and the fields that date and name them. */
export interface ListSpec {
  readonly record: Ask["record"];
  /** Block number, and the time as Unix seconds. */
  readonly block: string;
  readonly time: string;
  /** What names an entry, or the transaction that it belongs to. */
  readonly name: string;
  /** That it names is one entry, not a transaction of several. */
  readonly unique?: boolean;
}

/** So many bytes of a hash make no two contents of a list alike. */
const HASH_BYTES = 12;

/** The ask for a page of the list of a pool; `id` in lower case. */
export function pageAsk(
  { record }: ListSpec,
  chainId: number,
  id: string,
  { offset, limit }: Want,
): Ask {
  const key = `${record}:${chainId}:${id}:${offset}+${limit}`;
  return { key, record, chainId, id, limit, offset };
}

/**
 * The entries of a page. What tells them apart is what the contract knows of them, read: another way
 * of writing the same is the same entry. A page on which no entry tells its block cannot be followed.
 */
export function readPage(spec: ListSpec, answer: Answer | undefined): PageAnswer<RawRecord> {
  if (answer === undefined) return undefined;
  if (answer.status !== "ok") return "failed";
  const fields = fieldsOf(spec.record);
  const { records } = answer;
  const name = Object.keys(fields).indexOf(spec.name);
  const blocks = records.map((record) => wholeNumber(record, fields, spec.block));
  const first = blocks.find((block) => block !== null);
  if (first === undefined) return records.length === 0 ? [] : "failed";
  let place = first ?? 0;
  return records.map((record, i): Item<RawRecord> => {
    // One that does not tell stands where its neighbours stand.
    place = blocks[i] ?? place;
    const content = contentOf(record, fields);
    return {
      hash: hashOf(content, HASH_BYTES),
      form: formOf(content, name),
      unique: spec.unique === true && content[name] !== null,
      place,
      at: timeOf(record, fields, spec.time),
      value: record,
    };
  });
}

/** How the entries of a list are put together that were shown with less before. */
export function rejoining({ record, name }: ListSpec): Rejoining {
  const fields = fieldsOf(record);
  const read = (one: RawRecord, field: string): string | null => {
    const spec = fields[field];
    return spec === undefined ? null : textOf(readField(one, field, spec));
  };
  return {
    completed: (before, now) => {
      const lacking = Object.keys(fields).filter((field) => read(now, field) === null);
      return {
        ...now,
        ...Object.fromEntries(lacking.map((field) => [field, before[field] ?? null])),
      };
    },
    hasName: (before, now) => read(before, name) !== null && read(before, name) === read(now, name),
  };
}

/** A time field in epoch milliseconds; null where it tells none. */
function timeOf(record: RawRecord, fields: Fields, name: string): number | null {
  const seconds = valueIn(fields, record, name);
  const ms = seconds instanceof Decimal ? Math.floor(Number(seconds.toString()) * 1_000) : NaN;
  return Number.isSafeInteger(ms) ? ms : null;
}

function wholeNumber(record: RawRecord, fields: Fields, name: string): number | null {
  const value = valueIn(fields, record, name);
  const number = value instanceof Decimal ? Number(value.toString()) : NaN;
  return Number.isSafeInteger(number) ? number : null;
}

/** The fields of a record in the order of the contract, as text; null: missing. */
function contentOf(record: RawRecord, fields: Fields): readonly (string | null)[] {
  return Object.entries(fields).map(([field, spec]) => textOf(readField(record, field, spec)));
}

/** Hashes and ids that come in other letters are the same ones. */
function textOf(value: Value | null): string | null {
  if (typeof value !== "string") return value?.toString() ?? null;
  return value.startsWith("0x") || value.startsWith("0X") ? value.toLowerCase() : value;
}
