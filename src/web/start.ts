import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Setup, StorePlace } from "../model/index.ts";
import type { Memory } from "../poll/memory.ts";
import type { DecidedWork } from "../poll/plan.ts";
import type { Store } from "../store/store.ts";
import { actionsOf } from "./actions.ts";
import type { Api } from "./api/api.ts";
import { houseApi } from "./api/house-api.ts";
import { liveApi } from "./api/live-api.ts";
import type { ApiParts } from "./api/parts.ts";
import { pastApi } from "./api/past-api.ts";
import type { Endpoint } from "./api/schemas/operations.ts";
import { alertView, iso, nameOf } from "./live/alert-view.ts";
import { LiveFeed } from "./live/feed.ts";
import { LiveAlerts } from "./live/live-alerts.ts";
import { RecentValues } from "./live/recent.ts";
import { RequestLog } from "./live/requests.ts";
import { SilencesInForce } from "./live/silences.ts";
import { type SelfView, watchView } from "./live/watch.ts";
import { OwnDb } from "./read/own-db.ts";

export interface DaemonApiParts {
  /** As it is at the moment: a reload has another. */
  readonly setup: () => Setup;
  /** What the rounds keep; another one after a reload. */
  readonly memory: () => Memory;
  readonly store: Store;
  /** Where the database is; null: it is in memory alone. */
  readonly place: StorePlace | null;
  /** The daemon's own clock. */
  readonly clock: Clock;
  /** Real time. */
  readonly real: Clock;
  readonly self: Omit<SelfView, "channels" | "endpoints">;
  readonly lags: () => ReadonlyMap<string, Endpoint["lags"]>;
  /** Carries out at once the commands that people gave. */
  readonly carryOut: () => Promise<void>;
  /** Looks at once for what may be sent. */
  readonly deliver: () => void;
  readonly log: Log;
}

/** The API over a running daemon, which tells it of its work as it is done. */
export interface DaemonApi {
  readonly api: Api;
  /** A slice of a round is committed, and the memory is still as it was judged. */
  see(decided: readonly DecidedWork[]): void;
  /** A round has ended, or a command was carried out. */
  touch(): void;
  request(endpoint: string, failure: Parameters<RequestLog["add"]>[1], ms: number | null): void;
  stop(): void;
}

export function createDaemonApi(given: DaemonApiParts): DaemonApi {
  const { memory, clock, real, place, log } = given;
  const db = new OwnDb(place);
  const silences = new SilencesInForce(db, clock);
  const live = new LiveAlerts({ memory, clock, silences: () => silences.list });
  const recent = new RecentValues();
  const requests = new RequestLog(clock);
  const self: SelfView = {
    ...given.self,
    channels: () => given.setup().channels.length,
    endpoints: () => requests.answering,
  };
  let known = memory();
  let readAt = real.now();
  const parts: ApiParts = {
    ...given,
    self,
    live,
    recent,
    silences,
    requests,
    db,
    readAt: () => {
      if (memory() !== known) {
        known = memory();
        readAt = real.now();
      }
      return readAt;
    },
  };
  const now = liveApi(parts);
  const feed = new LiveFeed({
    live,
    clock: real,
    state: async () => {
      const made = await now.snapshot();
      const watch = watchView(memory(), made, self, clock.now());
      return { version: made.version, at: iso(made.at), watch, counts: made.counts };
    },
    show: async (rows) => {
      const around = await now.around();
      return rows.map((row) => alertView(row, around));
    },
    nameOf: ({ memory: one, seen }) => nameOf(one, seen),
    onTrouble: (error) => log.error({ err: error }, "the page could not be told what changed"),
  });
  live.onChange = (acted) => feed.poke(acted);
  silences.onChange = () => live.forget();
  const { overview, alerts, alert, rules, rule } = now;
  const api: Api = {
    overview,
    alerts,
    alert,
    rules,
    rule,
    ...pastApi(parts),
    ...houseApi(parts),
    act: actionsOf({ ...parts, carryOut: given.carryOut, deliver: given.deliver, log }),
    listen: (onEvent) => feed.listen(onEvent),
  };
  return {
    api,
    see(decided) {
      if (!recent.isEmpty) {
        for (const { decision } of decided) {
          for (const run of decision.round.observed) recent.observe(run);
          for (const run of decision.round.runs) recent.observe(run);
        }
      }
      live.see(decided);
    },
    touch() {
      parts.readAt();
      live.touch();
    },
    request: (endpoint, failure, ms) => requests.add(endpoint, failure, ms),
    stop() {
      feed.stop();
      db.close();
    },
  };
}
