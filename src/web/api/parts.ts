import type { Clock } from "../../base/clock.ts";
import type { Setup } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";
import type { Store } from "../../store/store.ts";
import type { LiveAlerts } from "../live/live-alerts.ts";
import type { RecentValues } from "../live/recent.ts";
import type { RequestLog } from "../live/requests.ts";
import type { SilencesInForce } from "../live/silences.ts";
import type { SelfView } from "../live/watch.ts";
import type { OwnDb } from "../read/own-db.ts";
import type { Endpoint } from "./schemas/operations.ts";

/** What the API answers from. */
export interface ApiParts {
  /** As it is at the moment: a reload has another. */
  readonly setup: () => Setup;
  /** What the rounds keep; another one after a reload. */
  readonly memory: () => Memory;
  /** The daemon's own clock, on which rounds, silences and mutes live. */
  readonly clock: Clock;
  readonly live: LiveAlerts;
  readonly recent: RecentValues;
  readonly silences: SilencesInForce;
  readonly self: SelfView;
  readonly requests: RequestLog;
  /** How old the newest records are, by endpoint. */
  readonly lags: () => ReadonlyMap<string, Endpoint["lags"]>;
  readonly store: Pick<Store, "window">;
  readonly db: OwnDb;
  /** When the rules that are watched were read, epoch milliseconds of real time. */
  readonly readAt: () => number;
}
