import { type Clock, systemClock } from "./base/clock.ts";
import { keepHeapSmall } from "./base/heap.ts";
import type { Log } from "./base/log.ts";
import type { ChannelKind } from "./channels/channel.ts";
import { closeChannels, openChannels } from "./channels/index.ts";
import type { AddressedNotice } from "./commit/notices.ts";
import { Rounds } from "./commit/rounds.ts";
import { startDelivery } from "./delivery/deliver.ts";
import { createHttpSource } from "./fetch/http.ts";
import type { Source } from "./fetch/source.ts";
import { KINDS } from "./kinds/index.ts";
import type { Message, Notice, RoundRecord, Setup } from "./model/index.ts";
import { stateOf } from "./ops/daemon-view.ts";
import { RunningParts } from "./ops/running-parts.ts";
import { startSelfMonitoring } from "./ops/self-monitoring.ts";
import { SelfNotices } from "./ops/self-notices.ts";
import { checkKey, logMissing, startPruning } from "./ops/upkeep.ts";
import { type Meter, NO_METER } from "./ops/web/meter.ts";
import type { Metrics } from "./ops/web/metrics.ts";
import type { DecidedWork } from "./poll/plan.ts";
import { createFailoverStore } from "./store/failover.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import { type Store, StoreError } from "./store/store.ts";

/** What a run of the daemon is made from; tests and the demo bring their own parts. */
export interface AppOptions {
  readonly setup: Setup;
  readonly log: Log;
  /** Rounds, windows and timers run on it; default: the system's. */
  readonly clock?: Clock;
  /** Retries and the waits between sends run on it; default: real time, in which receivers live. */
  readonly outboxClock?: Clock;
  /** Where console channels print, and whether a terminal shows it. */
  readonly print: (text: string) => void;
  readonly colours: boolean;
  /** Default: the service over HTTP. */
  readonly source?: Source;
  /** Default: SQLite at `setup.store`. */
  readonly store?: Store;
  readonly channels?: ReadonlyMap<string, ChannelKind>;
  /** False: rounds are run by hand (`rounds.once()`), and nobody looks at the daemon. */
  readonly schedule?: boolean;
  /** False: it does not look after itself, as on a fast clock, where every poll is late. */
  readonly selfChecks?: boolean;
  readonly onDecided?: (decided: readonly DecidedWork[]) => void;
  readonly onRound?: (record: RoundRecord) => void;
  readonly onNotices?: (tellings: readonly AddressedNotice[]) => void;
  readonly onDelivered?: (message: Message) => void;
  /** Aborted when it is to be stopped, perhaps while it is still starting. */
  readonly stop?: AbortSignal;
  /** The daemon cannot go on; it must be stopped. */
  readonly onFatal?: (error: unknown) => void;
}

export interface App {
  readonly rounds: Rounds;
  /** Resolves once nothing is owed that could be delivered now. */
  delivered(): Promise<void>;
  /**
   * Finishes the running commit and the send in flight; at most about 4 seconds. Resolves to why something
   * that was kept in memory could not be written down, or to null.
   */
  stop(): Promise<StoreError | null>;
}

/**
 * Builds the daemon, starts it, and returns the way to stop it: parts start in the order of the
 * data and stop in reverse. Throws StoreError when the database cannot be used.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { setup, log } = options;
  keepHeapSmall();
  const clock = options.clock ?? systemClock();
  const metrics = options.schedule === false ? null : await openMetrics(setup);
  const meter: Meter = metrics ?? NO_METER;
  const ending = new AbortController();
  const { stop: asked = ending.signal } = options;
  const open = (): Promise<Store> =>
    openSqliteStore(setup.store, {
      ending: AbortSignal.any([ending.signal, asked]),
      warn: (message, fields) => log.warn(fields, message),
    });
  const store = createFailoverStore({
    store: options.store ?? (await open()),
    ...(options.store === undefined ? { reopen: open } : {}),
    clock: systemClock(),
    onOutage: (error) => {
      meter.refused();
      log.error(
        { err: error },
        "the database cannot be written; a restart would lose recent state",
      );
      self.unwritable(error);
    },
    onOver: (lostSamples) => {
      log.info({ lostSamples }, "the database is written again; what was kept in memory is in it");
      self.written(lostSamples);
    },
    onTrouble: (error) => {
      log.error({ err: error }, "something kept in memory cannot be written to the database");
      if (error instanceof StoreError) options.onFatal?.(error);
    },
  });
  const source =
    options.source ??
    createHttpSource({
      ...setup.service,
      log: (message, fields) => log.debug(fields, message),
      warn: (message, fields) => log.warn(fields, message),
      onRequest: (endpoint, failure) => metrics?.request(endpoint, failure),
    });
  const channels = openChannels(setup.channels, options, options.channels);
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const mutes = new Map(setup.rules.map((rule) => [rule.name, rule.mutes]));
  const delivery = startDelivery({
    store,
    channels,
    zones: new Map(setup.channels.map(({ name, timezone }) => [name, timezone])),
    clock: options.outboxClock ?? systemClock(),
    holdClock: clock,
    mutesOf: (rule) => mutes.get(rule),
    log,
    groupWaitMs: setup.groupWaitMs,
    ...(options.schedule === false ? {} : { begun }),
    onTrouble: (channel, trouble, isNews) => {
      meter.parked(channel, trouble !== null);
      if (isNews) self.channel(channel, trouble);
    },
    onOutcome: (channel, outcome) => meter.delivery(channel, outcome),
    onDropped: (channel, count) => meter.dropped(channel, count),
    ...(options.onDelivered === undefined ? {} : { onDelivered: options.onDelivered }),
  });
  const onNotice = (notice: Notice): void => meter.notices([notice]);
  const self = new SelfNotices({ setup, clock, store, delivery, log, onNotice });
  const parts = new RunningParts(log);
  parts.uses(() => closeChannels(channels));
  parts.uses(() => source.close());
  parts.uses(() => store.close());
  parts.uses(async () => metrics?.stop());
  parts.works(() => delivery.stop());
  const stop = (): Promise<StoreError | null> => {
    ending.abort();
    return parts.stop();
  };
  try {
    const rounds = await Rounds.open({
      setup,
      kinds: KINDS,
      source,
      store,
      clock,
      log,
      backfill: true,
      commands: true,
      onEvent: (event) => {
        if (event.kind === "started") begin();
        else if (event.kind === "decided") {
          logMissing(event.decided, log);
          options.onDecided?.(event.decided);
        } else if (event.kind === "notices") {
          meter.notices(event.notices.map(({ notice }) => notice));
          options.onNotices?.(event.notices);
          delivery.poke();
        } else if (event.kind === "round") {
          meter.round(event.record);
          options.onRound?.(event.record);
        } else {
          // A fault in one round must not end the watching of everything else; another daemon does.
          meter.refused();
          log.error({ err: event.error }, "a commit failed: its round is evaluated again");
          if (event.error instanceof StoreError) options.onFatal?.(event.error);
        }
      },
    });
    parts.works(() => rounds.stop());
    parts.works(startPruning(store, clock, setup.retentionMs, log));
    if (options.schedule !== false) {
      rounds.start();
      const names = setup.channels.map(({ name }) => name);
      const state = stateOf({ memory: rounds.memory, store, clock, self, channels: names, source });
      const checks = options.selfChecks !== false;
      // A store of the caller's own is on no disk that we know.
      const disk = options.store === undefined ? setup.store : null;
      const common = { setup, clock, log, self, state, metrics };
      const monitoring = await startSelfMonitoring({ ...common, checks, disk });
      parts.works(() => monitoring.stop());
    }
    void checkKey(source, setup, log);
    const delivered = async (): Promise<void> => {
      if (options.schedule !== false) await begun;
      await delivery.idle();
    };
    return { rounds, delivered, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What is not asked for costs nothing: its code is not even loaded. */
async function openMetrics({ web }: Setup): Promise<Metrics | null> {
  return web === null ? null : (await import("./ops/web/metrics.ts")).createMetrics();
}
