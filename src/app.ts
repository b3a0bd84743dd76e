import { systemClock } from "./base/clock.ts";
import { keepHeapSmall } from "./base/heap.ts";
import { adjustLogger } from "./base/log.ts";
import { closeChannels, openChannels } from "./channels/index.ts";
import { pageOf } from "./channels/text.ts";
import { Rounds } from "./commit/rounds.ts";
import { type Receivers, startDelivery } from "./delivery/deliver.ts";
import { KINDS } from "./kinds/index.ts";
import type { Notice, Setup } from "./model/index.ts";
import type { App, AppOptions } from "./ops/app-options.ts";
import type { ClusterSeat } from "./ops/cluster-seat.ts";
import type { ClusterWork } from "./ops/cluster-work.ts";
import { openDaemonStore } from "./ops/daemon-store.ts";
import { type DaemonState, stateOf } from "./ops/daemon-view.ts";
import { type DaemonWeb, openDaemonWeb } from "./ops/daemon-web.ts";
import { HoldingsWatch } from "./ops/holdings.ts";
import { HouseWork } from "./ops/house-work.ts";
import {
  deliveryListener,
  type Meter,
  NO_METER,
  roundsListener,
  sourceOpener,
} from "./ops/listeners.ts";
import { CurrentRounds, LostRoundsError } from "./ops/reload/current-rounds.ts";
import { LoadedFiles } from "./ops/reload/files.ts";
import { channelsOf, mutesOf, receivers } from "./ops/reload/receivers.ts";
import { type Reloading, startReloading } from "./ops/reload/reloading.ts";
import { type Differences, differences } from "./ops/reload/setup-parts.ts";
import { RunningParts } from "./ops/running-parts.ts";
import { openMetrics, type SelfMonitoring, startSelfMonitoring } from "./ops/self-monitoring.ts";
import { SelfNotices } from "./ops/self-notices.ts";
import { checkKey, startPruning } from "./ops/upkeep.ts";
import { NO_MEMORY } from "./poll/memory.ts";
import type { StoreError } from "./store/store.ts";

export type { App, AppOptions } from "./ops/app-options.ts";

/**
 * Builds the daemon, starts it, and returns the way to stop it: parts start in the order of the
 * data and stop in reverse. Throws StoreError when the database cannot be used.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { log } = options;
  keepHeapSmall();
  const clock = options.clock ?? systemClock();
  const isScheduled = options.schedule !== false;
  /** What runs at the moment. */
  let setup = options.setup;
  let metrics = isScheduled ? await openMetrics(setup) : null;
  const meter = (): Meter => metrics ?? NO_METER;
  const ending = new AbortController();
  const stopped = AbortSignal.any([ending.signal, options.stop ?? ending.signal]);
  /** Null: it is the only one. */
  const cluster = options.cluster === undefined ? null : await openCluster(options.cluster);
  const store = await openDaemonStore(options.setup.store, options.store, {
    ...(cluster === null ? {} : { tenure: cluster.tenure }),
    stopped,
    log,
    onOutage: (error) => {
      meter().refused();
      self.unwritable(error, (channel) => cluster?.leaves(channel) === true);
      web?.database(error.message);
      void cluster?.outage(true);
    },
    onOver: (lostSamples) => {
      self.written(lostSamples);
      web?.database(null);
      void cluster?.outage(false);
    },
    onFatal: (error) => options.onFatal?.(error),
  });
  let current: CurrentRounds | null = null;
  let state: DaemonState | null = null;
  const isOurs = cluster === null ? {} : { isOurs: () => cluster.part.hasOwned(setup) };
  const owned = await HoldingsWatch.open(setup, { kinds: KINDS, store, clock, log, ...isOurs });
  // A store of the caller's own is at no place that we know.
  const place = options.store === undefined ? setup.store : null;
  /** The daemon as it is at the moment. */
  const its = {
    setup: () => setup,
    memory: () => current?.rounds.memory ?? NO_MEMORY,
    carryOut: async () => current?.rounds.lookForCommands(),
    state: () => state,
    store,
    place,
    clock,
    log,
  };
  /** One of several daemons sees what the others do as well. */
  const seen = { ...its, ...cluster?.seeing };
  const poke = (): void => delivery.poke();
  const openWeb = (): Promise<DaemonWeb | null> =>
    openDaemonWeb({ ...seen, deliver: poke, lateness: options.selfChecks !== false });
  let web = isScheduled ? await openWeb() : null;
  const terminal = { print: options.print, colours: options.colours, page: () => pageOf(setup) };
  let channels = openChannels(setup.channels, terminal, options.channels);
  let mutes = mutesOf(setup);
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const all = (): Receivers => receivers(setup, channels);
  const receiving = (): Receivers => cluster?.receivers(all()) ?? all();
  const delivery = startDelivery({
    store,
    ...receiving(),
    clock: options.outboxClock ?? systemClock(),
    holdClock: clock,
    mutesOf: (rule) => mutes.get(rule),
    log,
    ...(isScheduled ? { begun } : {}),
    onEvent: deliveryListener({
      meter,
      web: () => web,
      self: () => self,
      told: options,
    }),
  });
  const onNotice = (notice: Notice): void => meter().notices([notice]);
  const self = new SelfNotices({ ...its, delivery, onNotice });
  const house = new HouseWork({
    ...seen,
    poke,
    onNotice,
    begun,
    ...(options.outboxClock === undefined ? {} : { real: options.outboxClock }),
  });
  const parts = new RunningParts(log);
  /** Channels that are gone, until their last message is sent and they are closed. */
  const leaving = new Set<Promise<void>>();
  parts.uses(() => Promise.all(leaving));
  parts.uses(() => closeChannels(channels));
  parts.works(() => delivery.stop());
  let following: Promise<unknown> = Promise.resolve();
  const stop = async (): Promise<StoreError | null> => {
    ending.abort();
    await cluster?.stop();
    await following;
    return await parts.stop();
  };
  const onEvent = roundsListener({
    begin: () => begin(),
    web: () => web,
    // Of several daemons one reports for all, and sees but its part.
    reports: () => (cluster === null ? house.reports : null),
    meter,
    log,
    poke,
    told: options,
  });
  const heard = cluster?.hearing(onEvent) ?? onEvent;
  const common = {
    kinds: KINDS,
    store,
    clock,
    log,
    backfill: true,
    commands: true,
    onEvent: heard,
  };
  let monitoring: SelfMonitoring | null = null;
  let reloading: Reloading | null = null;
  try {
    const openSource = sourceOpener(options.source, { log, meter, web: () => web });
    setup = await owned.begin(setup, openSource, options.source);
    const opened = await CurrentRounds.open(
      {
        open: async (given, source, facts) => {
          const known = facts ? { facts } : {};
          const shared = cluster === null ? { setup: given } : await cluster.part.enter(given);
          return await Rounds.open({ ...common, ...shared, source, ...known });
        },
        openSource: (given) => openSource(cluster?.part.paced(given) ?? given),
        trouble: () => self.trouble,
        stop: stopped,
      },
      setup,
    ).catch(async (error: unknown) => {
      parts.uses(() => store.close());
      throw error;
    });
    current = opened;
    parts.uses(() => opened.source.close());
    parts.uses(() => store.close());
    parts.uses(async () => {
      metrics?.stop();
      web?.stop();
    });
    if (isScheduled && cluster === null) await house.keep(true);
    parts.works(() => house.stop());
    parts.works(() => opened.rounds.stop());
    parts.works(startPruning(store, clock, () => setup.retentionMs, log));
    if (isScheduled) {
      opened.rounds.start();
      state = stateOf({
        ...its,
        whole: seen.memory,
        sharing: () => cluster?.sharing ?? null,
        channels: () => setup.channels.map(({ name }) => name),
        source: () => opened.source,
        configuration: () => reloading?.state ?? null,
        self,
      });
      monitoring = await startSelfMonitoring(setup, {
        ...its,
        self,
        state,
        metrics: () => metrics,
        api: () => web?.api ?? null,
        checks: options.selfChecks !== false,
        reading: options.reading ?? (() => []),
        ...(cluster === null ? {} : { beats: () => cluster.part.keeps }),
      });
      parts.works(async () => monitoring?.stop());
      await house.follow();
    }
    void checkKey(opened.source, setup, log);
    const follow = async (next: Setup): Promise<Differences> => {
      const given = owned.expand(next);
      const what = differences(setup, given);
      const { added, changed, removed } = what.changes.channels;
      const anew = given.channels.filter(({ name }) => [...added, ...changed].includes(name));
      // What may fail comes first.
      const fresh = openChannels(anew, terminal, options.channels);
      let go = (): void => {};
      try {
        if (what.rounds) go = await opened.follow(setup, given, what.source);
      } catch (error) {
        await closeChannels(fresh);
        if (error instanceof LostRoundsError) options.onFatal?.(error);
        throw error;
      }
      const before = channels;
      // Where the database is, only a start says.
      setup = { ...given, store: setup.store, cluster: setup.cluster };
      channels = channelsOf(setup, fresh, before);
      mutes = mutesOf(setup);
      adjustLogger(log, setup.logLevel, []);
      metrics ??= await openMetrics(setup);
      web ??= await openWeb();
      web?.touch();
      go();
      const gone = new Map([...before].filter(([name, one]) => channels.get(name) !== one));
      const leave = delivery.follow(receiving()).then(() => closeChannels(gone));
      leaving.add(leave);
      void leave.finally(() => leaving.delete(leave));
      for (const name of removed) meter().parked(name, false);
      await monitoring?.follow(setup, what);
      await house.follow();
      if (what.source) void checkKey(opened.source, setup, log);
      return what;
    };
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      // One after the other: each is compared with the one before it.
      const turn = following.then(work);
      following = turn.catch(() => {});
      return turn;
    };
    const followInTurn = (next: () => Setup): Promise<Differences> => inTurn(() => follow(next()));
    if (isScheduled) parts.works(owned.start(() => opened.source, followInTurn));
    if (options.reload !== undefined) {
      const { load, files } = options.reload;
      reloading = await startReloading({
        load,
        newFiles: () => new LoadedFiles(),
        first: { setup, files },
        follow: (next, read, isForced) =>
          cluster?.reconfigure(next, read, isForced, () => follow(next)) ??
          followInTurn(() => next),
        store,
        clock: options.outboxClock ?? systemClock(),
        log,
        found: (event) => self.found(event),
      });
      parts.works(async () => reloading?.stop());
    }
    cluster?.start({
      ...its,
      onEvent,
      self,
      owned,
      delivery,
      inTurn,
      source: () => opened.source,
      receivers: all,
      follow: async (given, grace) => {
        const go = await opened.follow(setup, given, true, { ...grace, keepsFacts: true });
        setup = given;
        go();
      },
      change: follow,
      keep: (keeps) => house.keep(keeps),
      onFatal: (error) => options.onFatal?.(error),
    });
    return {
      get rounds() {
        return opened.rounds;
      },
      follow: (next) => followInTurn(() => next),
      reload: async () => reloading?.now(),
      async delivered() {
        if (isScheduled) await begun;
        await delivery.idle();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Its code is loaded where there are several. */
async function openCluster(seat: ClusterSeat): Promise<ClusterWork> {
  return new (await import("./ops/cluster-work.ts")).ClusterWork(seat);
}
