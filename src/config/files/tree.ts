import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Scalar,
  type YAMLMap,
  type Document as Yaml,
} from "yaml";
import type { ProblemCode } from "../../base/problem-codes.ts";
import type { Hint } from "../../base/settings.ts";
import { isInCurlyQuotes } from "../../base/suggest.ts";
import {
  commaPitfall,
  commentPitfall,
  emptyPitfall,
  isTemplateMap,
  TEXT_KEYS,
} from "./pitfalls.ts";
import type { TextFile } from "./text-file.ts";

/** Where one entry of a map or list stands: offsets of its key (lists: its value) and value. */
interface Entry {
  readonly key: number;
  readonly value: number;
  readonly content: unknown;
}

export interface Tree {
  readonly root: unknown;
  readonly start: number;
  /** By map or list of the plain data, then by key or position. */
  readonly places: WeakMap<object, ReadonlyMap<string | number, Entry>>;
}

type ReportAt = (code: ProblemCode, offset: number, message: string, hint?: Hint) => void;

const MOST_ALIASES = 100;
/** Aliases may make the data that many times larger than the file, in parts. */
const MOST_PARTS = 1_000_000;
const DEEPEST = 64;

/** Turns parsed YAML into plain data; what a person surely did not mean is reported on the way. */
export function readTree(
  yaml: Yaml,
  file: TextFile,
  report: ReportAt,
  warn: ReportAt,
): Tree | null {
  if (yaml.contents === null || (isScalar(yaml.contents) && yaml.contents.source === "")) {
    report("empty", 0, "the file is empty");
    return null;
  }
  const reader = new TreeReader(yaml, file, report, warn);
  const { value, parts } = reader.read(yaml.contents, false, 0);
  if (parts > MOST_PARTS) {
    report("too-large", 0, "its aliases make the file too large", {
      expected: `at most ${MOST_PARTS} parts`,
    });
    return null;
  }
  return { root: value, start: startOf(yaml.contents) ?? 0, places: reader.places };
}

/** A value with the number of parts that it has once all aliases are followed. */
interface Read {
  readonly value: unknown;
  readonly parts: number;
}

class TreeReader {
  readonly places = new WeakMap<object, ReadonlyMap<string | number, Entry>>();
  readonly #anchored = new Map<unknown, Read | null>();
  #aliases = 0;

  constructor(
    private readonly yaml: Yaml,
    private readonly file: TextFile,
    readonly report: ReportAt,
    readonly warn: ReportAt,
  ) {}

  /** `textual`: a `#` right after this value was surely meant as a part of it. */
  read(node: unknown, textual: boolean, depth: number): Read {
    if (depth > DEEPEST) {
      this.report("too-large", startOf(node) ?? 0, `this is nested more than ${DEEPEST} deep`);
      return NOTHING;
    }
    if (isAlias(node)) return this.#alias(node, startOf(node) ?? 0);
    if (isScalar(node)) return { value: this.#scalar(node, textual), parts: 1 };
    if (!isMap(node) && !isSeq(node)) return NOTHING;
    if (node.anchor === undefined) return this.#collection(node, textual, depth);
    // Null marks an anchor that is still being read: an alias within it would be endless.
    this.#anchored.set(node, null);
    const read = this.#collection(node, textual, depth);
    this.#anchored.set(node, read);
    return read;
  }

  #collection(node: unknown, textual: boolean, depth: number): Read {
    if (isMap(node)) return this.#map(node, textual, depth);
    const items: unknown[] = [];
    const entries = new Map<number, Entry>();
    let parts = 1;
    if (isSeq(node)) {
      for (const [i, item] of node.items.entries()) {
        const read = this.read(item, textual, depth + 1);
        const offset = startOf(item) ?? startOf(node) ?? 0;
        if (read.value === null) emptyPitfall(this.file.text, offset, this.report);
        entries.set(i, { key: offset, value: offset, content: read.value });
        items.push(read.value);
        parts += read.parts;
      }
    }
    this.places.set(items, entries);
    return { value: items, parts };
  }

  #map(node: YAMLMap, textual: boolean, depth: number): Read {
    const entries = new Map<string, Entry>();
    const keys = new Map<string, number>();
    let parts = 1;
    let before: Pair | null = null;
    for (const pair of node.items) {
      const whole =
        node.flow === true
          ? commaPitfall(before, pair, this.file.text, startOf, this.report)
          : null;
      if (whole !== null) {
        const [key, entry] = [...entries].at(-1) ?? [];
        if (key !== undefined && entry !== undefined)
          entries.set(key, { ...entry, content: whole });
        continue;
      }
      before = pair;
      const key = this.#key(pair.key, keys);
      if (key === null) continue;
      const keyOffset = startOf(pair.key) ?? 0;
      if (isTemplateMap(pair.value, this.file.text)) {
        const hint = { expected: "quotes around the text" };
        this.report(
          "needs-quotes",
          startOf(pair.value) ?? keyOffset,
          "an unquoted {{ begins a map",
          hint,
        );
        continue;
      }
      const read = this.read(pair.value, textual || TEXT_KEYS.has(key), depth + 1);
      let offset = (isEmpty(pair.value) ? null : startOf(pair.value)) ?? keyOffset;
      if (read.value === null) {
        const end = isScalar(pair.key) ? (pair.key.range?.[1] ?? keyOffset) : keyOffset;
        offset = emptyPitfall(this.file.text, end, this.report) ?? offset;
      }
      entries.set(key, { key: keyOffset, value: offset, content: read.value });
      parts += read.parts;
    }
    const value = Object.fromEntries([...entries].map(([key, entry]) => [key, entry.content]));
    this.places.set(value, entries);
    return { value, parts };
  }

  /** The text of a map's key; null after reporting one that cannot be used. */
  #key(node: unknown, keys: Map<string, number>): string | null {
    const offset = startOf(node) ?? 0;
    const value = isScalar(node) ? this.#scalar(node, false) : null;
    if (typeof value !== "string" && typeof value !== "boolean") {
      this.report("bad-name", offset, "a key must be text", { expected: "a name before the ':'" });
      return null;
    }
    const key = String(value);
    if (key === "__proto__") {
      this.report("bad-name", offset, "__proto__ cannot be a key");
      return null;
    }
    if (key === "<<") {
      const hint = { expected: "the keys themselves, or an alias as a whole value (watch: *NAME)" };
      this.report("unknown-key", offset, "YAML's merge key << is not used here", hint);
      return null;
    }
    const first = keys.get(key);
    if (first !== undefined) {
      const line = this.file.place(first).line;
      this.report("duplicate-key", offset, `duplicate key \`${key}\`, first in line ${line}`);
      return null;
    }
    keys.set(key, offset);
    return key;
  }

  #scalar(node: Scalar, textual: boolean): unknown {
    const { value, source, type } = node;
    const offset = startOf(node) ?? 0;
    if (typeof value === "number" || typeof value === "bigint") return source ?? String(value);
    if (value === null || typeof value === "boolean" || typeof value === "string") {
      if (type === Scalar.PLAIN && typeof value === "string" && isInCurlyQuotes(value)) {
        // What stands there may be a secret, and is not repeated.
        const hint = { expected: "straight quotes, \" or '" };
        this.report("curly-quotes", offset, "curly quotes are a part of the text", hint);
      } else if (type === Scalar.PLAIN && textual && value !== null) {
        commentPitfall(this.file.text, node.range?.[1] ?? offset, offset, this);
      }
      return value;
    }
    this.report("bad-yaml", offset, "this kind of value is not supported", { expected: "text" });
    return null;
  }

  #alias(node: Alias, offset: number): Read {
    this.#aliases++;
    if (this.#aliases === MOST_ALIASES + 1) {
      this.report("too-large", offset, `the file has more than ${MOST_ALIASES} aliases`);
    }
    if (this.#aliases > MOST_ALIASES) return NOTHING;
    const target = node.resolve(this.yaml);
    if (target === undefined) {
      const hint = { expected: "quotes around text that begins with a *" };
      this.report(
        "bad-yaml",
        offset,
        "an unquoted * begins an alias, and no anchor has its name",
        hint,
      );
      return NOTHING;
    }
    const known = this.#anchored.get(target);
    if (known === null) {
      this.report("bad-yaml", offset, "this alias lies within its own anchor");
      return NOTHING;
    }
    return known ?? this.read(target, false, 0);
  }
}

const NOTHING: Read = { value: null, parts: 1 };

function startOf(node: unknown): number | null {
  if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) return node.range?.[0] ?? null;
  return null;
}

function isEmpty(node: unknown): boolean {
  return isScalar(node) && node.value === null && (node.source ?? "") === "";
}
