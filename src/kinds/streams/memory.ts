import { isMap, listOf, readMap } from "../../base/json.ts";
import type { Form, Order } from "./item.ts";

/** What is remembered of a list between two rounds. */
export interface Memory {
  /** Null: not known, or of no importance so far. */
  readonly order: Order | null;
  /** Oldest first: how long the list was. */
  readonly end: number | null;
  /** Oldest first: the end is looked for; it lies after `low` and not after `high`. */
  readonly search: { readonly low: number; readonly high: number | null } | null;
  /** The newest entries, older ones first; null: there was no baseline yet. */
  readonly seen: readonly Seen[] | null;
  /** What stands here or before was told of or is none of our business; null: nothing is. */
  readonly floor: number | null;
  /** The time of the newest entry in epoch milliseconds. */
  readonly at: number | null;
  /** It was said that the list cannot be followed. */
  readonly lost: boolean;
}

/** Entries that cannot be told apart, and how many of them there were. */
export interface Seen {
  readonly hash: string;
  readonly place: number;
  readonly count: number;
  readonly form: Form | null;
}

/** The text that `readMemory` reads. */
export function writeMemory(memory: Memory): string {
  const { order, end, search, seen, floor, at, lost } = memory;
  const list =
    seen?.map(({ hash, place, count, form }) =>
      form === null
        ? [hash, place, count]
        : [hash, place, count, form.lacks, form.name, form.fields],
    ) ?? null;
  return JSON.stringify({ order, end, search, floor, at, lost, seen: list });
}

/** What `writeMemory` wrote; null for none, and for any other text. */
export function readMemory(text: string | null): Memory | null {
  const raw = text === null ? null : readMap(text);
  if (raw === null) return null;
  const { order, end, search, seen, floor, at, lost } = raw;
  const list = seen === null ? null : readSeen(seen);
  if (list === undefined) return null;
  return {
    order: isOrder(order) ? order : null,
    end: numberOf(end),
    search:
      isMap(search) && typeof search.low === "number"
        ? { low: search.low, high: numberOf(search.high) }
        : null,
    seen: list,
    floor: numberOf(floor),
    at: numberOf(at),
    lost: lost === true,
  };
}

function readSeen(raw: unknown): Seen[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const seen: Seen[] = [];
  for (const item of listOf(raw)) {
    const [hash, place, count, ...form] = listOf(item);
    if (typeof hash !== "string" || typeof place !== "number" || typeof count !== "number") {
      return undefined;
    }
    seen.push({ hash, place, count, form: readForm(form) });
  }
  return seen;
}

/** So long was what stood before in the place of the fields: a hash of all but the name. */
const HASH_LENGTH = 8;

/** Null for none, as it was written before there were any. */
function readForm([lacks, name, fields]: readonly unknown[]): Form | null {
  if (typeof lacks !== "number") return null;
  const isKnown = typeof fields === "string" && fields.length > HASH_LENGTH;
  return { lacks, name: typeof name === "string" ? name : null, fields: isKnown ? fields : "" };
}

function isOrder(value: unknown): value is Order {
  return value === "newest first" || value === "oldest first" || value === "mixed";
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
