import { inFolder, type Run, run, type SourceServer } from "./children.ts";
import type { Work } from "./measure.ts";
import { fewestRequests } from "./pools.ts";
import { type Spread, spread } from "./spread.ts";

/** Work that floor and daemon do in turn. */
export interface Scenario {
  readonly name: Work;
  readonly words: string;
  /** The share of the pools with another value in every answer; null: as the command line says. */
  readonly changing: number | null;
  /** Rounds before those that count, at least. */
  readonly warmUp: number;
  /** At most so many times the floor's CPU, by the count of subjects; null: reported only. */
  readonly cpuBar: (subjects: number) => number | null;
  readonly megabytesBar: (subjects: number) => number | null;
}

const LARGE = 100_000;
const LONGEST_HOLD_MS = 50;
/** Rounds that together take a few seconds. */
const SUBJECTS_A_RUN = 500_000;
const MOST_ROUNDS = 150;
/** After so many subjects the code is compiled and the heap as large as it gets, in rounds of any size. */
const WARM = 200_000;
/** What is written once of each subject after a start (`MOST_AT_ONCE` of a slice) is spread over five rounds. */
const ROUNDS_OF_A_START = 6;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "threshold",
    words: "one rule over all",
    changing: null,
    warmUp: ROUNDS_OF_A_START,
    cpuBar: (subjects) => (subjects >= 10_000 ? 2 : null),
    megabytesBar: (subjects) => (subjects >= LARGE ? 400 : null),
  },
  {
    name: "rule-each",
    words: "one rule for each",
    changing: null,
    warmUp: ROUNDS_OF_A_START,
    cpuBar: (subjects) => (subjects === 10_000 ? 2.5 : null),
    megabytesBar: () => null,
  },
  {
    name: "window",
    words: "falls 10% within 1h",
    // Where a value stays, the window holds one point instead of sixty.
    changing: 1,
    warmUp: 62,
    cpuBar: (subjects) => (subjects >= 10_000 ? 3 : null),
    megabytesBar: (subjects) => (subjects >= LARGE ? 600 : null),
  },
];

interface Measured {
  readonly cpuMicrosPerSubject: Spread;
  readonly wallMsPerRound: Spread;
  readonly peakMegabytes: Spread;
  readonly longestHoldMs: Spread;
  readonly requestsPerRound: Spread;
}

export interface Comparison {
  readonly scenario: string;
  readonly subjects: number;
  readonly runs: number;
  readonly fewestRequests: number;
  readonly floor: Measured;
  readonly daemon: Measured;
  /** The daemon's CPU to the floor's, run by run. */
  readonly cpuRatio: Spread;
  readonly cpuBar: number | null;
  /** The bars that were not reached, in words. */
  readonly misses: readonly string[];
}

/** Rounds that are warm and take a few seconds. */
export function taskOf(scenario: Scenario, subjects: number) {
  const rounds = Math.min(MOST_ROUNDS, Math.max(5, Math.ceil(SUBJECTS_A_RUN / subjects)));
  const warmUp = Math.max(scenario.warmUp, Math.ceil(WARM / subjects));
  return { subjects, rounds, warmUp, work: scenario.name, sink: null };
}

/** Floor and daemon in turn, each time in a new process with a new database, both equally warm. */
export async function compare(
  scenario: Scenario,
  subjects: number,
  runs: number,
  server: SourceServer,
): Promise<Comparison> {
  const task = taskOf(scenario, subjects);
  const { rounds } = task;
  const floor: Run[] = [];
  const daemon: Run[] = [];
  for (let i = 1; i <= runs; i += 1) {
    console.error(`${scenario.words}: ${subjects} subjects, ${rounds} rounds, run ${i} of ${runs}`);
    floor.push(await inFolder((folder) => run("floor", { ...task, folder }, server)));
    daemon.push(await inFolder((folder) => run("daemon", { ...task, folder }, server)));
  }
  const plain = {
    scenario: scenario.words,
    subjects,
    runs,
    fewestRequests: fewestRequests(subjects),
    floor: measured(floor),
    daemon: measured(daemon),
    cpuRatio: spread(
      daemon.map((one, i) => one.cpuMicrosPerSubject / (floor[i]?.cpuMicrosPerSubject ?? 0)),
    ),
    cpuBar: scenario.cpuBar(subjects),
  };
  return { ...plain, misses: missesOf(plain, scenario.megabytesBar(subjects)) };
}

function missesOf(result: Omit<Comparison, "misses">, megabytesBar: number | null): string[] {
  const { cpuRatio, cpuBar, daemon, fewestRequests: fewest, subjects } = result;
  const misses: string[] = [];
  if (cpuBar !== null && cpuRatio.median > cpuBar) {
    misses.push(`${cpuRatio.median.toFixed(2)} times the floor's CPU, at most ${cpuBar}`);
  }
  const { lowest, highest } = daemon.requestsPerRound;
  if (lowest !== fewest || highest !== fewest) {
    misses.push(`${lowest} to ${highest} requests a round, exactly ${fewest}`);
  }
  const megabytes = daemon.peakMegabytes.median;
  if (megabytesBar !== null && megabytes > megabytesBar) {
    misses.push(`${megabytes.toFixed(0)} MB, at most ${megabytesBar}`);
  }
  const hold = daemon.longestHoldMs.median;
  if (subjects >= LARGE && hold > LONGEST_HOLD_MS) {
    misses.push(`the event loop was held ${hold.toFixed(0)} ms, at most ${LONGEST_HOLD_MS}`);
  }
  return misses;
}

function measured(runs: readonly Run[]): Measured {
  const of = (key: keyof Measured): Spread => spread(runs.map((one) => one[key]));
  return {
    cpuMicrosPerSubject: of("cpuMicrosPerSubject"),
    wallMsPerRound: of("wallMsPerRound"),
    peakMegabytes: of("peakMegabytes"),
    longestHoldMs: of("longestHoldMs"),
    requestsPerRound: of("requestsPerRound"),
  };
}
