import { type Clock, systemClock } from "./base/clock.ts";
import { keepHeapSmall } from "./base/heap.ts";
import { adjustLogger, type Log } from "./base/log.ts";
import type { ChannelKind } from "./channels/channel.ts";
import { closeChannels, openChannels } from "./channels/index.ts";
import { pageOf } from "./channels/page-link.ts";
import type { AddressedNotice } from "./commit/notices.ts";
import { Rounds } from "./commit/rounds.ts";
import { type Receivers, startDelivery } from "./delivery/deliver.ts";
import type { Source } from "./fetch/source.ts";
import { KINDS } from "./kinds/index.ts";
import type { Message, Notice, RoundRecord, Setup } from "./model/index.ts";
import type { ClusterSeat, ClusterWork } from "./ops/cluster-work.ts";
import { openDaemonStore } from "./ops/daemon-store.ts";
import { type DaemonState, stateOf } from "./ops/daemon-view.ts";
import { type DaemonWeb, deliveryListener, openDaemonWeb } from "./ops/daemon-web.ts";
import { HoldingsWatch } from "./ops/holdings.ts";
import { sourceOpener } from "./ops/open-source.ts";
import { CurrentRounds, LostRoundsError } from "./ops/reload/current-rounds.ts";
import { LoadedFiles } from "./ops/reload/files.ts";
import { mutesOf, receivers } from "./ops/reload/receivers.ts";
import { type Reloading, type ReloadingParts, startReloading } from "./ops/reload/reloading.ts";
import { type Differences, differences } from "./ops/reload/setup-parts.ts";
import { openReports } from "./ops/reports/open.ts";
import type { Reports } from "./ops/reports/reports.ts";
import { roundsListener } from "./ops/rounds-listener.ts";
import { RunningParts } from "./ops/running-parts.ts";
import { type SelfMonitoring, startSelfMonitoring } from "./ops/self-monitoring.ts";
import { SelfNotices } from "./ops/self-notices.ts";
import { openPhone } from "./ops/telegram/open.ts";
import type { Phone } from "./ops/telegram/phone-parts.ts";
import { checkKey, startPruning } from "./ops/upkeep.ts";
import { type Meter, NO_METER } from "./ops/web/meter.ts";
import { openMetrics } from "./ops/web/open-metrics.ts";
import { NO_MEMORY } from "./poll/memory.ts";
import type { DecidedWork } from "./poll/plan.ts";
import type { Store, StoreError } from "./store/store.ts";

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
  /** Default: the one at `setup.store`. */
  readonly store?: Store;
  /** Absent: no other daemon works on the store. */
  readonly cluster?: ClusterSeat;
  readonly channels?: ReadonlyMap<string, ChannelKind>;
  /** False: rounds are run by hand (`rounds.once()`), and nobody looks at the daemon. */
  readonly schedule?: boolean;
  /** How the configuration is read again, and the files that `setup` was read from; absent: it never is. */
  readonly reload?: { readonly load: ReloadingParts["load"]; readonly files: LoadedFiles };
  /** False: it does not look after itself, as on a fast clock, where every poll is late. */
  readonly selfChecks?: boolean;
  readonly onDecided?: (decided: readonly DecidedWork[]) => void;
  readonly onRound?: (record: RoundRecord) => void;
  readonly onNotices?: (tellings: readonly AddressedNotice[]) => void;
  readonly onDelivered?: (message: Message) => void;
  /** What the source is still reading of the past, a line each; default: it tells nothing. */
  readonly reading?: () => readonly string[];
  /** Aborted when it is to be stopped, perhaps while it is still starting. */
  readonly stop?: AbortSignal;
  /** The daemon cannot go on; it must be stopped. */
  readonly onFatal?: (error: unknown) => void;
}

export interface App {
  /** Those that run at the moment. */
  readonly rounds: Rounds;
  /**
   * Goes over to another configuration, as a restart does but with everything that is the same left
   * running: all of it or nothing. Resolves to what was different. Throws PostponedError where it is no time
   * for it, and whatever kept it from being done; what ran before goes on then.
   */
  follow(next: Setup): Promise<Differences>;
  /** Reads the configuration again and follows it; resolves once that is done or refused, which is logged. */
  reload(): Promise<void>;
  /** Resolves once nothing is owed that could be delivered now. */
  delivered(): Promise<void>;
  /**
   * Finishes the running commit and the send in flight; at most about 4 seconds. Resolves to why something
   * that was kept in memory could not be written down, or to null.
   */
  stop(): Promise<StoreError | null>;
}

/** What is not asked for costs nothing: its code is not even loaded. */
async function openCluster(seat: ClusterSeat | undefined): Promise<ClusterWork | null> {
  if (seat === undefined) return null;
  const { ClusterWork } = await import("./ops/cluster-work.ts");
  return new ClusterWork(seat);
}

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
  const cluster = await openCluster(options.cluster);
  const store = await openDaemonStore(options.setup.store, options.store, {
    ...(cluster === null ? {} : { tenure: cluster.tenure }),
    stopped,
    log,
    onOutage: (error) => {
      meter().refused();
      self.unwritable(error);
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
  const owned = await HoldingsWatch.open(setup, {
    ...{ kinds: KINDS, store, clock, log },
    ...(cluster === null ? {} : { isOurs: () => cluster.part.hasOwned(setup) }),
  });
  // A store of the caller's own is at no place that we know.
  const place = options.store === undefined ? setup.store : null;
  /** The daemon as it is at the moment. */
  const its = {
    setup: () => setup,
    memory: () => current?.rounds.memory ?? NO_MEMORY,
    store,
    place,
    clock,
    log,
  };
  const poke = (): void => delivery.poke();
  const openWeb = (): Promise<DaemonWeb | null> =>
    openDaemonWeb({
      ...its,
      carryOut: async () => current?.rounds.lookForCommands(),
      deliver: poke,
      state: () => state,
      lateness: options.selfChecks !== false,
    });
  let web = isScheduled ? await openWeb() : null;
  const terminal = { print: options.print, colours: options.colours, page: () => pageOf(setup) };
  let channels = openChannels(setup.channels, terminal, options.channels);
  let mutes = mutesOf(setup);
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const receiving = (): Receivers => {
    const all = receivers(setup, channels);
    return cluster === null ? all : cluster.receivers(all);
  };
  const delivery = startDelivery({
    store,
    ...receiving(),
    clock: options.outboxClock ?? systemClock(),
    holdClock: clock,
    mutesOf: (rule) => mutes.get(rule),
    log,
    ...(isScheduled ? { begun } : {}),
    onTrouble: (channel, trouble, isNews) => {
      meter().parked(channel, trouble !== null);
      web?.channel(channel, trouble);
      if (isNews) self.channel(channel, trouble);
    },
    ...deliveryListener(meter, () => web),
    ...(options.onDelivered === undefined ? {} : { onDelivered: options.onDelivered }),
  });
  const onNotice = (notice: Notice): void => meter().notices([notice]);
  const self = new SelfNotices({ ...its, delivery, onNotice });
  const reporting = {
    ...its,
    ...(cluster === null ? {} : { memory: () => cluster.view(), refresh: () => cluster.refresh() }),
    ...{ troubles: () => state?.troubles() ?? [], poke, onNotice, begun },
  };
  const parts = new RunningParts(log);
  /** Channels that are gone, until their last message is sent and they are closed. */
  const leaving = new Set<Promise<void>>();
  parts.uses(() => Promise.all(leaving));
  parts.uses(() => closeChannels(channels));
  parts.works(() => delivery.stop());
  let following: Promise<unknown> = Promise.resolve();
  let stopping = async (): Promise<void> => {};
  const stop = async (): Promise<StoreError | null> => {
    ending.abort();
    await stopping();
    await following;
    return await parts.stop();
  };
  const onEvent = roundsListener({
    begin: () => begin(),
    web: () => web,
    // Of several daemons one reports for all, and sees but its part.
    reports: () => (cluster === null ? reports : null),
    meter,
    log,
    poke,
    told: options,
  });
  const common = { kinds: KINDS, store, clock, log, backfill: true, commands: true, onEvent };
  const startedPhone = (opened: CurrentRounds, how: DaemonState): Promise<Phone> =>
    openPhone(setup, {
      carryOut: () => opened.rounds.lookForCommands(),
      ...its,
      ...(cluster === null ? {} : { memory: () => cluster.view() }),
      state: how,
      ...(options.outboxClock === undefined ? {} : { real: options.outboxClock }),
    });
  let monitoring: SelfMonitoring | null = null;
  let reloading: Reloading | null = null;
  let phone: Phone | null = null;
  let reports: Reports | null = null;
  try {
    const openSource = sourceOpener(options.source, {
      log,
      metrics: () => metrics,
      web: () => web,
    });
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
    if (isScheduled && cluster === null) reports = await openReports(reporting);
    parts.works(async () => reports?.stop());
    parts.works(() => opened.rounds.stop());
    parts.works(startPruning(store, clock, () => setup.retentionMs, log));
    if (isScheduled) {
      opened.rounds.start();
      state = stateOf({
        ...its,
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
      if (cluster === null) phone = await startedPhone(opened, state);
      parts.works(async () => phone?.stop());
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
      channels = new Map(
        setup.channels.flatMap(({ name }) => {
          const channel = fresh.get(name) ?? before.get(name);
          return channel === undefined ? [] : [[name, channel] as const];
        }),
      );
      mutes = mutesOf(setup);
      adjustLogger(log, setup.logLevel, []);
      metrics ??= await openMetrics(setup);
      web ??= await openWeb();
      if (cluster === null || cluster.part.keeps) reports ??= await openReports(reporting);
      reports?.follow();
      web?.touch();
      go();
      const gone = new Map([...before].filter(([name, one]) => channels.get(name) !== one));
      const leave = delivery.follow(receiving()).then(() => closeChannels(gone));
      leaving.add(leave);
      void leave.finally(() => leaving.delete(leave));
      for (const name of removed) meter().parked(name, false);
      await monitoring?.follow(setup, what);
      await phone?.follow(setup);
      if (what.source) void checkKey(opened.source, setup, log);
      return what;
    };
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      // One after the other: each is compared with the one before it.
      const turn = following.then(work);
      following = turn.catch(() => {});
      return turn;
    };
    const followInTurn = (next: Setup): Promise<Differences> => inTurn(() => follow(next));
    if (isScheduled) parts.works(owned.start(() => opened.source, followInTurn));
    if (options.reload !== undefined) {
      const { load, files } = options.reload;
      reloading = await startReloading({
        load,
        newFiles: () => new LoadedFiles(),
        first: { setup, files },
        follow: (next) =>
          cluster === null
            ? followInTurn(next)
            : cluster.reconfigure(setup, next, () => followInTurn(next)),
        store,
        clock: options.outboxClock ?? systemClock(),
        log,
        found: (event) => self.found(event),
      });
      parts.works(async () => reloading?.stop());
    }
    if (cluster !== null) {
      cluster.start({
        ...its,
        ...{ kinds: KINDS, onEvent, self, owned, delivery, inTurn },
        source: () => opened.source,
        receivers: () => receivers(setup, channels),
        follow: async (given, grace) => {
          const go = await opened.follow(setup, given, true, { ...grace, keepsFacts: true });
          setup = given;
          web?.touch();
          go();
        },
        keep: async (keeps) => {
          if (!isScheduled || keeps === (phone !== null)) return;
          if (keeps && state !== null) {
            reports = await openReports(reporting);
            phone = await startedPhone(opened, state);
          } else {
            await Promise.all([reports?.stop(), phone?.stop()]);
            reports = null;
            phone = null;
          }
        },
      });
      stopping = () => cluster.stop();
    }
    return {
      get rounds() {
        return opened.rounds;
      },
      follow: followInTurn,
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
