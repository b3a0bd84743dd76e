import { type Clock, systemClock } from "./base/clock.ts";
import { HOUR } from "./base/duration.ts";
import { keepHeapSmall } from "./base/heap.ts";
import type { Log } from "./base/log.ts";
import type { Channel, ChannelKind } from "./channels/channel.ts";
import { CHANNELS } from "./channels/index.ts";
import type { AddressedNotice } from "./commit/notices.ts";
import { Rounds } from "./commit/rounds.ts";
import { startDelivery } from "./delivery/deliver.ts";
import { createHttpSource } from "./fetch/http.ts";
import type { Source } from "./fetch/source.ts";
import { KINDS } from "./kinds/index.ts";
import type { Message, Notice, RoundRecord, Setup } from "./model/index.ts";
import { stateOf } from "./ops/daemon-view.ts";
import { startSelfMonitoring } from "./ops/self-monitoring.ts";
import { SelfNotices } from "./ops/self-notices.ts";
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
      log.error({ err: error }, "the database cannot be written: it goes on in memory");
      self.unwritable(error);
    },
    onOver: (lostSamples) => {
      log.info({ lostSamples }, "the database is written again, with what came meanwhile");
      self.written(lostSamples);
    },
    onTrouble: (error) => {
      log.error({ err: error }, "something that was kept in memory cannot be written down");
      if (error instanceof StoreError) options.onFatal?.(error);
    },
  });
  const source =
    options.source ??
    createHttpSource({
      ...setup.service,
      log: (message, fields) => log.debug(fields, message),
      warn: (message, fields) => log.warn(fields, message),
      ...(metrics === null
        ? {}
        : {
            onRequest: (endpoint, failure) => metrics.request(endpoint, failure),
          }),
    });
  const channels = openChannels(options);
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
  /** What works, and ends together; then what it works with, in this order. */
  const working: (() => Promise<unknown>)[] = [() => delivery.stop()];
  const used = [
    () => closeAll(channels),
    () => source.close(),
    () => store.close(),
    () => Promise.resolve(metrics?.stop()),
  ];
  const stop = async (): Promise<StoreError | null> => {
    ending.abort();
    let lost: StoreError | null = null;
    const end = async (close: () => Promise<unknown>): Promise<void> => {
      try {
        await close();
      } catch (error) {
        log.error({ err: error }, "a part did not stop");
        if (error instanceof StoreError) lost = error;
      }
    };
    await Promise.all(working.splice(0).map(end));
    for (const close of used.splice(0)) await end(close);
    return lost;
  };
  try {
    const rounds = await Rounds.open({
      setup,
      kinds: KINDS,
      source,
      store,
      clock,
      log,
      priming: true,
      orders: true,
      onNotices: (tellings) => {
        meter.notices(tellings.map(({ notice }) => notice));
        options.onNotices?.(tellings);
        delivery.poke();
      },
      onDecided: (decided) => {
        logMissing(decided, log);
        options.onDecided?.(decided);
      },
      onRound: (record) => {
        meter.round(record);
        options.onRound?.(record);
      },
      onBegun: begin,
      onRefused: (error) => {
        meter.refused();
        refused(error, options);
      },
    });
    working.push(() => rounds.stop());
    working.push(startPruning(store, clock, setup.retentionMs, log));
    if (options.schedule !== false) {
      rounds.start();
      const names = setup.channels.map(({ name }) => name);
      const state = stateOf({ memory: rounds.memory, store, clock, self, channels: names, source });
      const checks = options.selfChecks !== false;
      // A store of the caller's own is on no disk that we know.
      const disk = options.store === undefined ? setup.store : null;
      const lookouts = await startSelfMonitoring({
        setup,
        clock,
        log,
        self,
        state,
        metrics,
        checks,
        disk,
      });
      working.push(() => lookouts.stop());
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

function openChannels(options: AppOptions): ReadonlyMap<string, Channel> {
  const kinds = options.channels ?? CHANNELS;
  const { print, colours } = options;
  return new Map(
    options.setup.channels.map(({ name, kind, settings }) => {
      const known = kinds.get(kind);
      if (known === undefined) throw new Error(`no channel kind ${kind}`);
      return [name, known.open(settings, { print, colours })];
    }),
  );
}

async function closeAll(channels: ReadonlyMap<string, Channel>): Promise<void> {
  await Promise.all([...channels.values()].map((channel) => channel.close()));
}

/**
 * Good answers in which a value is missing get a line when that begins, one for each way in which
 * it is missing; requests that fail have lines of their own.
 */
function logMissing(decided: readonly DecidedWork[], log: Log): void {
  const found = new Map<string, { subject: string; count: number }>();
  for (const { work, reading, decision } of decided) {
    if (!reading.absent && reading.rows.length === 0) continue;
    if (!decision.alerts.some(({ alert }) => alert.missing?.rounds === 1)) continue;
    const detail = reading.trouble ?? "no value";
    const known = found.get(detail);
    if (known === undefined) found.set(detail, { subject: work.subject.key, count: 1 });
    else known.count += 1;
  }
  for (const [detail, fields] of found) log.warn({ ...fields, detail }, "values are missing");
}

/**
 * A fault in one round must not end the watching of everything else; another daemon on the same
 * database does.
 */
function refused(error: unknown, { log, onFatal }: AppOptions): void {
  log.error({ err: error }, "a commit failed: what it held is decided anew in the next round");
  if (error instanceof StoreError) onFatal?.(error);
}

/** Once an hour what is older than the retention goes. */
function startPruning(
  store: Store,
  clock: Clock,
  retentionMs: number,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = clock.after(HOUR, () => {
      arm();
      running = prune();
    });
  };
  const prune = async (): Promise<void> => {
    try {
      const rows = await store.prune(clock.now() - retentionMs);
      log.debug({ rows }, "pruned");
    } catch (error) {
      log.error({ err: error }, "pruning failed");
    }
  };
  arm();
  return async () => {
    cancel();
    await running;
  };
}

/** A service that is down is no reason not to start; a wrong key is worth one clear line. */
async function checkKey(source: Source, setup: Setup, log: Log): Promise<void> {
  if (setup.service.baseUrl === null) {
    log.info("the API key is not checked beforehand: only the service at base_url could say");
    return;
  }
  const verdict = await source.verify(AbortSignal.timeout(setup.service.timeoutMs));
  if (verdict === "valid") log.info("the service accepts the API key");
  else if (verdict === "invalid") {
    log.error("the service refuses the API key: nothing can be watched until it is right");
  } else log.warn({ detail: verdict.detail }, "the API key could not be checked");
}
