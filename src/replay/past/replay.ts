import type { Log } from "../../base/log.ts";
import { fillWindows } from "../../commit/backfill/points.ts";
import { apply, decideSlice, eventsOf, gapNotices } from "../../commit/decide-slice.ts";
import { createMemory } from "../../commit/load.ts";
import { judgeOutages } from "../../commit/outage.ts";
import { type Before, noticesOf } from "../../commit/slices.ts";
import { versionOf } from "../../commit/startup.ts";
import { baselineNotices } from "../../commit/watermark.ts";
import type { AlertEvent } from "../../decide/event.ts";
import type { Reading, WatchKind } from "../../kinds/kind.ts";
import type { AddressedNotice, Rule, SeriesName } from "../../model/index.ts";
import type { Memory, RuleMemory, SubjectMemory } from "../../poll/memory.ts";
import { collectWork, type DecidedWork, type Ready, type Work } from "../../poll/plan.ts";
import type { Tallies } from "../../poll/tally.ts";
import { WaitingRoom } from "../../poll/waiting-room.ts";
import { NOTHING_LOADED } from "../../store/store.ts";

export interface ReplayOptions {
  readonly rules: readonly Rule[];
  readonly kinds: ReadonlyMap<string, WatchKind>;
  /** When its first round may be. */
  readonly start: number;
  /** Who hears of outages of the service. */
  readonly selfNotify: readonly string[];
  readonly log: Log;
  /** Nobody reads what is told, so that it is not composed. */
  readonly silent?: boolean;
  /** Called after each round with what was decided in it; the memory is as it was before. */
  readonly onDecided: (date: number, decided: readonly DecidedWork[]) => void;
  readonly onNotices: (notices: readonly AddressedNotice[]) => void;
}

/** What a moment of the past has for a replay. */
export interface PastRound {
  readonly date: number;
  /** Null: the subject was not asked for in this round. */
  reading(subject: SubjectMemory): Reading | null;
  /** When the run of the daemon began that made the round; null: that is not known. */
  readonly openedAt: number | null;
  /** These rules as they were polled together, in the order in which that ended. */
  groups(rules: readonly RuleMemory[]): readonly PastGroup[];
}

/** Rules that were polled together. */
export interface PastGroup {
  readonly rules: readonly RuleMemory[];
  /** Some request failed. */
  readonly hasFailures: boolean;
  /** Since when the records were dropped of subjects, by their keys, of which they are taken from now on. */
  readonly rebased: Readonly<Record<string, number>>;
  /** How the requests fared; `subjects`: those that the rules ask for. */
  tallies(subjects: Iterable<SubjectMemory>): Tallies;
}

/**
 * Rules as they would have been decided in the past: the memory, the evaluator, the windows, the state machine
 * and the notices of the daemon, without its requests and its store. One object is one run of a daemon.
 */
export class Replay {
  readonly memory: Memory;
  readonly #members = new Map<RuleMemory, readonly SubjectMemory[]>();
  /** The last one, and those that may come again. */
  #plan: Plan = { rules: [], works: [] };
  #plans: readonly Plan[] = [];
  /** Some rule waits for what others read or decide. */
  readonly #depends: boolean;
  /** People were told of an outage that is not over. */
  #isDown = false;
  /** By the rules that were due: their last rounds in which everything was answered. */
  readonly #good = new Map<readonly RuleMemory[], readonly PastPoll[]>();
  #openedAt: number | null = null;

  constructor(private readonly options: ReplayOptions) {
    const { rules, kinds, start } = options;
    this.memory = createMemory(rules, kinds, versionOf, NOTHING_LOADED, null, start);
    this.#depends = this.memory.rules.some(
      ({ rule, references }) => rule.across !== null || rule.gates !== null || references.size > 0,
    );
  }

  /** The series that it needs, by its own numbers. */
  get series(): readonly SeriesName[] {
    return this.memory.newSeries;
  }

  /** Fills the windows with what was before its start. */
  async begin(before: Before): Promise<void> {
    await fillWindows(this.memory, before, this.options.start, new Set());
  }

  /**
   * What is known of the subjects of a rule is what all of them had together: none of them is read for it, though
   * samples of those that others watch were taken in its rounds.
   */
  readTogether(rule: RuleMemory): void {
    this.#members.set(rule, rule.members.splice(0));
  }

  /**
   * Decides the round of these rules. What is told of it is composed before the memory moves on; only then there
   * is something to wait for.
   */
  round(rules: readonly RuleMemory[], round: PastRound): Promise<void> | null {
    this.#begin(round.openedAt);
    const { date } = round;
    const groups = round.groups(rules);
    // Before the alerts of this round know of its failures.
    if (!groups.every((group) => this.#isWell(group))) this.#catchUp();
    let told: Promise<void> | null = null;
    for (const group of groups) {
      if (told === null) told = this.#decide(group, round);
      else told = told.then(() => this.#decide(group, round) ?? undefined);
    }
    // What was answered is mostly decided before the first of them is over: one that fails has waited for its answers.
    const close = (): void => this.#close(date, groups);
    if (told !== null) return told.then(close);
    close();
    return null;
  }

  /** A run of the daemon that is another one knows of the one before what that has stored. */
  #begin(openedAt: number | null): void {
    if (openedAt === null || openedAt === this.#openedAt) return;
    const isFirst = this.#openedAt === null;
    this.#openedAt = openedAt;
    if (isFirst) return;
    this.#catchUp();
    this.memory.outages.restart();
    for (const rule of this.memory.rules) rule.restart();
  }

  #decide({ rules }: PastGroup, round: PastRound): Promise<void> | null {
    const { date } = round;
    const ready = this.#read(rules, round);
    const decided = decideSlice(ready, date, this.options);
    const events = eventsOf(decided);
    const hasGaps = decided.some(({ reading }) => (reading.stream ?? null) !== null);
    if (this.options.silent === true || (events.length === 0 && !hasGaps)) {
      this.#apply(date, decided);
      return null;
    }
    return this.#tell(events, decided, date).then(() => this.#apply(date, decided));
  }

  #isWell({ hasFailures }: PastGroup): boolean {
    return !hasFailures && !this.#isDown;
  }

  async #tell(
    events: readonly AlertEvent[],
    decided: readonly DecidedWork[],
    date: number,
  ): Promise<void> {
    const told = await noticesOf(events, noValues, this.options);
    const notices = [...gapNotices(decided, date), ...told];
    if (notices.length > 0) this.options.onNotices(notices);
  }

  #read(rules: readonly RuleMemory[], round: PastRound): readonly Ready[] {
    const ready: Ready[] = [];
    const { works } = this.#planOf(rules);
    if (!this.#depends) {
      for (const work of works) {
        const reading = round.reading(work.subject);
        if (reading !== null) ready.push({ work, reading, references: NO_READINGS });
      }
      return ready;
    }
    const room = new WaitingRoom(rules, (one) => ready.push(one));
    for (const work of works) {
      const reading = round.reading(work.subject);
      if (reading !== null) room.read(work, reading);
    }
    for (const { rule, alerts } of rules) {
      const [alert] = alerts;
      if (rule.across === null || alert === undefined) continue;
      // What was recorded of all of them together, in place of what each of them was.
      const reading = round.reading(alert.owner);
      if (reading !== null) room.read({ subject: alert.owner, due: [alert] }, reading);
    }
    room.finish();
    return ready;
  }

  #planOf(rules: readonly RuleMemory[]): Plan {
    if (isSame(this.#plan.rules, rules)) return this.#plan;
    const known = this.#plans.find((plan) => isSame(plan.rules, rules));
    this.#plan = known ?? { rules: [...rules], works: this.#worksOf(rules) };
    if (known === undefined) this.#plans = [...this.#plans.slice(1 - MOST_PLANS), this.#plan];
    return this.#plan;
  }

  #worksOf(rules: readonly RuleMemory[]): readonly Work[] {
    const works = collectWork(rules);
    const asked = new Set(works.map(({ subject }) => subject));
    const others = rules.flatMap((rule) => this.#members.get(rule) ?? []);
    const observed = [...new Set(others)].filter((one) => one.series.length > 0 && !asked.has(one));
    return [...works, ...observed.map((subject) => ({ subject, due: NOBODY }))];
  }

  #apply(date: number, decided: readonly DecidedWork[]): void {
    this.options.onDecided(date, decided);
    for (const one of decided) apply(one);
  }

  #close(date: number, groups: readonly PastGroup[]): void {
    if (groups.every((group) => this.#isWell(group))) {
      for (const group of groups) {
        const same = this.#planOf(group.rules).rules;
        this.#good.set(same, [...(this.#good.get(same)?.slice(-1) ?? []), { date, group }]);
      }
    } else {
      this.#catchUp();
      this.#judge(date, groups);
    }
    for (const group of groups) {
      this.#tellRebased({ date, group });
      for (const rule of group.rules) rule.endRound(date);
    }
  }

  /**
   * The outages hear of a round that was answered in full only once something fails: two of them tell when all
   * was well last, and the others change nothing.
   */
  #catchUp(): void {
    const all = [...this.#good.values()].flat();
    for (const { date, group } of all.toSorted((a, b) => a.date - b.date)) {
      this.#judge(date, [group]);
    }
    this.#good.clear();
  }

  /** The end of a round: whom to tell of that alerts had no answer, or that the service had none. */
  #judge(date: number, groups: readonly PastGroup[]): void {
    const { memory } = this;
    const { selfNotify, onNotices } = this.options;
    const ended = groups.map((group) => {
      const { rules } = group;
      return { rules, tallies: group.tallies(subjectsOf(rules)) };
    });
    for (const { tallies } of ended) memory.outages.observe(date, tallies, memory.sources);
    const outage = judgeOutages(ended, date, memory, selfNotify);
    for (const source of outage.sources) memory.sources.set(source.subject, source);
    this.#isDown = [...memory.sources.values()].some(({ state }) => state === "firing");
    for (const { memory: one, alert } of outage.alerts) one.alert = alert;
    if (outage.notices.length > 0) onNotices(outage.notices);
  }

  /** Of records that went back and stayed there. */
  #tellRebased({ date, group }: PastPoll): void {
    for (const [key, since] of Object.entries(group.rebased)) {
      const subject = this.memory.subjects.get(key);
      const notices = subject === undefined ? [] : baselineNotices(subject, date, since);
      if (notices.length > 0) this.options.onNotices(notices);
    }
  }
}

/** Nobody sees the pictures of values that notices of the past would have. */
const noValues = (): Promise<readonly string[]> => Promise.resolve([]);

/** What rules had polled together at a date. */
interface PastPoll {
  readonly date: number;
  readonly group: PastGroup;
}

const NOBODY: Work["due"] = [];

/** Whom rules ask that are due together: the same ones are, again and again. */
interface Plan {
  readonly rules: readonly RuleMemory[];
  readonly works: readonly Work[];
}

/** As many as schedules that meet, which are few. */
const MOST_PLANS = 64;

const NO_READINGS: Ready["references"] = new Map();

function isSame(one: readonly RuleMemory[], other: readonly RuleMemory[]): boolean {
  return one.length === other.length && one.every((rule, index) => rule === other[index]);
}

function subjectsOf(rules: readonly RuleMemory[]): Set<SubjectMemory> {
  const together = rules.filter(({ rule }) => rule.across !== null);
  const owners = together.flatMap(({ alerts }) => alerts.map(({ owner }) => owner));
  return new Set([...collectWork(rules).map(({ subject }) => subject), ...owners]);
}
