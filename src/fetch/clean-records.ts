import type { EndpointName, Fields } from "../api/endpoints.ts";
import { isMap } from "../base/json.ts";
import { withoutKey } from "../base/redact.ts";
import type { Secret } from "../base/secret.ts";
import type { Answer, RawRecord } from "../model/index.ts";
import { specOf } from "./endpoint.ts";

/** A shorter text can hold no part of a key. */
const SHORTEST = 8;
/** A longer one is no name, whatever it is. */
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
      const { fields, list } = specOf(endpoint);
      // Entries are remembered by what stands in them, also where a number should be.
      texts =
        list === undefined ? textsIn(fields, false) : textsIn(fields[list]?.fields ?? {}, true);
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

function textsIn(fields: Fields, all: boolean): Texts {
  const entries = Object.entries(fields);
  const isText = ([, { type, quantity }]: (typeof entries)[number]): boolean =>
    type === "string" && (all || quantity === "text");
  return {
    names: entries.filter(isText).map(([name]) => name),
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
