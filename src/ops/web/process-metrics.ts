import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

export interface ProcessGauges {
  /** Sets them to what is true now. */
  look(): void;
  stop(): void;
}

/** Milliseconds between two looks at the event loop. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/**
 * Metrics of the process under their usual names. Those that prom-client brings along could not be
 * stopped again, and are many.
 */
export function processGauges(registry: Registry): ProcessGauges {
  const registers = [registry];
  const cpu = new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of the process.",
    registers,
  });
  const resident = new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory that the process has in RAM.",
    registers,
  });
  const heap = new Gauge({
    name: "nodejs_heap_size_used_bytes",
    help: "Memory that JavaScript objects take.",
    registers,
  });
  const started = new Gauge({
    name: "process_start_time_seconds",
    help: "When the process began, Unix time.",
    registers,
  });
  const delay = new Gauge({
    name: "nodejs_eventloop_delay_seconds",
    help: "By how much timers were late since the metrics were read last.",
    labelNames: ["stat"],
    registers,
  });
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loop.enable();

  return {
    look() {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
      const { rss, heapUsed } = process.memoryUsage();
      resident.set(rss);
      heap.set(heapUsed);
      started.set(performance.timeOrigin / 1_000);
      const seconds = (nanoseconds: number): number =>
        Number.isFinite(nanoseconds)
          ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000)
          : 0;
      delay.set({ stat: "p50" }, seconds(loop.percentile(50)));
      delay.set({ stat: "p99" }, seconds(loop.percentile(99)));
      delay.set({ stat: "max" }, seconds(loop.max));
      loop.reset();
    },
    stop() {
      loop.disable();
    },
  };
}
