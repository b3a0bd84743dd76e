import type { Clock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import { LONGEST_BLOCK_MS, type Schedule } from "../base/schedule.ts";
import type { Memory, RuleMemory } from "./memory.ts";

/** Things that are due by one schedule, and of `block` on the blocks of the same chains. */
interface Group<T> {
  readonly schedule: Schedule;
  readonly chains: ReadonlySet<number>;
  readonly members: T[];
  next: number;
  /** When it was due last: no two of its rounds are of one date. */
  last: number;
}

/** What a scheduler asks of its members. */
interface Due<T> {
  readonly scheduleOf: (member: T) => Schedule;
  /** On whose blocks one is due whose schedule is `block`. */
  readonly chainsOf: (member: T) => ReadonlySet<number>;
}

/**
 * Calls `onDue` with everything that is due at one scheduled time, the times in their order. One
 * timer on the clock asks each distinct schedule. Times that passed unseen (a blocked loop, a
 * machine that slept) come as one, dated by the latest of them. What is due at each block is dated by the
 * second in which it was told of one: once a second at most, and after LONGEST_BLOCK_MS without one.
 */
export class Scheduler<T> {
  readonly #clock: Clock;
  readonly #onDue: (members: readonly T[], date: number) => void;
  readonly #groups: Group<T>[];
  #cancel: (() => void) | null = null;

  constructor(
    members: readonly T[],
    { scheduleOf, chainsOf }: Due<T>,
    clock: Clock,
    onDue: (members: readonly T[], date: number) => void,
  ) {
    const groups = new Map<string, Group<T>>();
    for (const member of members) {
      const schedule = scheduleOf(member);
      const chains = schedule.eachBlock ? chainsOf(member) : NO_CHAINS;
      const key = [schedule.key, ...[...chains].toSorted((a, b) => a - b)].join();
      const group = groups.get(key) ?? {
        schedule,
        chains,
        members: [],
        next: Number.POSITIVE_INFINITY,
        last: Number.NEGATIVE_INFINITY,
      };
      group.members.push(member);
      groups.set(key, group);
    }
    this.#groups = [...groups.values()];
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** What was scheduled up to `from` (epoch milliseconds, default: now) is over. */
  start(from = this.#clock.now()): void {
    for (const group of this.#groups) {
      group.next = nextOf(group.schedule, from);
      group.last = from;
    }
    this.#arm();
  }

  /** Told that a chain has a new block. */
  block(chainId: number): void {
    this.#hurry(({ chains }) => chains.has(chainId));
  }

  /** What could not be done when it was due at a block, and all that is due with it, is due once more. */
  again(members: ReadonlySet<T>): void {
    this.#hurry((group) => group.members.some((member) => members.has(member)));
  }

  /** Nothing where it was stopped. */
  #hurry(isMeant: (group: Group<T>) => boolean): void {
    if (this.#cancel === null) return;
    const now = this.#clock.now();
    let isSooner = false;
    for (const group of this.#groups) {
      if (!group.schedule.eachBlock || !isMeant(group)) continue;
      const soon = group.last >= wholeSecond(now) ? group.schedule.next(now) : now;
      if (soon >= group.next) continue;
      group.next = soon;
      isSooner = true;
    }
    if (!isSooner) return;
    this.#cancel();
    if (this.#groups.some(({ next }) => next <= now)) this.#wake();
    else this.#arm();
  }

  /** Calls nothing more. Returns the moment up to which everything was called, where another one can start. */
  stop(): number {
    this.#cancel?.();
    this.#cancel = null;
    // A time may have passed that the timer has not seen yet.
    return this.#groups.reduce((least, { next }) => Math.min(least, next - 1), this.#clock.now());
  }

  #arm(): void {
    if (this.#groups.length === 0) return;
    const next = this.#groups.reduce((least, group) => Math.min(least, group.next), Infinity);
    this.#cancel = this.#clock.at(next, () => this.#wake());
  }

  #wake(): void {
    const now = this.#clock.now();
    const due = new Map<number, T[]>();
    for (const group of this.#groups) {
      // A clock that was set back must not make a rule wait until it has caught up.
      group.next = Math.min(group.next, nextOf(group.schedule, now));
      if (group.next > now) continue;
      const date = latest(group.schedule, group.next, now);
      group.next = nextOf(group.schedule, now);
      group.last = date;
      due.set(date, [...(due.get(date) ?? []), ...group.members]);
    }
    // Armed first: whatever a round does, the next one comes.
    this.#arm();
    for (const date of [...due.keys()].toSorted((a, b) => a - b)) {
      this.#onDue(due.get(date) ?? [], date);
    }
  }
}

const NO_CHAINS: ReadonlySet<number> = new Set();

function nextOf(schedule: Schedule, after: number): number {
  return schedule.eachBlock ? after + LONGEST_BLOCK_MS : schedule.next(after);
}

function wholeSecond(date: number): number {
  return date - (date % SECOND);
}

/** The last scheduled time that is not after `now`. */
function latest(schedule: Schedule, first: number, now: number): number {
  if (schedule.eachBlock) return wholeSecond(now);
  let date = first;
  if (schedule.everyMs !== null) {
    return date + Math.floor((now - date) / schedule.everyMs) * schedule.everyMs;
  }
  for (let next = schedule.next(date); next <= now; next = schedule.next(date)) date = next;
  return date;
}

/**
 * The rules that have not been evaluated for three of their intervals, at `now`; `since` is when the
 * daemon began to run them, and what is new or edited since counts from when it was read. A round that is
 * not committed is none.
 */
export function lateRules(
  { rules, edited, openedAt }: Pick<Memory, "rules" | "edited" | "openedAt">,
  now: number,
  since: number,
): readonly RuleMemory[] {
  // What is dated later was before the clock was set back, and says nothing.
  const past = (date: number | null): number => (date === null || date > now ? since : date);
  return rules.filter(({ rule, state, fresh }) => {
    const begun = fresh || edited.has(rule.name) ? past(openedAt) : since;
    return now > rule.schedule.third(Math.max(since, begun, past(state.lastRound)));
  });
}
