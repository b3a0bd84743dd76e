import { YieldingLoop } from "../base/turns.ts";
import { UNKNOWN_WINDOW } from "../decide/evaluation-context.ts";
import type { StartedEvent, StartedState } from "../decide/event.ts";
import { isCompleted, isFiring } from "../decide/notification-state.ts";
import { type AddressedNotice, type Change, NO_CHANGE, type RuleState } from "../model/index.ts";
import { composeStarted } from "../notices/started.ts";
import { subjectName } from "../notices/wording.ts";
import type { AlertMemory, Memory, RuleMemory } from "../poll/memory.ts";
import type { DecidedWork } from "../poll/plan.ts";
import type { Committer } from "./committer.ts";
import { EDITED_MARK } from "./load.ts";

/** So many rules are noted as told in one transaction. */
const SLICE = 2_000;
/** So many names are handed over to be told; the others are counted. */
const MOST_NAMES = 200;

/**
 * The start of a run: which rules are looked at at once, and the one notice for each channel that says
 * what is watched from now on. What the first look finds to be true is no part of it: that fires.
 */
export class Start {
  /** Those whose condition was not known when they were seen last, for want of a past. */
  readonly #unknown = new Set<AlertMemory>();

  constructor(private readonly memory: Memory) {}

  /** The rules whose first look does not wait for their schedule. */
  due(now: number): readonly RuleMemory[] {
    return this.memory.rules.filter((rule) => isDue(rule, now));
  }

  /** Notes what is not known yet. */
  look({ work, decision }: DecidedWork): void {
    for (const [i, { truth }] of decision.alerts.entries()) {
      const alert = work.due[i];
      if (alert === undefined) continue;
      if (truth === UNKNOWN_WINDOW) this.#unknown.add(alert);
      else this.#unknown.delete(alert);
    }
  }

  /**
   * Tells what is new or edited since the last run, dated `date`; nothing if all is as it was. What could not
   * be committed is told by the next start. True: people know of it.
   */
  async tell(date: number, committer: Committer): Promise<boolean> {
    const { rules, edited } = this.memory;
    const fresh = rules.filter(({ state }) => state.startedAt === null);
    if (fresh.length > 0 || edited.size > 0) {
      const marks = edited.size > 0 ? [{ subject: EDITED_MARK, value: "[]" }] : [];
      const first = fresh.slice(0, SLICE);
      const isTold = await committer.commit(
        async () => {
          const notices = await this.#notices(date);
          return { change: { ...NO_CHANGE, notices, marks, rules: begun(first, date) } };
        },
        ({ change }) => take(change, first),
      );
      if (!isTold) return false;
    }
    for (let at = SLICE; at < fresh.length; at += SLICE) {
      const some = fresh.slice(at, at + SLICE);
      const isNoted = await committer.commit(
        () => ({ change: { ...NO_CHANGE, rules: begun(some, date) } }),
        ({ change }) => take(change, some),
      );
      if (!isNoted) break;
    }
    return true;
  }

  /** One notice for those channels that hear of the same rules. */
  async #notices(at: number): Promise<readonly AddressedNotice[]> {
    const { rules, edited } = this.memory;
    const turns = new YieldingLoop();
    const audiences = new Map<string, string[]>();
    const heard = new Map<string, RuleMemory[]>();
    for (const one of rules) {
      for (const channel of one.rule.notify) {
        const others = heard.get(channel);
        if (others === undefined) heard.set(channel, [one]);
        else others.push(one);
      }
    }
    for (const [channel, its] of heard) {
      if (!its.some((one) => isNew(one) || edited.has(one.rule.name))) continue;
      const key = its.map(({ rule }) => rule.name).join("\n");
      audiences.set(key, [...(audiences.get(key) ?? []), channel]);
    }
    const notices: AddressedNotice[] = [];
    for (const channels of audiences.values()) {
      const its = heard.get(channels[0] ?? "") ?? [];
      notices.push({ notice: composeStarted(await this.#event(its, at, turns)), channels });
    }
    return notices;
  }

  async #event(
    rules: readonly RuleMemory[],
    at: number,
    turns: YieldingLoop,
  ): Promise<StartedEvent> {
    const counts = { firing: 0, quiet: 0, unknown: 0, withoutData: 0, unasked: 0 };
    const withoutData = new Set<string>();
    const names: string[] = [];
    const subjects = new Set<string>();
    for (const one of rules) {
      const { rule, alerts } = one;
      for (const { key } of rule.subjects) subjects.add(key);
      const waits = one.isUnseen && this.memory.edited.has(rule.name);
      for (const its of alerts) {
        const state = this.#stateOf(its, waits);
        counts[state] += 1;
        if (state !== "withoutData" || withoutData.has(its.subject.key)) continue;
        withoutData.add(its.subject.key);
        if (names.length < MOST_NAMES) {
          names.push(subjectName(its.subject, null, its.alert?.label ?? null));
        }
      }
      if (turns.isDue) await turns.give();
    }
    const fresh = rules.filter(isNew);
    const changed = rules.filter((one) => !isNew(one) && this.memory.edited.has(one.rule.name));
    return {
      at,
      rules: rules.length,
      subjects: subjects.size,
      fresh: fresh.map(nameOf),
      changed: changed.map(nameOf),
      counts,
      withoutData: { subjects: withoutData.size, names },
      about: [...fresh, ...changed]
        .slice(0, MOST_NAMES)
        .map(({ rule: { name, labels } }) => ({ rule: name, labels })),
    };
  }

  /** `waits`: an edited rule waits for its time; that it was quiet says nothing of how it is now. */
  #stateOf(memory: AlertMemory, waits: boolean): StartedState {
    const { alert } = memory;
    if (alert === null) return "unasked";
    if (isCompleted(alert)) return "quiet";
    if (alert.missing !== null) return "withoutData";
    if (isFiring(alert.state)) return "firing";
    if (waits) return "unasked";
    return this.#unknown.has(memory) ? "unknown" : "quiet";
  }
}

/**
 * Whether a rule is looked at as soon as the daemon runs: its last round is an interval old, or of a cron
 * a scheduled time has passed since; or this very moment is its time.
 */
function isDue({ rule: { schedule }, state: { lastRound } }: RuleMemory, now: number): boolean {
  if (lastRound === null) return true;
  if (lastRound >= now) return false;
  const { everyMs } = schedule;
  const isOld = everyMs === null ? schedule.next(lastRound) <= now : now - lastRound >= everyMs;
  return isOld || schedule.next(now - 1) === now;
}

function isNew({ state }: RuleMemory): boolean {
  return state.startedAt === null;
}

function nameOf({ rule }: RuleMemory): string {
  return rule.name;
}

function begun(rules: readonly RuleMemory[], startedAt: number): RuleState[] {
  return rules.map(({ state }) => ({ ...state, startedAt }));
}

function take({ rules }: Pick<Change, "rules">, memories: readonly RuleMemory[]): void {
  for (const [i, state] of rules.entries()) {
    const memory = memories[i];
    if (memory !== undefined) memory.state = state;
  }
}
