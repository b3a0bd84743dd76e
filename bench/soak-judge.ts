import type { Weight } from "./soak-daemon.ts";

/** One thing that must not grow: how it was when the retention was first full, and at the end. */
export interface Verdict {
  readonly words: string;
  readonly before: number;
  readonly after: number;
  /** The most that it may be at the end. */
  readonly most: number;
}

/** So many days are looked at together, at the beginning and at the end. */
const DAYS = 5;

/** The days that a verdict needs: until the retention is full, and twice the days that are compared. */
export function daysNeeded(retentionDays: number): number {
  return retentionDays + 1 + 2 * DAYS;
}

/** Compares the last days with those when the retention was first full; null: too few days. */
export function judge(all: readonly Weight[], retentionDays: number): readonly Verdict[] | null {
  if (all.length < daysNeeded(retentionDays)) return null;
  const first = all.slice(retentionDays + 1, retentionDays + 1 + DAYS);
  const last = all.slice(-DAYS);
  const verdict = (
    words: string,
    of: (weight: Weight) => number,
    factor: number,
    allowance = 0,
  ): Verdict => {
    const before = median(first.map(of));
    return { words, before, after: median(last.map(of)), most: before * factor + allowance };
  };
  return [
    verdict("heap, MB", ({ heapMegabytes }) => heapMegabytes, 1.1),
    verdict("memory, MB", ({ residentMegabytes }) => residentMegabytes, 1.2),
    verdict("database, MB", ({ databaseMegabytes }) => databaseMegabytes, 1.1),
    // What is owed at the end of a day is a matter of minutes.
    verdict("notices owed", ({ owed }) => owed, 1.5, 200),
    verdict("CPU of a round, ms", ({ roundCpuMs }) => roundCpuMs, 1.25),
  ];
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A verdict for people. */
export function said({ words, before, after, most }: Verdict): string {
  const is = after > most ? "GREW" : "flat";
  return `${is}: ${words}: ${before.toFixed(1)} when the retention was full, ${after.toFixed(1)} at the end (at most ${most.toFixed(1)})`;
}
