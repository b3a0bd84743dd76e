import type { Comparison } from "./comparison.ts";
import type { Figure } from "./figures.ts";
import { shown } from "./spread.ts";

const HEADINGS = [
  "work",
  "subjects",
  "runs",
  "floor µs",
  "daemon µs",
  "ratio",
  "bar",
  "floor MB",
  "MB",
  "requests",
  "floor round ms",
  "round ms",
  "longest hold ms",
];

/** The results for people, as tables in Markdown, with the misses in words below. */
export function page(comparisons: readonly Comparison[], figures: readonly Figure[]): string {
  const parts: string[] = [];
  if (comparisons.length > 0) parts.push(aligned([HEADINGS, ...comparisons.map(cells)]));
  if (figures.length > 0) {
    parts.push(aligned([["what", "value", "bar", ""], ...figures.map(figureCells)]));
  }
  const missed = [
    ...comparisons.flatMap(({ scenario, subjects, misses }) =>
      misses.map((miss) => `MISSED: ${scenario}, ${subjects} subjects: ${miss}`),
    ),
    ...figures
      .filter(isMissed)
      .map((figure) => `MISSED: ${figure.words}: ${valueOf(figure)}, at most ${figure.bar}`),
  ];
  parts.push(missed.length === 0 ? "all bars are reached" : missed.join("\n"));
  return parts.join("\n\n");
}

export function isMissed({ value, bar }: Figure): boolean {
  return bar !== null && !(value.median <= bar);
}

function cells(result: Comparison): readonly string[] {
  const { floor, daemon } = result;
  return [
    result.scenario,
    String(result.subjects),
    String(result.runs),
    shown(floor.cpuMicrosPerSubject, 2),
    shown(daemon.cpuMicrosPerSubject, 2),
    shown(result.cpuRatio, 2),
    result.cpuBar === null ? "" : String(result.cpuBar),
    shown(floor.peakMegabytes, 0),
    shown(daemon.peakMegabytes, 0),
    String(daemon.requestsPerRound.median),
    shown(floor.wallMsPerRound, 0),
    shown(daemon.wallMsPerRound, 0),
    shown(daemon.longestHoldMs, 1),
  ];
}

function figureCells(figure: Figure): readonly string[] {
  const { words, unit, bar } = figure;
  const verdict = bar === null ? "" : isMissed(figure) ? "missed" : "reached";
  return [words, valueOf(figure), bar === null ? "" : `${bar} ${unit}`, verdict];
}

function valueOf({ value, unit }: Figure): string {
  return `${shown(value, value.median < 10 ? 2 : 0)} ${unit}`;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  const lines = rows.map(
    (row) => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(" | ")} |`,
  );
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}
