import {
  add,
  type Decimal,
  decimalFromInteger,
  multiply,
  negate,
  parseDecimal,
} from "../base/decimal.ts";
import { parseDuration } from "../base/duration.ts";

/** What a subject's metric is from one step to the next. */
export type Step =
  | { readonly kind: "value"; readonly text: string }
  /** The record is there, and this field of it says nothing. */
  | { readonly kind: "null" }
  /** A good answer without the record. */
  | { readonly kind: "absent" }
  /** The request failed. */
  | { readonly kind: "failed" };

/** So many steps of the same kind, one after the other; a ramp adds `by` with each. */
export interface Part {
  readonly step: Step;
  readonly count: number;
  readonly by: Decimal | null;
}

/** What is wrong with a series; the message is for the user who wrote it. */
export class NotationError extends Error {
  override readonly name = "NotationError";
}

/** More steps than a year of minutes are a slip of the keyboard. */
const MOST_STEPS = 600_000;

const REPEATED = /^(.+)x(\d{1,7})$/;
const RAMP = /^(-?\d[\d_.]*)([+-])(\d[\d_.]*)x(\d{1,7})$/;
const WORDS: Readonly<Record<string, Step>> = {
  _: { kind: "null" },
  absent: { kind: "absent" },
  fail: { kind: "failed" },
};

/**
 * Reads a series such as `1 2 3`, `5x10` (ten steps of 5), `100+10x5` (100, 110, … 140), `_`, `absent`,
 * `failx3`. Numbers may hold `_` between digits. Throws NotationError.
 */
export function parseSeries(text: string): readonly Part[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) throw new NotationError("has no steps");
  const parts = words.map(parsePart);
  const steps = parts.reduce((sum, { count }) => sum + count, 0);
  if (steps > MOST_STEPS) throw new NotationError(`has more than ${MOST_STEPS} steps`);
  return parts;
}

/** The number of steps of a series. */
export function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/** The step at a position from 0; after the end the last one goes on. */
export function stepAt(parts: readonly Part[], position: number): Step {
  let left = position;
  let last: Step = { kind: "null" };
  for (const part of parts) {
    last = within(part, Math.min(left, part.count - 1));
    if (left < part.count) return last;
    left -= part.count;
  }
  return last;
}

function within({ step, by }: Part, position: number): Step {
  if (by === null || step.kind !== "value") return step;
  const from = parseDecimal(step.text);
  if (from === null) return step;
  const value = add(from, multiply(by, decimalFromInteger(position)));
  return { kind: "value", text: value.toString() };
}

function parsePart(word: string): Part {
  const ramp = RAMP.exec(word);
  if (ramp !== null) {
    const [, from = "", sign, by = "", count] = ramp;
    const start = parseDecimal(withoutSeparators(from));
    const step = parseDecimal(withoutSeparators(by));
    if (start === null || step === null) throw new NotationError(`"${word}" is no ramp`);
    return {
      step: { kind: "value", text: start.toString() },
      count: counted(word, Number(count)),
      by: sign === "-" ? negate(step) : step,
    };
  }
  const repeated = REPEATED.exec(word);
  // `0x…` is an address, unless no more than a count follows.
  const [, value = "", count] = repeated ?? [];
  if (repeated === null) return { step: parseStep(word), count: 1, by: null };
  return { step: parseStep(value), count: counted(word, Number(count)), by: null };
}

function counted(word: string, count: number): number {
  if (count === 0) throw new NotationError(`"${word}" is no step at all`);
  return count;
}

function parseStep(word: string): Step {
  const known = WORDS[word];
  if (known !== undefined) return known;
  const plain = withoutSeparators(word);
  return { kind: "value", text: parseDecimal(plain) === null ? word : plain };
}

function withoutSeparators(text: string): string {
  return text.replaceAll(/(?<=\d)_(?=\d)/g, "");
}

const ABSOLUTE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?$/;

/** An offset such as `12m` or `1h30m` in milliseconds, also `0`; null for anything else. */
export function parseOffset(text: string): number | null {
  return text === "0" ? 0 : parseDuration(text);
}

/** `2026-11-28T12:05:00Z`, `2026-11-28 12:05` or a day, in UTC, in epoch milliseconds; else null. */
export function parseDate(text: string): number | null {
  if (!ABSOLUTE.test(text)) return null;
  const iso = text.replace(" ", "T").replace(/Z$/, "");
  const at = Date.parse(iso.includes("T") ? `${iso}Z` : `${iso}T00:00Z`);
  // Date.parse may carry 30 February over into March.
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(iso) ? null : at;
}

/** An offset as it is written in a case: `12m`, `1h30m`, `-5m`. */
export function offsetText(ms: number): string {
  const sign = ms < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(ms) / 1_000);
  const parts: string[] = [];
  let left = whole;
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * seconds;
  }
  return parts.length === 0 ? "0m" : sign + parts.join("");
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;
