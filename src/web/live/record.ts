import type { Written } from "../../base/format.ts";
import { countsRaw } from "../../base/quantity.ts";
import type { Verdict } from "../../decide/verdict.ts";
import type { Description, Metric, Reading } from "../../kinds/kind.ts";
import type { Value } from "../../model/index.ts";
import { writtenAs } from "../../rules/describe/metric-words.ts";

/** What a round read of a subject, field by field: values alone, so that no record is kept alive. */
export interface SeenRecord {
  readonly fields: readonly SeenField[];
  /** The round's date, the start of an hour or a day, or an entry's own time; epoch milliseconds. */
  readonly at: number;
  /** The newest block of what was read; null: the records do not tell. */
  readonly block: number | null;
}

interface SeenField {
  readonly metric: Metric;
  readonly value: Value;
  readonly as: Written;
}

/** Symbols of a unit are cut to this. */
export const SYMBOL_LENGTH = 24;

/** The newest record of a reading, of those metrics, at a round's date; null: it has none, or a list had no new entry. */
export function recordOf(
  reading: Reading,
  metrics: ReadonlyMap<string, Metric>,
  description: Description | null,
  context: Verdict["context"],
): SeenRecord | null {
  const entry = reading.stream?.entries.at(-1) ?? null;
  const row = reading.rows.at(-1) ?? null;
  const fields: SeenField[] = [];
  for (const [name, metric] of metrics) {
    const value = (metric.entry === true ? entry : row)?.value(name) ?? null;
    if (value === null) continue;
    // Those that a rule gives count for all of its token.
    const decimals = countsRaw(metric.quantity) ? context.decimals(name) : reading.decimals(name);
    const as = writtenAs(metric, decimals, description, SYMBOL_LENGTH);
    fields.push({ metric, value, as });
  }
  if (fields.length === 0) return null;
  const blocks = reading.marks().flatMap(({ block }) => (block === null ? [] : [block]));
  return {
    fields,
    at: entry?.at ?? row?.date ?? context.round.now,
    block: blocks.length === 0 ? null : Math.max(...blocks),
  };
}
