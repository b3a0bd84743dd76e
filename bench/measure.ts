import { monitorEventLoopDelay, performance } from "node:perf_hooks";

/** What a measured process is told. */
export interface Task {
  readonly url: string;
  readonly subjects: number;
  /** Rounds that count, after those that warm up. */
  readonly rounds: number;
  readonly warmUp: number;
  /** A folder for the database. */
  readonly folder: string;
  readonly work: Work;
  /** The URL of a PostgreSQL store; absent: a SQLite file in the folder. */
  readonly store?: string;
  /** Where notices go; null: nobody is told. */
  readonly sink: string | null;
  /** So much later than other daemons it begins, on what they left. */
  readonly startsLaterMs?: number;
}

/** What the daemon's rules are; the floor does the same for each. */
export type Work = "threshold" | "rule-each" | "window";

/** What a measured process tells. */
export interface Measurement {
  readonly cpuMicrosPerSubject: number;
  readonly wallMsPerRound: number;
  readonly peakMegabytes: number;
  readonly longestHoldMs: number;
  /** The very first round, before those that count. */
  readonly firstRoundMs: number;
}

/** What only the daemon tells. */
export interface Opening {
  /** From the start of its parts, with what the database holds, to the first round. */
  readonly openMs: number;
  readonly openCpuMs: number;
}

/** The finest that the event loop's delay is looked at. */
const RESOLUTION_MS = 1;

/** The task of this process, from its command line. */
export function readTask(): Task {
  return JSON.parse(process.argv[2] ?? "{}") as Task;
}

/** Tells the parent that warming up is done; it counts requests from here on. */
function ready(): Promise<void> {
  return new Promise((resolve) => {
    process.once("message", () => resolve());
    process.send?.("ready");
  });
}

/**
 * Runs the rounds one after another and counts what they take; start-up and the first rounds are
 * not in it.
 */
export async function measure(task: Task, round: () => Promise<void>): Promise<Measurement> {
  const begun = performance.now();
  await round();
  const firstRoundMs = performance.now() - begun;
  for (let i = 1; i < task.warmUp; i += 1) await round();
  await ready();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < task.rounds; i += 1) await round();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return {
    cpuMicrosPerSubject: (user + system) / task.rounds / task.subjects,
    wallMsPerRound: wall / task.rounds,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    longestHoldMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    firstRoundMs,
  };
}

/** Sends the measurement and ends the process. */
export function report(measurement: Measurement & Partial<Opening>): void {
  process.send?.(measurement, () => process.disconnect());
}
