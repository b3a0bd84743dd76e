import type { Run } from "./children.ts";

/** What is to be reached now. */
export const BARS = { cpuRatio: 4, longestHoldMs: 50 } as const;

interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

interface Measured {
  readonly cpuMicrosPerSubject: Spread;
  readonly wallMsPerRound: Spread;
  readonly peakMegabytes: Spread;
  readonly longestHoldMs: Spread;
  readonly requestsPerRound: Spread;
}

export interface Result {
  readonly subjects: number;
  readonly fewestRequests: number;
  readonly floor: Measured;
  readonly daemon: Measured;
  /** The daemon's CPU to the floor's, run by run. */
  readonly cpuRatio: Spread;
  /** The bars that were not reached, in words. */
  readonly misses: readonly string[];
}

export function summary(
  subjects: number,
  fewestRequests: number,
  floorRuns: readonly Run[],
  daemonRuns: readonly Run[],
): Result {
  const floor = measured(floorRuns);
  const daemon = measured(daemonRuns);
  const cpuRatio = spread(
    daemonRuns.map((run, i) => run.cpuMicrosPerSubject / (floorRuns[i]?.cpuMicrosPerSubject ?? 0)),
  );
  const misses: string[] = [];
  if (cpuRatio.median > BARS.cpuRatio) {
    misses.push(`${cpuRatio.median.toFixed(2)} times the floor's CPU, at most ${BARS.cpuRatio}`);
  }
  const { lowest, highest } = daemon.requestsPerRound;
  if (lowest !== fewestRequests || highest !== fewestRequests) {
    misses.push(`${lowest} to ${highest} requests a round, exactly ${fewestRequests}`);
  }
  const hold = daemon.longestHoldMs.median;
  if (hold > BARS.longestHoldMs) {
    misses.push(`the event loop was held ${hold.toFixed(0)} ms, at most ${BARS.longestHoldMs}`);
  }
  return { subjects, fewestRequests, floor, daemon, cpuRatio, misses };
}

function measured(runs: readonly Run[]): Measured {
  const of = (key: keyof Run): Spread => spread(runs.map((run) => run[key]));
  return {
    cpuMicrosPerSubject: of("cpuMicrosPerSubject"),
    wallMsPerRound: of("wallMsPerRound"),
    peakMegabytes: of("peakMegabytes"),
    longestHoldMs: of("longestHoldMs"),
    requestsPerRound: of("requestsPerRound"),
  };
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    median: (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2,
    lowest: at(0),
    highest: at(sorted.length - 1),
  };
}

const HEADINGS = [
  "subjects",
  "program",
  "CPU µs/subject",
  "ratio",
  "peak MB",
  "requests/round",
  "round ms",
  "longest hold ms",
];

/** The results for people; each cell is the median, with the lowest and highest run behind it. */
export function table(results: readonly Result[]): string {
  const rows = results.flatMap((result) => [
    cells(String(result.subjects), "floor", result.floor, null),
    cells("", "daemon", result.daemon, result.cpuRatio),
  ]);
  const all = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lines = all.map((row) => row.map((text, i) => text.padStart(widths[i] ?? 0)).join("  "));
  const verdicts = results.map(({ subjects, misses }) =>
    misses.length === 0
      ? `${subjects} subjects: all bars reached`
      : `${subjects} subjects: missed: ${misses.join("; ")}`,
  );
  return [...lines, "", ...verdicts].join("\n");
}

function cells(
  subjects: string,
  program: string,
  values: Measured,
  ratio: Spread | null,
): readonly string[] {
  return [
    subjects,
    program,
    cell(values.cpuMicrosPerSubject, 2),
    ratio === null ? "1" : cell(ratio, 2),
    cell(values.peakMegabytes, 0),
    String(values.requestsPerRound.median),
    cell(values.wallMsPerRound, 0),
    cell(values.longestHoldMs, 1),
  ];
}

function cell({ median, lowest, highest }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}
