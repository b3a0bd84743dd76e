import { createHash } from "node:crypto";
import { Decimal } from "../../base/decimal.ts";
import { readField } from "../../contract/fields.ts";
import type { Answer, Ask, RawRecord, Value } from "../../model.ts";
import { type Fields, fieldsOf } from "../fields.ts";
import type { PageAnswer } from "./follow.ts";
import type { Form } from "./form.ts";
import type { Item, Want } from "./item.ts";

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
/** Parts are looked for among the few that are remembered. */
const PART_BYTES = 6;

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
  const blocks = records.map((record) => wholeNumber(record, fields, spec.block));
  const first = blocks.find((block) => block !== null);
  if (first === undefined) return records.length === 0 ? [] : "failed";
  let place = first ?? 0;
  return records.map((record, i): Item<RawRecord> => {
    // One that does not tell stands where its neighbours stand.
    place = blocks[i] ?? place;
    const content = contentOf(record, fields, spec.name);
    return {
      ...content,
      unique: spec.unique === true && content.form.name !== null,
      place,
      at: timeOf(record, fields, spec.time),
      value: record,
    };
  });
}

/** Whether all that a record tells is what an entry of the same list tells, as far as it does. */
export function isAlike(
  { record, name }: ListSpec,
  before: RawRecord,
  { content = [] }: Item<RawRecord>,
): boolean {
  const known = contentOf(before, fieldsOf(record), name).content;
  return known.every((text, i) => {
    const other = content[i] ?? null;
    return text === null || other === null || text === other;
  });
}

/** A time field in epoch milliseconds; null where it tells none. */
function timeOf(record: RawRecord, fields: Fields, name: string): number | null {
  const spec = fields[name];
  const seconds = spec === undefined ? null : readField(record, name, spec);
  const ms = seconds instanceof Decimal ? Math.floor(Number(seconds.toString()) * 1_000) : NaN;
  return Number.isSafeInteger(ms) ? ms : null;
}

function wholeNumber(record: RawRecord, fields: Fields, name: string): number | null {
  const spec = fields[name];
  const value = spec === undefined ? null : readField(record, name, spec);
  const number = value instanceof Decimal ? Number(value.toString()) : NaN;
  return Number.isSafeInteger(number) ? number : null;
}

function contentOf(
  record: RawRecord,
  fields: Fields,
  name: string,
): {
  readonly hash: string;
  readonly form: Form;
  readonly content: readonly (string | null)[];
} {
  const content = Object.entries(fields).map(
    ([field, spec]) => [field, textOf(readField(record, field, spec))] as const,
  );
  const texts = content.map(([, value]) => value);
  const rest = content.filter(([field]) => field !== name).map(([, value]) => value);
  const named = content.find(([field]) => field === name)?.[1] ?? null;
  return {
    hash: hashOf(texts, HASH_BYTES),
    content: texts,
    form: {
      lacks: content.reduce((bits, [, value], i) => (value === null ? bits + 2 ** i : bits), 0),
      name: named === null ? null : hashOf([named], PART_BYTES),
      rest: rest.includes(null) ? null : hashOf(rest, PART_BYTES),
    },
  };
}

/** Hashes and ids that come in other letters are the same ones. */
function textOf(value: Value | null): string | null {
  if (typeof value !== "string") return value?.toString() ?? null;
  return value.startsWith("0x") || value.startsWith("0X") ? value.toLowerCase() : value;
}

function hashOf(content: readonly (string | null)[], bytes: number): string {
  const hash = createHash("sha256").update(JSON.stringify(content)).digest();
  return hash.subarray(0, bytes).toString("base64url");
}
