import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { DaemonView } from "../daemon-view.ts";
import type { Meter } from "../listeners.ts";

/** Counts what it is told, and tells it in Prometheus' text format. */
export interface Metrics extends Meter {
  readonly contentType: string;
  /** Everything that was counted, with how the daemon is right now. Never rejects. */
  render(view: DaemonView): Promise<string>;
  /** Measures nothing any more. */
  stop(): void;
}

const ROUND_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The names are those of docs/metrics.md. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const { counter, gauge } = makersOf(registry);

  const rounds = counter("tickwatch_rounds_total", "Rounds that have ended.");
  const duration = new Histogram({
    name: "tickwatch_round_duration_seconds",
    help: "How long rounds took, in real time.",
    buckets: ROUND_SECONDS,
    registers: [registry],
  });
  const lastRound = gauge(
    "tickwatch_last_round_timestamp_seconds",
    "Date of the newest round that was kept.",
  );
  const rules = gauge("tickwatch_rules", "Rules that are enabled.");
  const late = gauge("tickwatch_late_rules", "Rules without a round for three of their intervals.");
  const subjects = gauge("tickwatch_subjects", "Watched subjects.");
  const slots = gauge(
    "tickwatch_cluster_slots",
    "Of the 256 parts of the work those that this daemon has.",
  );
  const members = gauge("tickwatch_cluster_members", "Daemons that share the work and are alive.");
  const unowned = gauge(
    "tickwatch_cluster_unowned_slots",
    "Of the 256 parts of the work those that nobody has.",
  );
  const alerts = gauge("tickwatch_alerts", "Alerts by state.", "state");
  const alertsWithoutData = gauge(
    "tickwatch_alerts_without_data",
    "Alerts whose data is missing, in whatever state.",
  );
  const requests = counter(
    "tickwatch_requests_total",
    "Requests sent to the service, including retries.",
    "endpoint",
    "outcome",
  );
  const failures = counter(
    "tickwatch_request_failures_total",
    "Requests that failed.",
    "endpoint",
    "reason",
  );
  const lag = gauge(
    "tickwatch_source_lag_seconds",
    "Age of the newest record of an endpoint that answered in the last 5 minutes.",
    "endpoint",
    "chain",
  );
  const notices = counter("tickwatch_notices_total", "Notices by kind.", "kind");
  const owed = gauge("tickwatch_owed_notices", "Notices that are not delivered yet.", "channel");
  const deliveries = counter(
    "tickwatch_deliveries_total",
    "Messages sent, by outcome.",
    "channel",
    "outcome",
  );
  const dropped = counter(
    "tickwatch_dropped_notices_total",
    "Notices dropped because they were obsolete when their silence or mute ended.",
    "channel",
  );
  const parked = gauge(
    "tickwatch_channel_parked",
    "1 while a channel rejects everything or cannot be reached.",
    "channel",
  );
  const refused = counter("tickwatch_commit_failures_total", "Failed database commits.");
  const loaded = gauge(
    "tickwatch_config_last_reload_successful",
    "1 unless edited files were refused.",
  );
  const loadedAt = gauge(
    "tickwatch_config_last_reload_success_timestamp_seconds",
    "When the configuration that runs was loaded.",
  );
  const ofProcess: ProcessGauges = processGauges(registry);
  const refusing = new Set<string>();

  async function look(view: DaemonView): Promise<void> {
    const { withoutData, ...states } = view.alerts();
    for (const [state, count] of Object.entries(states)) alerts.set({ state }, count);
    alertsWithoutData.set(withoutData);
    rules.set(view.rules());
    late.set(view.lateRules());
    subjects.set(view.subjects());
    const shared = view.sharing();
    // A daemon that is the only one shares nothing.
    if (shared === null) for (const one of [slots, members, unowned]) one.remove({});
    else {
      slots.set(shared.slots);
      members.set(shared.members);
      unowned.set(shared.unowned);
    }
    const last = view.lastRound();
    // A date of zero would be fifty years late.
    if (last === null) lastRound.remove({});
    else lastRound.set(last / 1_000);
    const channels = view.channels();
    parked.reset();
    for (const channel of channels) parked.set({ channel }, refusing.has(channel) ? 1 : 0);
    const configuration = view.configuration();
    if (configuration !== null) {
      loaded.set(configuration.failure === null ? 1 : 0);
      loadedAt.set(configuration.loadedAt / 1_000);
    }
    ofProcess.look();
    lag.reset();
    for (const { seconds, ...labels } of view.sourceLags()) lag.set(labels, seconds);
    owed.reset();
    const counts = await view.owed().catch(() => null);
    // Not known is not none: while the database cannot be read the metric is absent.
    if (counts === null) return;
    for (const channel of new Set([...channels, ...counts.keys()])) {
      owed.set({ channel }, counts.get(channel) ?? 0);
    }
  }

  return {
    request(endpoint, failure) {
      requests.inc({ endpoint, outcome: failure === null ? "ok" : "failed" });
      if (failure !== null) failures.inc({ endpoint, reason: failure });
    },
    round({ tookMs }) {
      rounds.inc();
      duration.observe(tookMs / 1_000);
    },
    notices(added) {
      for (const { kind } of added) notices.inc({ kind });
    },
    delivery: (channel, outcome) => deliveries.inc({ channel, outcome }),
    dropped: (channel, count) => dropped.inc({ channel }, count),
    parked(channel, refuses) {
      if (refuses) refusing.add(channel);
      else refusing.delete(channel);
    },
    refused: () => refused.inc(),
    contentType: registry.contentType,
    async render(view) {
      await look(view);
      return await registry.metrics();
    },
    stop: () => ofProcess.stop(),
  };
}

/** Makes metrics of a registry, each with the names of its labels. */
function makersOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
  };
}

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
  const { counter, gauge } = makersOf(registry);
  const cpu = counter("process_cpu_seconds_total", "CPU time of the process.");
  const resident = gauge("process_resident_memory_bytes", "Resident memory.");
  const heap = gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.");
  const started = gauge("process_start_time_seconds", "When the process began, Unix time.");
  const about = "Event loop delay since the last scrape.";
  const delay = gauge("nodejs_eventloop_delay_seconds", about, "stat");
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
