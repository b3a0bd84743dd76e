import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { httpClient } from "../channels/http-channel.ts";
import type { Setup, StorePlace } from "../model/index.ts";
import type { Api } from "../web/api/api.ts";
import type { DaemonState } from "./daemon-view.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { startSelfChecks } from "./self-checks.ts";
import type { SelfNotices } from "./self-notices.ts";
import type { Metrics } from "./web/metrics.ts";

export interface SelfMonitoringParts {
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
  readonly self: SelfNotices;
  readonly state: DaemonState;
  /** Null: nothing is counted, and nothing listens. */
  readonly metrics: () => Metrics | null;
  /** Null: nothing listens. */
  readonly api: () => Api | null;
  /** Whether the daemon looks after itself and tells people. */
  readonly checks: boolean;
  /** Where the database is; null: in memory alone. */
  readonly place: StorePlace | null;
  /** What the source is still reading of the past, a line each. */
  readonly reading: () => readonly string[];
  /** Whether the heartbeat is this daemon's to send; absent: it is. */
  readonly beats?: () => boolean;
}

export interface SelfMonitoring {
  /** Ends or begins what `next` has no more or anew: the heartbeat, the web listener. */
  follow(
    next: Setup,
    changed: { readonly heartbeat: boolean; readonly web: boolean },
  ): Promise<void>;
  stop(): Promise<void>;
}

interface Part {
  stop(): Promise<void>;
}

const NOTHING: Part = { stop: async () => {} };

/** Starts what watches the watcher: its own checks, the heartbeat and the web listener. */
export async function startSelfMonitoring(
  setup: Setup,
  parts: SelfMonitoringParts,
): Promise<SelfMonitoring> {
  const { clock, log, self, state, checks, place } = parts;
  const selfChecks = checks
    ? startSelfChecks({
        late: () => state.late(),
        database: typeof place === "string" ? place : null,
        clock,
        log,
        found: (event) => self.found(event),
      })
    : NOTHING;
  let heartbeat = openHeartbeat(setup, parts);
  let web = await openWeb(setup, parts);
  return {
    async follow(next, changed) {
      if (changed.heartbeat) {
        await heartbeat.stop();
        heartbeat = openHeartbeat(next, parts);
      }
      if (changed.web) {
        // It may listen at the same address again.
        await web.stop();
        web = await openWeb(next, parts);
      }
    },
    async stop() {
      await Promise.all([selfChecks, heartbeat, web].map((part) => part.stop()));
    },
  };
}

function openHeartbeat({ heartbeat }: Setup, { state, log, beats }: SelfMonitoringParts): Part {
  if (heartbeat === null) return NOTHING;
  const trouble = (): string | null => state.troubles()[0] ?? null;
  const client = httpClient();
  // Monitors live in real time.
  const isOurs = beats === undefined ? {} : { isOurs: beats };
  const parts = { ...heartbeat, ...isOurs, client, clock: systemClock(), log, trouble };
  const beating = startHeartbeat(parts);
  return {
    async stop() {
      await beating.stop();
      await client.close();
    },
  };
}

async function openWeb({ web }: Setup, parts: SelfMonitoringParts): Promise<Part> {
  const metrics = parts.metrics();
  if (web === null || metrics === null) return NOTHING;
  const { startWeb } = await import("../web/server.ts");
  const { state, log } = parts;
  const monitor = {
    troubles: () => state.troubles(),
    waiting: () => state.waiting(),
    reading: parts.reading,
    metrics: async () => ({ type: metrics.contentType, body: await metrics.render(state) }),
  };
  return await startWeb({ config: web, monitor, api: parts.api(), clock: systemClock(), log });
}

/** What is not asked for costs nothing: its code is not even loaded. */
export async function openMetrics({ web }: Setup): Promise<Metrics | null> {
  return web === null ? null : (await import("./web/metrics.ts")).createMetrics();
}
