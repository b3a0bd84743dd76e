import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE, SECOND } from "../base/duration.ts";
import { type Command, chainsOf, NO_CHANGE, type RoundRecord } from "../model/index.ts";
import type { Memory, RuleMemory } from "../poll/memory.ts";
import { byGroup, PlanCache } from "../poll/plan.ts";
import { budgetMs, untilNext } from "../poll/poll.ts";
import { RoundSum } from "../poll/round-sum.ts";
import { Scheduler } from "../poll/schedule.ts";
import { FailureLog } from "../poll/tally.ts";
import { Backfill } from "./backfill/backfill.ts";
import { Commands } from "./commands.ts";
import { Committer, type OnRoundsEvent } from "./committer.ts";
import { rewind } from "./rewind.ts";
import { abandonGroup, type RoundParts, runRound } from "./round.ts";
import type { SourceAffinity } from "./source-affinity.ts";
import { SourceChanges } from "./source-changes.ts";
import { Start } from "./start.ts";
import {
  CLOCK_SET_BACK,
  clockNotices,
  type Opened,
  openMemory,
  type StartupParts,
} from "./startup.ts";
import { WatermarkWriter } from "./watermark.ts";

export interface RoundsOptions extends StartupParts {
  /** Windows are filled from histories where samples are lacking; default: they are not. */
  readonly backfill?: boolean;
  /** People may give commands beside it, which are looked for; default: nobody can. */
  readonly commands?: boolean;
}

/** So long nothing more is said of rounds that are skipped. */
const QUIET_MS = 10 * MINUTE;
/** So long (real time) the first look may take before the start is told with what is known. */
const LONGEST_START_MS = 40 * SECOND;

/** The rounds of one setup: opened on a store, started on a clock, stopped between commits. */
export class Rounds {
  readonly memory: Memory;
  readonly #parts: RoundParts;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #scheduler: Scheduler<RuleMemory>;
  readonly #backfill: Backfill | null;
  readonly #commands: Commands;
  /** Null: none is under way. */
  #start: Start | null = null;
  readonly #affinity: SourceAffinity;
  #started: Promise<void> = Promise.resolve();
  /** Rules that were due again while their first look, or their look at a block, still went on. */
  readonly #missed = new Set<RuleMemory>();
  /** When it was said last that a round is skipped, in elapsed time. */
  #skipSaidAt = Number.NEGATIVE_INFINITY;
  /** The latest date of a round so far; an earlier one means that the clock was set back. */
  #latest = Number.NEGATIVE_INFINITY;

  /** Takes over what the store has kept, closes what is no longer watched. Throws StoreError. */
  static async open(options: RoundsOptions): Promise<Rounds> {
    return new Rounds(options, await openMemory(options));
  }

  private constructor(
    private readonly options: RoundsOptions,
    private readonly opened: Opened,
    /** People know of the start. */
    private isTold = false,
  ) {
    const { memory, affinity, generations } = opened;
    const { store, clock, log, setup } = options;
    const onEvent: OnRoundsEvent = (event) => this.#tell(event);
    this.memory = memory;
    this.#affinity = affinity;
    const source = affinity.watch();
    const committer = new Committer(store, onEvent, setup);
    const isShared = [...memory.subjects.values()].some(({ provenance }) => provenance !== null);
    this.#parts = {
      source,
      committer,
      plans: new PlanCache(source, memory.facts),
      marks: new WatermarkWriter(),
      log,
      failures: new FailureLog(log),
      memory,
      ...(options.share === undefined ? {} : { share: options.share }),
      elsewhere:
        options.share === undefined
          ? null
          : { rules: setup.rules, kinds: options.kinds, share: options.share },
      selfChannels: setup.selfNotify,
      budgetMs: (rules, date, requests) =>
        budgetMs(setup.service, untilNext(rules, date, clock.now()), requests),
      sourceChanges: isShared
        ? new SourceChanges(
            generations,
            memory,
            { log, selfChannels: setup.selfNotify, isPart: options.share !== undefined },
            (one) => this.#backfill?.add(one),
          )
        : null,
      onJudged: (decided) => onEvent({ kind: "judged", decided }),
      onDecided: (decided) => {
        for (const one of decided) this.#start?.look(one);
        onEvent({ kind: "decided", decided });
      },
    };
    // Each group of rules that is polled minds the stop, and there may be many.
    setMaxListeners(0, this.#stop.signal);
    const share = options.share ?? null;
    const parts = { memory, store, committer, clock, log, share };
    const { requestsPerSecond } = setup.service;
    this.#backfill =
      options.backfill === true
        ? new Backfill({ ...parts, source, affinity, requestsPerSecond })
        : null;
    this.#commands = new Commands({ ...parts, onDone: () => onEvent({ kind: "carried_out" }) });
    this.#scheduler = new Scheduler(
      memory.rules,
      { scheduleOf: ({ rule }) => rule.schedule, chainsOf: ({ rule }) => chainsOf(rule) },
      clock,
      (rules, date) => this.#due(rules, date),
    );
  }

  /**
   * Looks at once at what is due by now, and from then on by the schedules. `from`: what others that watched
   * until then (see `pause`) have begun is not looked at again, and what was due since is made up for.
   */
  start(from?: number): void {
    this.#started = this.#begin(new Start(this.memory), from ?? this.options.clock.now());
    this.#scheduler.start(from);
    this.#backfill?.start();
    if (this.options.commands === true) this.#commands.start();
  }

  /**
   * Begins no further round, and gives those that run `graceMs` of real time to end. Resolves to the moment up
   * to which rounds were begun: `resume` or the start of others goes on from it.
   */
  async pause(graceMs: number, signal?: AbortSignal): Promise<number> {
    const from = this.#scheduler.stop();
    const over = new AbortController();
    const limit = AbortSignal.any([over.signal, this.#stop.signal, ...(signal ? [signal] : [])]);
    const late = pause(graceMs, undefined, { signal: limit }).catch(() => {});
    const idle = async (): Promise<void> => {
      await this.#started;
      // One that ends may begin another, for what was due while it ran.
      while (this.#running.size > 0) await Promise.allSettled(this.#running);
    };
    await Promise.race([idle(), late]);
    over.abort();
    return from;
  }

  /** Goes on after a pause. */
  resume(from: number): void {
    this.#scheduler.start(from);
  }

  /** The same rounds once more, after a stop: on what they have in memory, whatever of it the store has by now. */
  again(): Rounds {
    return new Rounds(this.options, this.opened, this.isTold);
  }

  /** Told that a chain has a new block, at which rules may be due. */
  block(chainId: number): void {
    this.#scheduler.block(chainId);
  }

  /** Resolves once the first look is over and told, or has taken too long, or is interrupted by a stop. */
  async started(): Promise<void> {
    await this.#started;
  }

  /** Resolves when no history is asked for at the moment. */
  async backfilled(): Promise<void> {
    await this.#backfill?.idle();
  }

  /** One round over all rules now, whatever their schedules. */
  async once(): Promise<RoundRecord> {
    const now = this.options.clock.now();
    const { service } = this.options.setup;
    // There is no next round for which it would have to be over.
    const budget: RoundParts["budgetMs"] = (_rules, _date, requests) =>
      budgetMs(service, MINUTE, requests);
    const parts = { ...this.#parts, budgetMs: budget };
    return await this.#run(this.memory.rules, wholeSecond(now), parts);
  }

  /** Looks at once for commands that people gave beside it, and resolves when they are carried out. */
  async lookForCommands(): Promise<void> {
    await this.#commands.look();
  }

  /** Carries commands out at once, in one transaction. */
  async carryOut(commands: readonly Command[]): Promise<void> {
    await this.#commands.carryOut(commands);
  }

  /** Ends the polls that run; what has been decided is committed first. */
  async stop(): Promise<void> {
    this.#scheduler.stop();
    this.#stop.abort();
    await this.#commands.stop();
    await this.#backfill?.stop();
    await Promise.allSettled(this.#running);
    await this.#started;
    await this.#parts.committer.settled();
  }

  async #begin(start: Start, from: number): Promise<void> {
    this.#start = start;
    const date = wholeSecond(this.options.clock.now());
    const first = start.due(from);
    const over = new AbortController();
    const limit = AbortSignal.any([over.signal, this.#stop.signal]);
    const late = pause(LONGEST_START_MS, undefined, { signal: limit }).catch(() => {});
    const looked = first.length === 0 ? Promise.resolve() : this.#look(first, date);
    await Promise.race([looked, late]);
    over.abort();
    if (this.#stop.signal.aborted) return;
    // One of several cannot tell of what the others watch.
    if (this.options.share === undefined && !this.isTold) {
      this.isTold = await start.tell(date, this.#parts.committer);
    }
    this.#start = null;
    this.#tell({ kind: "started" });
  }

  /** Who hears of it may fail: the memory must follow a commit all the same, or what is told would be told again. */
  #tell(event: Parameters<OnRoundsEvent>[0]): void {
    try {
      this.options.onEvent(event);
    } catch (error) {
      this.options.log.error({ err: error, event: event.kind }, "who hears of the rounds failed");
    }
  }

  #due(rules: readonly RuleMemory[], date: number): void {
    const busy = rules.filter(({ running }) => running);
    const free = busy.length === 0 ? rules : rules.filter(({ running }) => !running);
    const idle = this.#notYet(free, date);
    // How far the first look is from the next scheduled time is chance: that round comes a little later. So
    // does that of a block which came while the one before it was still read.
    const isMadeUpFor = ({ isUnseen, rule }: RuleMemory): boolean =>
      isUnseen || rule.schedule.eachBlock;
    for (const rule of busy) if (isMadeUpFor(rule)) this.#missed.add(rule);
    const skipped = busy.filter((rule) => !isMadeUpFor(rule));
    if (skipped.length > 0) {
      const facts = { date: new Date(date).toISOString(), rules: skipped.length };
      const says = "round skipped: the previous one is still polling";
      // What lasts is not said again in every round.
      const now = this.options.clock.elapsed();
      if (now - this.#skipSaidAt < QUIET_MS) this.options.log.debug(facts, says);
      else {
        this.options.log.warn(facts, says);
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
      this.options.log.error({ err: error, date: new Date(date).toISOString() }, "a round failed");
    }
  }

  async #rewind(now: number): Promise<void> {
    const { log, setup } = this.options;
    log.warn(CLOCK_SET_BACK);
    const latest = this.#latest;
    this.#latest = now;
    const isDone = await this.#parts.committer.commit(async (store) => {
      await rewind(this.memory, store, now);
      return { change: { ...NO_CHANGE, notices: clockNotices(setup, latest, now + 1) } };
    });
    if (!isDone) this.#latest = Math.max(this.#latest, latest);
  }

  async #run(
    rules: readonly RuleMemory[],
    date: number,
    parts: RoundParts = this.#parts,
  ): Promise<RoundRecord> {
    for (const rule of rules) rule.running = true;
    if (this.#affinity.hasMoved(date)) this.#parts.plans.forgetAll();
    // Its turn comes before those in which this round decides.
    if (date < this.#latest) void this.#rewind(date - 1);
    const grouped = byGroup(rules);
    const names = rules.map(({ rule }) => rule.name);
    const sum = new RoundSum(date, names, grouped);
    const groups = grouped.map((group) => this.#runGroup(group, date, sum, parts));
    // All of them are waited for, whatever becomes of one.
    const round = Promise.allSettled(groups);
    this.#running.add(round);
    try {
      await round;
      await Promise.all(groups);
      this.#tell({ kind: "round", record: sum.record });
      return sum.record;
    } finally {
      this.#running.delete(round);
      this.#backfill?.poke();
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
    } catch (error) {
      await abandonGroup(rules, date, sum, parts);
      throw error;
    } finally {
      for (const rule of rules) rule.running = false;
      // One that ran while the clock was set back has written later dates.
      this.#latest = Math.max(this.#latest, date);
      const missed = rules.filter((rule) => this.#missed.delete(rule));
      if (missed.length > 0 && !this.#stop.signal.aborted) this.#makeUpFor(missed);
    }
  }

  #makeUpFor(missed: readonly RuleMemory[]): void {
    const date = wholeSecond(this.options.clock.now());
    const late = this.#notYet(missed, date);
    if (late.length > 0) void this.#look(late, date);
  }

  /** Those that had no round of this date; what is due at blocks and had one is due once more. */
  #notYet(rules: readonly RuleMemory[], date: number): readonly RuleMemory[] {
    const had = new Set(
      rules.filter(({ rule, state }) => rule.schedule.eachBlock && state.lastRound === date),
    );
    if (had.size === 0) return rules;
    this.#scheduler.again(had);
    return rules.filter((rule) => !had.has(rule));
  }
}

function wholeSecond(date: number): number {
  return date - (date % SECOND);
}
