import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Setup, StorePlace } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";
import type { Store } from "../../store/store.ts";
import type { DaemonState } from "../daemon-view.ts";

export interface PhoneParts {
  readonly memory: () => Memory;
  /** Reads what other daemons watch as it is now; absent: there are none. Throws StoreError. */
  readonly refresh?: () => Promise<void>;
  /** As it is at the moment. */
  readonly setup: () => Setup;
  readonly state: DaemonState;
  readonly store: Store;
  /** Whether this daemon reads what is written to the bot of that channel; default: of any. */
  readonly reads?: (channel: string) => boolean;
  /** Carries out at once what was ordered. */
  readonly carryOut: () => Promise<void>;
  /** The path of the database; null: it is in memory alone. */
  readonly place: StorePlace | null;
  /** The daemon's own clock. */
  readonly clock: Clock;
  /** Real time; default: the system's. */
  readonly real?: Clock;
  readonly log: Log;
}

/** Commands from a phone, while any chat of the configuration may give some. */
export interface Phone {
  /** Reads what the chats of another configuration write. */
  follow(setup: Setup): Promise<void>;
  stop(): Promise<void>;
}
