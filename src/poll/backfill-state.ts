import { DAY } from "../base/duration.ts";
import { listOf } from "../base/json.ts";

/** Points of a history in a series, by the dates of the first and the last of them. */
export interface BackfilledSpan {
  readonly first: number;
  readonly last: number;
  readonly spacingMs: number;
}

/** The history of one metric was asked for. */
export interface BackfillState {
  readonly metric: string;
  /** When, in epoch milliseconds, and how far back it was to reach, in milliseconds. */
  readonly at: number;
  readonly needMs: number;
  /** What it had; null: nothing of use. */
  readonly span: BackfilledSpan | null;
}

const PREFIX = "priming:";

/** Under which name the store keeps the backfills of a subject, among the marks. */
export function backfillKey(subject: string): string {
  return PREFIX + subject;
}

/** Those that are among the marks, by subject: to look for each subject's there would take a name for each. */
export function backfillTexts(marks: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, text] of marks) {
    if (name.startsWith(PREFIX)) found.set(name.slice(PREFIX.length), text);
  }
  return found;
}

/** `[[metric, at, need, first, last, spacing] or [metric, at, need]…]`. */
export function backfillsToText(backfills: readonly BackfillState[]): string {
  return JSON.stringify(
    backfills.map(({ metric, at, needMs, span }) => [
      metric,
      at,
      needMs,
      ...(span === null ? [] : [span.first, span.last, span.spacingMs]),
    ]),
  );
}

/** Reads what was written down; null: nothing was. */
export function backfillsFromText(text: string | undefined): readonly BackfillState[] | null {
  if (text === undefined) return null;
  const list = listOf(JSON.parse(text));
  if (list.length === 0) return null;
  return list.flatMap((entry): BackfillState[] => {
    const [metric, ...rest] = listOf(entry);
    const [at, needMs, first, last, spacingMs] = rest.filter((one) => typeof one === "number");
    if (typeof metric !== "string" || at === undefined || needMs === undefined) return [];
    const known = first !== undefined && last !== undefined && spacingMs !== undefined;
    return [{ metric, at, needMs, span: known ? { first, last, spacingMs } : null }];
  });
}

/** One for all series that no history was put into. */
export const NO_SPANS: readonly BackfilledSpan[] = [];

/** The points of histories in the series of a metric. */
export function spansOf(
  backfills: readonly BackfillState[],
  metric: string,
): readonly BackfilledSpan[] {
  if (backfills.length === 0) return NO_SPANS;
  const spans = backfills.flatMap((one) => (one.metric === metric && one.span ? [one.span] : []));
  return spans.length === 0 ? NO_SPANS : spans;
}

/**
 * Whether a history need not be asked for again: it was for as long a time as is needed, and the
 * window has not gone past what it had; one that had nothing may have something the next day.
 */
export function isBackfilled(
  backfills: readonly BackfillState[],
  metric: string,
  needMs: number,
  now: number,
): boolean {
  return backfills.some((one) => {
    const validMs = one.span === null ? DAY : Math.max(DAY, needMs);
    return one.metric === metric && one.needMs >= needMs && now - one.at < validMs;
  });
}

/** The backfills with one more; those of its metric of which nothing is left in any window go. */
export function withBackfill(
  backfills: readonly BackfillState[],
  added: BackfillState,
  oldest: number,
): readonly BackfillState[] {
  const kept = backfills.filter(
    ({ metric, span }) => metric !== added.metric || (span !== null && span.last >= oldest),
  );
  return [...kept, added];
}

/** The backfills after the clock was set back to `now`: what is dated later is dated `now`. */
export function rewoundBackfills(
  backfills: readonly BackfillState[],
  now: number,
): readonly BackfillState[] {
  const isLate = ({ at, span }: BackfillState): boolean => Math.max(at, span?.last ?? at) > now;
  if (!backfills.some(isLate)) return backfills;
  return backfills.map(({ span, ...one }) => ({
    ...one,
    at: Math.min(one.at, now),
    span: span === null ? null : rewoundSpan(span, now),
  }));
}

function rewoundSpan({ first, last, spacingMs }: BackfilledSpan, now: number): BackfilledSpan {
  return { first: Math.min(first, now), last: Math.min(last, now), spacingMs };
}
