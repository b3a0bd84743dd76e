import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { MINUTE, SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import type { Source } from "../fetch/source.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { type Command, NO_CHANGE, type RoundRecord, type Setup } from "../model/index.ts";
import { composeSelf } from "../notices/self-notice.ts";
import { budgetMs, untilNext, YieldingLoop } from "../poll/budget.ts";
import { FailureLog, RoundSum } from "../poll/failure-log.ts";
import { byGroup, groupRules } from "../poll/groups.ts";
import type { Memory, RuleMemory } from "../poll/memory.ts";
import { type DecidedWork, PlanCache } from "../poll/plan.ts";
import { Scheduler } from "../poll/scheduler.ts";
import type { Store } from "../store/store.ts";
import { Backfill } from "./backfill/backfill.ts";
import { fillWindows } from "./backfill/points.ts";
import { Commands } from "./commands.ts";
import { Committer } from "./committer.ts";
import { Eras } from "./eras.ts";
import { Families } from "./families.ts";
import { createMemory } from "./load.ts";
import type { AddressedNotice } from "./notices.ts";
import { openingChanges, versionOf } from "./opening.ts";
import { Renewals } from "./renewals.ts";
import { isAhead, rewind } from "./rewind.ts";
import { type RoundParts, runRound } from "./round.ts";
import { Start } from "./start.ts";
import { MarkWriter } from "./watermark.ts";

export interface RoundsOptions {
  readonly setup: Setup;
  readonly kinds: ReadonlyMap<string, WatchKind>;
  readonly source: Source;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly onNotices: (tellings: readonly AddressedNotice[]) => void;
  /** Windows are filled from histories where samples are lacking; default: they are not. */
  readonly priming?: boolean;
  /** People may give orders beside it, which are looked for; default: nobody can. */
  readonly orders?: boolean;
  /** A slice of a round is decided and committed. */
  readonly onDecided: (decided: readonly DecidedWork[]) => void;
  /** What a start finds is told; not called where it is broken off. */
  readonly onBegun?: () => void;
  readonly onRound: (record: RoundRecord) => void;
  /** The store refused a commit; the caller decides whether to go on. */
  readonly onRefused: (error: unknown) => void;
}

/** So long nothing more is said of rounds that are skipped. */
const QUIET_MS = 10 * MINUTE;
/** So long (real time) the first look may take before the start is told with what is known. */
const LONGEST_START_MS = 40 * SECOND;

/** The rounds of one setup: opened on a store, started on a clock, stopped between commits. */
export class Rounds {
  readonly memory: Memory;
  readonly #options: RoundsOptions;
  readonly #parts: RoundParts;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #scheduler: Scheduler<RuleMemory>;
  readonly #primer: Backfill | null;
  readonly #orders: Commands;
  readonly #start: Start;
  #begun: Promise<void> = Promise.resolve();
  /** Rules that were due again while their first look still went on. */
  readonly #missed = new Set<RuleMemory>();
  readonly #families: Families;
  readonly #renewals: Renewals;
  /** When it was said last that a round is skipped, in elapsed time. */
  #skipSaidAt = Number.NEGATIVE_INFINITY;
  /** The latest date of a round so far; an earlier one means that the clock was set back. */
  #latest = Number.NEGATIVE_INFINITY;

  /** Takes over what the store has kept, closes what is no longer watched. Throws StoreError. */
  static async open(options: RoundsOptions): Promise<Rounds> {
    const { setup, store, clock } = options;
    const loaded = await store.load();
    const now = clock.now();
    const families = new Families(options.source, clock);
    const eras = new Eras(options.source, families, setup.service, loaded.marks);
    const memory = createMemory(setup.rules, options.kinds, versionOf, loaded, eras, now);
    for (const { base, from, to } of eras.addresses.moved) {
      options.log.warn(
        { key: base, from, to },
        "another address: bases, windows and events begin anew",
      );
    }
    const turns = new YieldingLoop();
    const { mark } = eras.addresses;
    for (const change of openingChanges(memory, setup, now, mark === null ? [] : [mark])) {
      await store.commit(change);
      if (change.notices.length > 0) options.onNotices(change.notices);
      if (turns.isDue) await turns.give();
    }
    if (isAhead(memory, now)) {
      options.log.warn("the clock was set back: what is dated later is dated now");
      const latest = memory.rules.reduce(
        (most, { state }) => Math.max(most, state.lastRound ?? now),
        now,
      );
      await rewind(memory, store, now);
      const notices = setBack(setup, latest, now);
      await store.commit({ ...NO_CHANGE, notices });
      options.onNotices(notices);
    } else await fillWindows(memory, store, now, new Set(memory.newSeries.map(({ id }) => id)));
    groupRules(memory.rules, now);
    // What was new is in the store by now and need not be kept twice.
    const kept = { ...memory, newSeries: [], gone: [], moved: [], cleared: [] };
    return new Rounds({ ...options, source: families.watch() }, kept, families, eras);
  }

  private constructor(options: RoundsOptions, memory: Memory, families: Families, eras: Eras) {
    const { source, store, clock, log, setup } = options;
    this.memory = memory;
    this.#options = options;
    this.#start = new Start(memory);
    this.#families = families;
    this.#renewals = new Renewals(eras, memory.nextSeries, (subject) => this.#primer?.add(subject));
    this.#parts = {
      source,
      committer: new Committer(store),
      plans: new PlanCache(source, memory.facts),
      marks: new MarkWriter(),
      log,
      failures: new FailureLog(log),
      memory,
      selfChannels: setup.selfNotify,
      budgetMs: (rules, date, requests) =>
        budgetMs(setup.service, untilNext(rules, date, clock.now()), requests),
      onNotices: options.onNotices,
      onDecided: (decided) => {
        for (const one of decided) this.#start.look(one);
        options.onDecided(decided);
      },
      onRefused: options.onRefused,
      renewals: this.#renewals,
      isForeign: (subject) => eras.isForeign(subject),
    };
    // Each group of rules that is polled minds the stop, and there may be many.
    setMaxListeners(0, this.#stop.signal);
    this.#primer =
      options.priming === true ? primerOf(options, memory, this.#parts, families) : null;
    const { onRefused } = options;
    const { committer } = this.#parts;
    this.#orders = new Commands({ memory, store, committer, clock, log, onRefused });
    this.#scheduler = new Scheduler(
      memory.rules,
      ({ rule }) => rule.schedule,
      clock,
      (rules, date) => this.#due(rules, date),
    );
  }

  /** Looks at once at what is due by now, and from then on by the schedules. */
  start(): void {
    const now = this.#options.clock.now();
    const first = this.#start.due(now);
    this.#begun = this.#begin(first, now - (now % SECOND));
    this.#scheduler.start();
    this.#primer?.start();
    if (this.#options.orders === true) this.#orders.start();
  }

  /** Resolves once the first look is over and told, or has taken too long, or is broken off by a stop. */
  async begun(): Promise<void> {
    await this.#begun;
  }

  /** Resolves when no history is asked for at the moment. */
  async primed(): Promise<void> {
    await this.#primer?.idle();
  }

  /** One round over all rules now, whatever their schedules. */
  async once(): Promise<RoundRecord> {
    const now = this.#options.clock.now();
    const { service } = this.#options.setup;
    // There is no next round for which it would have to be over.
    const budget: RoundParts["budgetMs"] = (_rules, _date, requests) =>
      budgetMs(service, MINUTE, requests);
    const parts = { ...this.#parts, budgetMs: budget };
    return await this.#run(this.memory.rules, now - (now % 1_000), parts);
  }

  /** Carries orders out at once, in one transaction. */
  async carryOut(orders: readonly Command[]): Promise<void> {
    await this.#orders.carryOut(orders);
  }

  /** Ends the polls that run; what has been decided is committed first. */
  async stop(): Promise<void> {
    this.#scheduler.stop();
    this.#stop.abort();
    await this.#orders.stop();
    await this.#primer?.stop();
    await Promise.allSettled(this.#running);
    await this.#begun;
    await this.#parts.committer.settled();
  }

  async #begin(first: readonly RuleMemory[], date: number): Promise<void> {
    const { onNotices, onRefused, onBegun } = this.#options;
    const over = new AbortController();
    const limit = AbortSignal.any([over.signal, this.#stop.signal]);
    const late = pause(LONGEST_START_MS, undefined, { signal: limit }).catch(() => {});
    const looked = first.length === 0 ? Promise.resolve() : this.#look(first, date);
    await Promise.race([looked, late]);
    over.abort();
    if (this.#stop.signal.aborted) return;
    await this.#start.tell(date, this.#parts.committer, onNotices).catch(onRefused);
    onBegun?.();
  }

  #due(rules: readonly RuleMemory[], date: number): void {
    const idle = rules.filter(({ running }) => !running);
    const busy = rules.filter(({ running }) => running);
    // How far the first look is from the next scheduled time is chance: that round comes a little later.
    for (const rule of busy) if (rule.isUnseen) this.#missed.add(rule);
    const skipped = busy.filter(({ isUnseen }) => !isUnseen);
    if (skipped.length > 0) {
      const facts = { date: new Date(date).toISOString(), rules: skipped.length };
      const says = "a round is skipped: the one before is still polling";
      // What lasts is not said again in every round.
      const now = this.#options.clock.elapsed();
      if (now - this.#skipSaidAt < QUIET_MS) this.#options.log.debug(facts, says);
      else {
        this.#options.log.warn(facts, says);
        this.#skipSaidAt = now;
      }
    }
    if (idle.length > 0) void this.#look(idle, date);
  }

  /** A round must never end the daemon, whatever is wrong with the program. */
  async #look(rules: readonly RuleMemory[], date: number): Promise<void> {
    try {
      await this.#run(rules, date);
    } catch (error) {
      this.#options.log.error({ err: error, date: new Date(date).toISOString() }, "a round failed");
    }
  }

  #rewind(now: number): void {
    const { log, setup, onNotices } = this.#options;
    log.warn("the clock was set back: what is dated later is dated now");
    const latest = this.#latest;
    this.#latest = now;
    this.#parts.committer
      .take(
        async (store) => {
          await rewind(this.memory, store, now);
          return { change: { ...NO_CHANGE, notices: setBack(setup, latest, now + 1) } };
        },
        ({ change }) => onNotices(change.notices),
      )
      .catch((error: unknown) => {
        this.#latest = Math.max(this.#latest, latest);
        this.#options.onRefused(error);
      });
  }

  async #run(
    rules: readonly RuleMemory[],
    date: number,
    parts: RoundParts = this.#parts,
  ): Promise<RoundRecord> {
    for (const rule of rules) rule.running = true;
    if (this.#families.hasMoved(date)) this.#parts.plans.forgetAll();
    // Its turn comes before those in which this round decides.
    if (date < this.#latest) this.#rewind(date - 1);
    const sum = new RoundSum(date, rules);
    const groups = byGroup(rules).map((group) => this.#runGroup(group, date, sum, parts));
    // All of them are waited for, whatever becomes of one.
    const round = Promise.allSettled(groups);
    this.#running.add(round);
    try {
      await round;
      await Promise.all(groups);
      await this.#renewals.tell(date, this.#parts);
      this.#options.onRound(sum.record);
      return sum.record;
    } finally {
      this.#running.delete(round);
      this.#primer?.poke();
    }
  }

  async #runGroup(
    rules: readonly RuleMemory[],
    date: number,
    sum: RoundSum,
    parts: RoundParts,
  ): Promise<void> {
    try {
      await runRound(rules, date, parts, this.#stop.signal, sum);
    } finally {
      for (const rule of rules) rule.running = false;
      // One that ran while the clock was set back has written later dates.
      this.#latest = Math.max(this.#latest, date);
      const missed = rules.filter((rule) => this.#missed.delete(rule));
      const now = this.#options.clock.now();
      if (missed.length > 0 && !this.#stop.signal.aborted) {
        void this.#look(missed, now - (now % SECOND));
      }
    }
  }
}

function primerOf(
  options: RoundsOptions,
  memory: Memory,
  { committer }: RoundParts,
  families: Families,
): Backfill {
  const { source, store, clock, log, setup } = options;
  const { requestsPerSecond } = setup.service;
  return new Backfill({
    memory,
    source,
    store,
    committer,
    clock,
    log,
    requestsPerSecond,
    families,
  });
}

/** What is told of a clock that went from `latest` back to `now`. */
function setBack({ selfNotify }: Setup, latest: number, now: number): AddressedNotice[] {
  if (selfNotify.length === 0) return [];
  const notice = composeSelf({ about: "clock_set_back", from: latest }, now);
  return [{ notice, channels: selfNotify }];
}
