import type { EndpointName, Fields } from "../api/endpoints.ts";
import { wholeOf } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import { withoutKey } from "../base/redact.ts";
import type { Secret } from "../base/text.ts";
import type { Answer, Ask, RawRecord } from "../model/index.ts";
import { itemOf, specOf } from "./plan.ts";
import type { Request } from "./source.ts";

/** The answers to a request's asks by one good response, or why the response is not good. */
export type Matched =
  | {
      /** One for each ask, in the request's order. */
      readonly answers: readonly Answer[];
      /** Entries that were not asked for, repeated ones, and ones that are not objects. */
      readonly ignored: number;
    }
  | { readonly problem: string };

const ABSENT: Answer = { status: "absent" };

/**
 * Gives each ask what it asked for, in the shape of its endpoint: the one record, its entry of a
 * batch, or all entries of a list. Entries of a batch may come in any order, letter case and number,
 * and are told by their identifying fields; the first one of an item counts. A record or list that
 * names itself as something else than what was asked for is no answer to it: absent.
 */
export function match({ endpoint, asks }: Request, json: unknown): Matched {
  const { shape, list = "", fields, batch } = specOf(endpoint);
  let entries: unknown = json;
  if (shape !== "array") {
    if (!isMap(json)) return { problem: "no object in the answer" };
    if (isTrouble(json.error)) return { problem: "the answer is an error" };
    if (shape === "object" && !Object.keys(fields).some((name) => isGiven(json[name]))) {
      return { problem: "no record in the answer" };
    }
    const [first] = asks;
    if (first !== undefined && !isOf(endpoint, json, first)) {
      return { answers: asks.map(() => ABSENT), ignored: 1 };
    }
    if (shape === "object") {
      return { answers: asks.map(() => ({ status: "ok", records: [json] })), ignored: 0 };
    }
    entries = json[list];
  }
  if (!Array.isArray(entries)) return { problem: "no list in the answer" };
  return batch === undefined
    ? matchList(endpoint, asks, entries, totalOf(endpoint, json))
    : matchBatch(endpoint, batch.field, asks, entries);
}

/**
 * A list is for one ask. An empty one says that there are none, but of gas, which every chain has,
 * that there is no answer; so does one that is all about something else.
 */
function matchList(
  endpoint: EndpointName,
  asks: readonly Ask[],
  entries: readonly unknown[],
  total: number | null,
): Matched {
  const [ask] = asks;
  const records = entries.filter(
    (entry): entry is RawRecord =>
      isMap(entry) && (ask === undefined || isOf(endpoint, entry, ask)),
  );
  const empty = records.length === 0 && (entries.length > 0 || endpoint === "gas_hourly");
  const answer: Answer = empty
    ? ABSENT
    : { status: "ok", records, ...(total === null ? {} : { total }) };
  return { answers: asks.map(() => answer), ignored: entries.length - records.length };
}

/** How many entries there are on all pages of a list; null: the answer does not tell. */
function totalOf(endpoint: EndpointName, json: unknown): number | null {
  const { total } = specOf(endpoint);
  const raw = total === undefined || !isMap(json) ? null : json[total];
  const count = typeof raw === "string" ? wholeOf(raw) : raw;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function matchBatch(
  endpoint: EndpointName,
  field: string,
  asks: readonly Ask[],
  entries: readonly unknown[],
): Matched {
  const found: Answer[] = asks.map(() => ABSENT);
  let places: ReadonlyMap<string, number> | null = null;
  let count = 0;
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i];
    if (!isMap(entry)) continue;
    const same = asks[i];
    // Mostly they come as they were asked for, and need not be looked up.
    const inPlace: boolean =
      places === null && same !== undefined && isText(entry[field], itemOf(endpoint, same));
    if (!inPlace) places ??= placesOf(endpoint, asks);
    const place = inPlace ? i : (places?.get(textOf(entry[field])) ?? -1);
    const ask = asks[place];
    if (ask === undefined || found[place] !== ABSENT || !isOf(endpoint, entry, ask, field))
      continue;
    found[place] = { status: "ok", records: [entry] };
    count += 1;
  }
  const ignored = entries.length - count;
  return { answers: count === asks.length ? found : shared(endpoint, asks, found), ignored };
}

/** Where each item is asked for, the last time if it is more than once. */
function placesOf(endpoint: EndpointName, asks: readonly Ask[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [i, ask] of asks.entries()) places.set(itemOf(endpoint, ask), i);
  return places;
}

/** Two asks may want the same item: what one of them has is the other's as well. */
function shared(
  endpoint: EndpointName,
  asks: readonly Ask[],
  found: readonly Answer[],
): readonly Answer[] {
  const byItem = new Map<string, Answer>();
  for (const [i, ask] of asks.entries()) {
    const answer = found[i];
    if (answer?.status === "ok") byItem.set(itemOf(endpoint, ask), answer);
  }
  return asks.map((ask) => byItem.get(itemOf(endpoint, ask)) ?? ABSENT);
}

/** `error: null` beside a record says that there is none. */
function isTrouble(error: unknown): boolean {
  return isGiven(error) && error !== false && error !== "" && error !== 0;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

type Identity = readonly (readonly [field: string, asked: (ask: Ask) => string | undefined])[];

/** The fields by which records and lists name themselves, beside their id. */
const SHARED: Identity = [
  ["chain_id", ({ chainId }) => String(chainId)],
  ["chainId", ({ chainId }) => String(chainId)],
  ["wallet_address", ({ wallet }) => wallet],
  ["owner_address", ({ owner }) => owner],
  ["spender_address", ({ spender }) => spender],
  ["contract_address", ({ id }) => id],
  ["function", (ask) => ask.function],
  ["args", ({ args }) => args],
  ["decimals", ({ record, decimals }) => (record === "call" ? String(decimals ?? 0) : undefined)],
  ["blocks", ({ record, limit }) => (record === "gas_now" ? String(limit) : undefined)],
  ["protocol", ({ protocol }) => protocol],
  ["period", ({ period }) => period],
];

const ID = (ask: Ask): string => ask.id;
/** A position names its pool beside itself, which is none of what was asked for. */
const POSITION: Identity = [...SHARED, ["nft_id", ID]];
const ANY: Identity = [...SHARED, ["token_address", ID], ["pool_id", ID], ["pool_address", ID]];

/**
 * Whether a record, an entry or a list is what was asked for, as far as it says: fields that are
 * absent or null say nothing. `known`: the field that it was found by.
 */
function isOf(endpoint: EndpointName, record: RawRecord, ask: Ask, known = ""): boolean {
  for (const [field, asked] of identityOf(endpoint)) {
    if (field === known) continue;
    const given = record[field];
    // The chain is a number in every record, and a round compares a hundred thousand of them.
    if (given === undefined || given === null || given === ask.chainId) continue;
    const wanted = asked(ask);
    if (wanted !== undefined && !isText(given, wanted)) return false;
  }
  return true;
}

const identities = new Map<EndpointName, Identity>();

/** The identifying fields that the endpoint's answers have by the contract. */
function identityOf(endpoint: EndpointName): Identity {
  let identity = identities.get(endpoint);
  if (identity === undefined) {
    const { batch, fields, list } = specOf(endpoint);
    const entry = list === undefined ? {} : (fields[list]?.fields ?? {});
    const all = batch?.field === "nft_id" ? POSITION : ANY;
    identity = all.filter(([field]) => field in fields || field in entry);
    identities.set(endpoint, identity);
  }
  return identity;
}

/** Whether an id is one that asks have; most are written as those are. */
function isText(raw: unknown, id: string): boolean {
  return raw === id || textOf(raw) === id;
}

/** An id as asks have it; small ones may come as numbers. */
function textOf(raw: unknown): string {
  if (typeof raw === "string") return raw.toLowerCase();
  return typeof raw === "number" ? String(raw) : "";
}

/** A shorter text cannot hold a part of a key. */
const SHORTEST = 8;
/** A longer text is not a name. */
const LONGEST = 2_048;
const NUMBER_OR_DATE = /^(?:[+-]?\d[\d.]{0,80}|\d{4}-\d\d-\d\d[T \d:.+Z-]*)$/;
const HASH = /^0x[0-9a-f]{64}(?:-\d+)?$/i;
/** The length of a hash in hexadecimal. */
const HASH_LENGTH = 66;
const NINE = 57;
/** Names of tokens repeat from round to round: so many are remembered with what is left of them. */
const MOST_KNOWN = 10_000;

/** The fields of a record that hold text, with those of the objects in it. */
interface Texts {
  readonly names: readonly string[];
  readonly inside: readonly (readonly [name: string, texts: Texts])[];
}

/**
 * Takes the key out of the texts of good answers. A service may give away what it was sent as the name
 * of a token or the hash of a transaction, and such texts go into notices and the database.
 */
export class RecordCleaner {
  readonly #known = new Map<string, string>();
  readonly #texts = new Map<EndpointName, Texts>();

  constructor(private readonly key: Secret) {}

  /** The same answers, unless something had to be taken out. */
  clean(endpoint: EndpointName, answers: readonly Answer[]): readonly Answer[] {
    const texts = this.#textsOf(endpoint);
    return mapped(answers, (answer) => {
      if (answer.status !== "ok") return answer;
      const records = mapped(answer.records, (record) => this.#record(record, texts));
      return records === answer.records ? answer : { ...answer, records };
    });
  }

  #record(record: RawRecord, { names, inside }: Texts): RawRecord {
    let changed: Record<string, unknown> | null = null;
    for (const name of names) {
      const text = record[name];
      if (typeof text !== "string" || text.length < SHORTEST || isHarmless(text)) continue;
      const left = this.#text(text);
      if (left !== text) (changed ??= { ...record })[name] = left;
    }
    for (const [name, texts] of inside) {
      const inner = record[name];
      if (!isMap(inner)) continue;
      const left = this.#record(inner, texts);
      if (left !== inner) (changed ??= { ...record })[name] = left;
    }
    return changed ?? record;
  }

  #text(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const left = withoutKey(text.slice(0, LONGEST), this.key);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(text, left);
    return left;
  }

  #textsOf(endpoint: EndpointName): Texts {
    let texts = this.#texts.get(endpoint);
    if (texts === undefined) {
      const { fields, list, batch } = specOf(endpoint);
      // Entries are remembered by what stands in them, also where a number should be.
      texts =
        list === undefined
          ? textsIn(fields, false, batch?.field)
          : textsIn(fields[list]?.fields ?? {}, true, batch?.field);
      this.#texts.set(endpoint, texts);
    }
    return texts;
  }
}

/**
 * Numbers, dates, and ids of pools and transactions, which make up most of an answer: names and addresses,
 * which are remembered, are told from them by how they begin and how long they are.
 */
function isHarmless(text: string): boolean {
  if (text.charCodeAt(0) > NINE) return false;
  if (!text.startsWith("0x") && !text.startsWith("0X")) return NUMBER_OR_DATE.test(text);
  return text.length >= HASH_LENGTH && HASH.test(text);
}

/** `matched`: the field by which entries of a batch were found, which therefore holds what was asked for. */
function textsIn(fields: Fields, all: boolean, matched?: string): Texts {
  const entries = Object.entries(fields);
  const isName = ([name, { type, quantity }]: (typeof entries)[number]): boolean =>
    type === "string" && (all || quantity === "text") && name !== matched;
  return {
    names: entries.filter(isName).map(([name]) => name),
    inside: entries.flatMap(([name, { fields: inner }]) => {
      const texts = inner === undefined ? null : textsIn(inner, all);
      return texts === null || texts.names.length === 0 ? [] : [[name, texts] as const];
    }),
  };
}

/** The list with each item as `change` leaves it; the same list if none is another one. */
function mapped<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | null = null;
  for (let i = 0; i < list.length; i += 1) {
    const item = list[i];
    if (item === undefined) continue;
    const next = change(item);
    if (next === item) continue;
    changed ??= [...list];
    changed[i] = next;
  }
  return changed ?? list;
}
