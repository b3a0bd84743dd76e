import { Decimal } from "../base/decimal.ts";
import { MINUTE } from "../base/duration.ts";
import type { Reading } from "../kinds/kind.ts";
import type { Ask, Reference, Value } from "../model/index.ts";
import type { ReferenceValue } from "./evaluation-context.ts";
import { type ReferenceRuntime, type RuleRuntime, valueFromText } from "./runtime.ts";

/** A round's readings of the subjects of references, by the subject's key. */
export type ReferenceReadings = ReadonlyMap<string, Reading>;

export const NO_READINGS: ReferenceReadings = new Map();

/** A reference's buckets are read as by a rule without `min_age` and `max_age`. */
const MIN_AGE_MS = 5 * MINUTE;
const MAX_AGE_BUCKETS = 2;

/**
 * The value of a reference at a round's date: the round's reading; if its request failed, the newest value that
 * is still in force for the rule (never for several subjects together); else null.
 */
export function referenceValue(
  reference: Reference,
  rule: RuleRuntime,
  readings: ReferenceReadings,
  date: number,
): ReferenceValue | null {
  const known = rule.references.get(reference);
  if (known === undefined) return null;
  const reading = readings.get(reference.subject.key);
  const read = reading === undefined ? null : valueOf(known, reading, reference.metric, date);
  const value = read ?? (isUnanswered(reading) ? inForce(known, rule, date) : null);
  if (!(value instanceof Decimal)) return null;
  return { value, decimals: reference.decimals ?? reading?.decimals(reference.metric) ?? null };
}

/** Whether this round knows nothing of the subject, good or bad. */
function isUnanswered(reading: Reading | undefined): boolean {
  if (reading === undefined || reading.unanswered !== null) return true;
  return reading.rows.length === 0 && !reading.absent;
}

function valueOf(
  { kind }: ReferenceRuntime,
  { rows }: Reading,
  metric: string,
  date: number,
): Value | null {
  if (kind.bucketMs === null) return rows[0]?.value(metric) ?? null;
  const { bucketMs } = kind;
  const row = rows.findLast((one) => one.date !== null && date - one.date >= MIN_AGE_MS);
  const start = row?.date ?? null;
  if (row === undefined || start === null || date - (start + bucketMs) > MAX_AGE_BUCKETS * bucketMs)
    return null;
  return row.value(metric);
}

function inForce(
  { kind, series }: ReferenceRuntime,
  { rule }: RuleRuntime,
  date: number,
): Value | null {
  if (series === null) return null;
  if (kind.bucketMs === null) {
    const { last, text, quantity } = series;
    if (text === null || date > rule.schedule.third(last)) return null;
    return valueFromText(text, quantity);
  }
  const bucket = series.buckets?.newest(date, MIN_AGE_MS) ?? null;
  if (bucket === null || date - (bucket.at + kind.bucketMs) > MAX_AGE_BUCKETS * kind.bucketMs)
    return null;
  return bucket.value;
}

/** The record whose request failed, and why: the subject's own or that of a reference; null: all were answered. */
export function unansweredOf(
  reading: Reading,
  rule: RuleRuntime,
  readings: ReferenceReadings,
): { readonly record: Ask["record"]; readonly detail: string | null } | null {
  const own = reading.unanswered;
  if (own !== null) return { record: own, detail: reading.trouble };
  if (rule.references.size === 0) return null;
  for (const { subject, name } of rule.references.keys()) {
    const other = readings.get(subject.key);
    if (other === undefined || other.unanswered === null) continue;
    return { record: other.unanswered, detail: `${name}: ${other.trouble ?? "no answer"}` };
  }
  return null;
}

/** Why values are missing, in clean words: those of the subject or of its references. */
export function troubleOf(
  reading: Reading,
  rule: RuleRuntime,
  readings: ReferenceReadings,
): string | null {
  if (reading.trouble !== null) return reading.trouble;
  for (const { subject, name } of rule.references.keys()) {
    const trouble = readings.get(subject.key)?.trouble ?? null;
    if (trouble !== null) return `${name}: ${trouble}`;
  }
  return null;
}
