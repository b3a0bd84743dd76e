/**
 * Loaded before a program (`--import`): when it ends it writes what it took, as JSON, to a third pipe.
 */
import { writeSync } from "node:fs";

/** What a whole program took. */
export interface Taken {
  readonly cpuMs: number;
  readonly peakMegabytes: number;
  /** At the end. */
  readonly residentMegabytes: number;
  /** After its first minute, in ms of CPU and of time; null: it ended before. */
  readonly steady: { readonly cpuMs: number; readonly wallMs: number } | null;
}

const PIPE = 3;
const SETTLED_MS = 60_000;

let settled: { readonly cpu: NodeJS.CpuUsage; readonly at: number } | null = null;
setTimeout(() => {
  settled = { cpu: process.cpuUsage(), at: Date.now() };
}, SETTLED_MS).unref();

process.on("exit", () => {
  const taken: Taken = {
    cpuMs: milliseconds(process.cpuUsage()),
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    residentMegabytes: process.memoryUsage().rss / 1024 ** 2,
    steady:
      settled === null
        ? null
        : { cpuMs: milliseconds(process.cpuUsage(settled.cpu)), wallMs: Date.now() - settled.at },
  };
  writeSync(PIPE, JSON.stringify(taken));
});

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
