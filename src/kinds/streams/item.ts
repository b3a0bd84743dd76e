import { hash as digestOf } from "node:crypto";

/** One entry of a followed list, with all that following it needs to know. */
export interface Item<T> {
  /** A hash of the whole content: equal for entries that cannot be told apart. */
  readonly hash: string;
  /** Where it stands in the chain: its block number; that of its neighbour where it tells none. */
  readonly place: number;
  /** Its own time in epoch milliseconds; null: it does not tell. */
  readonly at: number | null;
  readonly value: T;
  /** Null, or absent: it cannot be told apart but by its content. */
  readonly form?: Form | null;
  /** It has a name that no other entry has: shown twice, in whatever form, it is there once. */
  readonly unique?: boolean;
}

/** How a list is sorted, as its pages have shown: `mixed` is in no order of time at all. */
export type Order = "newest first" | "oldest first" | "mixed";

/** A part of a list: so many entries at most, after so many others. */
export interface Want {
  readonly offset: number;
  readonly limit: number;
}

/** How much is read and remembered; all of them in entries. */
export interface Sizes {
  /** A page that is read in every round. */
  readonly small: number;
  /** A page for catching up: the most that the service gives. */
  readonly big: number;
  /**
   * By how much neighbouring pages overlap. A list that moves between two requests hides nothing as
   * long as it moves the wrong way by less; equal entries that lie closer are never mixed up.
   */
  readonly lap: number;
  /** So many of the newest are remembered, and all the others of their blocks. */
  readonly keep: number;
}

export const SIZES: Sizes = { small: 100, big: 1_000, lap: 50, keep: 200 };

/**
 * Whether nothing comes after a page. A page may lack a few that could not be read at all, so that
 * one which is almost full may have another behind it.
 */
export function isLast(length: number, limit: number): boolean {
  return length < limit - Math.floor(limit / 50);
}

/**
 * How a list is sorted, from its first page and one that lies behind it, whose first entries may be
 * the last of the first. The order within a page says nothing: a service may take the newest and
 * turn them around. Null: the pages do not differ.
 */
export function orderOf(
  first: readonly Item<unknown>[],
  later: readonly Item<unknown>[],
): Order | null {
  const shown = new Map<string, number>();
  for (const { hash } of first) shown.set(hash, (shown.get(hash) ?? 0) + 1);
  const behind = later.filter(({ hash }) => {
    const left = shown.get(hash) ?? 0;
    shown.set(hash, left - 1);
    return left <= 0;
  });
  if (behind.length === 0 || first.length === 0) return null;
  // All of the first page again, one page on: so much has come before it meanwhile.
  if (later.length - behind.length === first.length) return "newest first";
  // Quarters: a few entries that came late stand where they do not belong.
  const older = quarter(behind, 3) <= quarter(first, 1);
  const newer = quarter(behind, 1) >= quarter(first, 3);
  if (older && newer) return null;
  if (older) return "newest first";
  return newer ? "oldest first" : "mixed";
}

/** The place below which so many quarters of the items lie. */
function quarter(items: readonly Item<unknown>[], count: 1 | 3): number {
  const places = items.map(({ place }) => place).toSorted((a, b) => a - b);
  return places[Math.floor(((places.length - 1) * count) / 4)] ?? 0;
}

/**
 * In which form an entry was shown. A field that a service leaves out for a while, or sends otherwise,
 * makes another content of the same entry, which would be told of again.
 */
export interface Form {
  /** A bit for each field that is missing, in the order of the contract; 0: none is. */
  readonly lacks: number;
  /** A hash of what names the entry; null: that is missing. */
  readonly name: string | null;
  /** A short hash of each field, one behind the other; empty: they are not known. */
  readonly fields: string;
}

/** Fields that two forms both have: how many are alike, and how many are not. */
export interface Likeness {
  readonly equal: number;
  readonly differ: number;
}

const NAME_BYTES = 6;
/** Fields are compared among the few entries that may be one. */
const FIELD_BYTES = 3;
const FIELD_LENGTH = 4;
const MISSING = "....";

/** The form of an entry's fields as text, null where one is missing; that at `name` names it. */
export function formOf(content: readonly (string | null)[], name: number): Form {
  return new FormOfContent(content, name);
}

/** Computed when it is asked for: most entries are known by their content. */
class FormOfContent implements Form {
  readonly #at: number;
  #name: string | null | undefined;
  #fields: string | null = null;

  constructor(
    private readonly content: readonly (string | null)[],
    name: number,
  ) {
    this.#at = name;
  }

  get lacks(): number {
    return this.content.reduce((bits, text, i) => (text === null ? bits + 2 ** i : bits), 0);
  }

  get name(): string | null {
    const text = this.content[this.#at] ?? null;
    this.#name ??= text === null ? null : hashOf([text], NAME_BYTES);
    return this.#name;
  }

  get fields(): string {
    this.#fields ??= this.content
      .map((text) => (text === null ? MISSING : hashOf([text], FIELD_BYTES)))
      .join("");
    return this.#fields;
  }
}

/** A hash of some texts, of so many bytes. */
export function hashOf(content: readonly (string | null)[], bytes: number): string {
  const digest = digestOf("sha256", JSON.stringify(content), "buffer");
  return digest.subarray(0, bytes).toString("base64url");
}

export function likenessOf(one: Form, other: Form): Likeness {
  let [equal, differ] = [0, 0];
  if (one.fields.length !== other.fields.length) return { equal, differ };
  for (let at = 0; at < one.fields.length; at += FIELD_LENGTH) {
    const [a, b] = [fieldAt(one, at), fieldAt(other, at)];
    if (a === MISSING || b === MISSING) continue;
    if (a === b) equal += 1;
    else differ += 1;
  }
  // That both have the one name is known.
  return one.name !== null && one.name === other.name
    ? { equal: equal - 1, differ }
    : { equal, differ };
}

/** Whether an entry has a field now that it lacked before. */
export function gains(before: Form | null, now: Form | null): boolean {
  return ((before?.lacks ?? 0) & ~(now?.lacks ?? 0)) !== 0;
}

/** All that is known of an entry that was shown in two forms; of what both have the later counts. */
export function unionOf(before: Form | null, now: Form | null): Form | null {
  if (before === null || now === null) return now ?? before;
  let fields = "";
  for (let at = 0; at < now.fields.length; at += FIELD_LENGTH) {
    const field = fieldAt(now, at);
    const known = before.fields.length === now.fields.length ? fieldAt(before, at) : MISSING;
    fields += field === MISSING ? known : field;
  }
  return { lacks: before.lacks & now.lacks, name: now.name ?? before.name, fields };
}

/** How many fields are missing. */
export function lackOf(form: Form | null | undefined): number {
  let count = 0;
  for (let bits = form?.lacks ?? 0; bits > 0; bits = Math.floor(bits / 2)) count += bits % 2;
  return count;
}

function fieldAt({ fields }: Form, at: number): string {
  return fields.slice(at, at + FIELD_LENGTH);
}
