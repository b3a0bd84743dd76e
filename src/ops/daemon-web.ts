import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Outcome } from "../channels/channel.ts";
import type { ChannelTrouble } from "../delivery/event.ts";
import type { Setup, StorePlace } from "../model/index.ts";
import type { Memory } from "../poll/memory.ts";
import type { Store } from "../store/store.ts";
import type { DaemonApi } from "../web/start.ts";
import type { DaemonState } from "./daemon-view.ts";

export interface DaemonWebParts {
  /** As it is at the moment. */
  readonly setup: () => Setup;
  readonly store: Store;
  /** Where the database is; null: it is in memory alone. */
  readonly place: StorePlace | null;
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: () => Memory;
  /** Carries out at once the commands that people gave. */
  readonly carryOut: () => Promise<void>;
  /** Looks at once for what may be sent. */
  readonly deliver: () => void;
  /** Null: the daemon is still starting. */
  readonly state: () => DaemonState | null;
  /** Whether a rule without rounds is a fault: on a fast clock a round may take minutes of it. */
  readonly lateness: boolean;
}

/** What the page and the API are told of a daemon's work; a daemon without them has none. */
export interface DaemonWeb extends DaemonApi {
  /** A channel rejects everything or cannot be reached, or works again (null). */
  channel(name: string, trouble: ChannelTrouble | null): void;
  /** A send through a channel has ended. */
  outcome(channel: string, outcome: Outcome["status"]): void;
  /** The database cannot be written, or can again (null). */
  database(reason: string | null): void;
}

/** What is not asked for costs nothing: its code is not even loaded. */
export async function openDaemonWeb(parts: DaemonWebParts): Promise<DaemonWeb | null> {
  const { setup, store, place, clock, log, memory, carryOut, deliver, state, lateness } = parts;
  if (setup().web === null) return null;
  const { createDaemonApi } = await import("../web/start.ts");
  const real = systemClock();
  const channels = new Map<string, ChannelTrouble>();
  /** Those whose last send failed, long before that is a trouble. */
  const failing = new Set<string>();
  let trouble: { readonly reason: string; readonly since: number } | null = null;
  const made = createDaemonApi({
    setup,
    memory,
    store,
    place,
    clock,
    real,
    log,
    carryOut,
    deliver,
    self: {
      late: () => (lateness ? (state()?.late() ?? []) : []),
      databaseTrouble: () => trouble,
      channelTroubles: () => channels,
      failingChannels: () => new Set([...channels.keys(), ...failing]),
      refusedFiles: () => state()?.configuration()?.failure ?? null,
    },
    lags: () => {
      const found = new Map<string, { chain: string; seconds: number }[]>();
      for (const { endpoint, ...lag } of state()?.sourceLags() ?? []) {
        found.set(endpoint, [...(found.get(endpoint) ?? []), lag]);
      }
      return found;
    },
  });
  return {
    ...made,
    channel(name, one) {
      if (one === null) channels.delete(name);
      else channels.set(name, one);
      made.touch();
    },
    outcome(name, outcome) {
      if (outcome === "sent") failing.delete(name);
      // A message that is given up says nothing of others.
      else if (outcome !== "dead") failing.add(name);
      made.touch();
    },
    database(reason) {
      trouble = reason === null ? null : { reason, since: trouble?.since ?? clock.now() };
      made.touch();
    },
  };
}
