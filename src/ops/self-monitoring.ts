import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { httpClient } from "../channels/http.ts";
import type { Setup } from "../model/index.ts";
import type { DaemonState } from "./daemon-view.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { startSelfChecks } from "./self-checks.ts";
import type { SelfNotices } from "./self-notices.ts";
import type { Metrics } from "./web/metrics.ts";

export interface SelfMonitoringParts {
  readonly setup: Setup;
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
  readonly self: SelfNotices;
  readonly state: DaemonState;
  /** Null: nothing is counted, and nothing listens. */
  readonly metrics: Metrics | null;
  /** Whether the daemon looks after itself and tells people. */
  readonly checks: boolean;
  /** The database's path; null: it is on no disk. */
  readonly disk: string | null;
}

/** Starts what watches the watcher: its own checks, the heartbeat and the web listener. */
export async function startSelfMonitoring(
  parts: SelfMonitoringParts,
): Promise<{ stop(): Promise<void> }> {
  const { setup, clock, log, self, state, metrics, checks, disk } = parts;
  // Monitors live in real time.
  const real = systemClock();
  const started: { stop(): Promise<void> }[] = [];
  if (checks) {
    started.push(
      startSelfChecks({
        late: () => state.late(),
        database: disk,
        clock,
        log,
        found: (event) => self.found(event),
      }),
    );
  }
  if (setup.heartbeat !== null) {
    const trouble = (): string | null => state.troubles()[0] ?? null;
    const client = httpClient();
    started.push({ stop: () => client.close() });
    started.push(startHeartbeat({ ...setup.heartbeat, client, clock: real, log, trouble }));
  }
  if (setup.web !== null && metrics !== null) {
    const { startWeb } = await import("./web/server.ts");
    const config = setup.web;
    started.push(await startWeb({ config, metrics, view: state, health: state, clock: real, log }));
  }
  return {
    async stop() {
      await Promise.all(started.map((part) => part.stop()));
    },
  };
}
