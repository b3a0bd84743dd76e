import { createHash } from "node:crypto";

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

/** Most entries are known by their content, and nobody asks for their form. */
class FormOfContent implements Form {
  readonly #content: readonly (string | null)[];
  readonly #at: number;
  #name: string | null | undefined;
  #fields: string | null = null;

  constructor(content: readonly (string | null)[], name: number) {
    this.#content = content;
    this.#at = name;
  }

  get lacks(): number {
    return this.#content.reduce((bits, text, i) => (text === null ? bits + 2 ** i : bits), 0);
  }

  get name(): string | null {
    const text = this.#content[this.#at] ?? null;
    this.#name ??= text === null ? null : hashOf([text], NAME_BYTES);
    return this.#name;
  }

  get fields(): string {
    this.#fields ??= this.#content
      .map((text) => (text === null ? MISSING : hashOf([text], FIELD_BYTES)))
      .join("");
    return this.#fields;
  }
}

/** A hash of some texts, of so many bytes. */
export function hashOf(content: readonly (string | null)[], bytes: number): string {
  const hash = createHash("sha256").update(JSON.stringify(content)).digest();
  return hash.subarray(0, bytes).toString("base64url");
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
