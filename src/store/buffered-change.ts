import { randomUUID } from "node:crypto";
import {
  type Alert,
  type Change,
  type ClosedRound,
  NO_CHANGE,
  type Notice,
  type RoundRecord,
  type RuleState,
  type Run,
  type SubjectFacts,
} from "../model/index.ts";
import { loadedAfter } from "./loaded-after.ts";
import type { Loaded, Store } from "./store.ts";

/** The runs of each series by `first`, oldest first. */
export type RunLists = Map<number, Run[]>;

/** Puts a run where it belongs, or in the place of one with the same `first`. True: there was none. */
export function putRun(lists: RunLists, { series, first, last, value }: Run): boolean {
  const run = { series, first, last, value };
  const all = lists.get(series);
  if (all === undefined) {
    lists.set(series, [run]);
    return true;
  }
  const before = all.findLastIndex((other) => other.first <= first);
  const replaced = all[before]?.first === first ? 1 : 0;
  all.splice(before + 1 - replaced, replaced, run);
  return replaced === 0;
}

/** What is dated later than `now` is dated `now`, and of several such runs the last one stays. */
export function rewoundRuns(all: readonly Run[], now: number): Run[] {
  const newest = all.at(-1);
  const kept = all
    .filter(({ first }) => first <= now)
    .map((run) => ({ ...run, last: Math.min(run.last, now) }));
  if (newest === undefined || newest.first <= now) return kept;
  if (kept.at(-1)?.first === now) kept.pop();
  return [...kept, { ...newest, first: now, last: now }];
}

/** Those that reach past `from` and, before them, the newest that ended earlier. */
export function runsFrom(all: readonly Run[], from: number): readonly Run[] {
  const before = all.findLastIndex((run) => run.last < from);
  return all.slice(Math.max(before, 0));
}

/** Beyond so many runs, some 50 MB, the samples of an outage are given up: alerts and notices never are. */
const MOST_RUNS = 250_000;
const MOST_ROUNDS = 10_000;
/** What became of alerts is for people who ask later: of more the older ones are given up. */
const MOST_ALERT_CHANGES = 50_000;

/** These series were rewound to `now`: see Store.rewind. */
interface Rewind {
  readonly series: ReadonlySet<number>;
  readonly now: number;
}

/** Changes that could not be written yet, merged into one: what was replaced meanwhile is kept once. */
export class BufferedChange {
  #runs: RunLists = new Map();
  #runCount = 0;
  #lostRuns = false;
  #touched = false;
  readonly #series: Change["series"][number][] = [];
  readonly #cursors = new Map<string, Change["cursors"][number]>();
  readonly #marks = new Map<string, Change["marks"][number]>();
  readonly #alerts = new Map<string, Alert>();
  #alertChanges: Change["alertChanges"][number][] = [];
  readonly #ruleChanges: Change["ruleChanges"][number][] = [];
  /** By subject and round; few come while a daemon runs. */
  readonly #facts = new Map<string, SubjectFacts>();
  readonly #removedAlerts = new Map<string, Change["removedAlerts"][number]>();
  /** By the list of rules; those that came last are last. */
  readonly #closed = new Map<string, ClosedRound>();
  readonly #rules = new Map<string, RuleState>();
  readonly #removedRules = new Set<string>();
  readonly #versions = new Map<string, Change["versions"][number]>();
  readonly #notices: Change["notices"][number][] = [];
  readonly #commands = new Set<number>();
  /** All are carried out in the same place: nobody goes elsewhere in an outage. */
  #commandsIn: Change["commandsIn"];
  /** By date: the record of a round grows with each group of rules that is over. */
  readonly #rounds = new Map<number, RoundRecord>();
  readonly #rewinds: Rewind[] = [];

  /** Samples were given up, since there were too many of them. */
  get lostRuns(): boolean {
    return this.#lostRuns;
  }

  get isEmpty(): boolean {
    return !this.#touched;
  }

  add(change: Change): void {
    this.#touched = true;
    this.#series.push(...change.series);
    for (const run of change.runs) if (putRun(this.#runs, run)) this.#runCount += 1;
    for (const cursor of change.cursors) this.#cursors.set(cursor.subject, cursor);
    for (const mark of change.marks) this.#marks.set(mark.subject, mark);
    for (const one of change.removedAlerts) {
      this.#alerts.delete(keyOf(one));
      this.#removedAlerts.set(keyOf(one), one);
    }
    for (const alert of change.alerts) this.#alerts.set(keyOf(alert), alert);
    this.#alertChanges.push(...change.alertChanges);
    if (this.#alertChanges.length > MOST_ALERT_CHANGES) {
      this.#alertChanges = this.#alertChanges.slice(-MOST_ALERT_CHANGES / 2);
    }
    for (const name of change.removedRules) {
      this.#rules.delete(name);
      this.#removedRules.add(name);
    }
    for (const closed of change.closed) this.#close(closed);
    for (const rule of change.rules) this.#rules.set(rule.name, rule);
    for (const version of change.versions) this.#versions.set(version.version, version);
    for (const one of change.facts) this.#facts.set(`${one.subject}\n${one.at}`, one);
    this.#ruleChanges.push(...change.ruleChanges);
    this.#notices.push(...change.notices);
    for (const id of change.commands) this.#commands.add(id);
    this.#commandsIn = change.commandsIn ?? this.#commandsIn;
    if (change.round !== null) this.#rounds.set(change.round.date, change.round);
    const [oldest] = this.#rounds.keys();
    if (oldest !== undefined && this.#rounds.size > MOST_ROUNDS) this.#rounds.delete(oldest);
    if (this.#runCount > MOST_RUNS) {
      this.#runs = new Map();
      this.#runCount = 0;
      this.#lostRuns = true;
    }
  }

  /** Rules are put after rounds are closed, so those that were put before have to know of it. */
  #close(closed: ClosedRound): void {
    const key = JSON.stringify(closed.rules);
    this.#closed.delete(key);
    this.#closed.set(key, closed);
    for (const name of this.#rules.size === 0 ? [] : closed.rules) {
      const rule = this.#rules.get(name);
      if (rule !== undefined) this.#rules.set(name, { ...rule, lastRound: closed.date });
    }
  }

  /** As a store does it: here at once, and to be done in the store before the rest is committed. */
  rewind({ series, now }: Rewind): void {
    this.#touched = true;
    this.#rewinds.push({ series, now });
    for (const id of series) {
      const all = this.#runs.get(id);
      if (all === undefined) continue;
      const kept = rewoundRuns(all, now);
      this.#runCount += kept.length - all.length;
      this.#runs.set(id, kept);
    }
  }

  /** Does in their order what is to be rewound in the store, and takes away what is done. */
  async rewindStore(act: Store["rewind"]): Promise<void> {
    for (let one = this.#rewinds[0]; one !== undefined; one = this.#rewinds[0]) {
      await act([...one.series], one.now);
      // What is committed next is of later dates, and must stay as it is if this is tried again.
      this.#rewinds.shift();
    }
  }

  /** A window of the store with what is here. */
  window(
    stored: ReadonlyMap<number, readonly Run[]>,
    series: readonly number[],
    from: number,
  ): ReadonlyMap<number, readonly Run[]> {
    const found = new Map<number, readonly Run[]>();
    for (const id of series) {
      const lists: RunLists = new Map();
      for (const run of stored.get(id) ?? []) putRun(lists, run);
      for (const { now } of this.#rewinds.filter((one) => one.series.has(id))) {
        lists.set(id, rewoundRuns(lists.get(id) ?? [], now));
      }
      for (const run of this.#runs.get(id) ?? []) putRun(lists, run);
      const all = lists.get(id) ?? [];
      if (all.length > 0) found.set(id, runsFrom(all, from));
    }
    return found;
  }

  /** What is loaded of a store to which this is still to be written. */
  loaded(stored: Loaded): Loaded {
    const newest = new Map(stored.newest);
    for (const { series, now } of this.#rewinds) {
      for (const id of series) {
        const run = newest.get(id);
        const rewound = run === undefined ? undefined : rewoundRuns([run], now).at(-1);
        if (rewound !== undefined) newest.set(id, rewound);
      }
    }
    return loadedAfter({ ...stored, newest }, this.parts(MOST_RUNS));
  }

  /** What came after this. */
  append(later: BufferedChange): void {
    for (const one of later.#rewinds) this.rewind(one);
    for (const change of later.parts(MOST_RUNS)) this.add(change);
    this.#lostRuns ||= later.lostRuns;
  }

  /**
   * What is to be committed, in this order: samples in bounded parts, the rounds, and at last alerts and
   * notices, which belong together, in one. All but the last may be committed again. A change of the
   * store removes before it puts, so that what went and came again is there.
   */
  *parts(runsAtOnce: number): Generator<Change> {
    const runs = [...this.#runs.values()].flat();
    for (let from = 0; from < Math.max(runs.length, 1); from += runsAtOnce) {
      const series = from === 0 ? this.#series : [];
      yield { ...NO_CHANGE, series, runs: runs.slice(from, from + runsAtOnce) };
    }
    for (const round of this.#rounds.values()) yield { ...NO_CHANGE, round };
    yield {
      ...NO_CHANGE,
      cursors: [...this.#cursors.values()],
      marks: [...this.#marks.values()],
      alerts: [...this.#alerts.values()],
      alertChanges: this.#alertChanges,
      facts: [...this.#facts.values()],
      removedAlerts: [...this.#removedAlerts.values()],
      closed: [...this.#closed.values()],
      rules: [...this.#rules.values()],
      removedRules: [...this.#removedRules],
      versions: [...this.#versions.values()],
      ruleChanges: this.#ruleChanges,
      notices: this.#notices,
      commands: [...this.#commands],
      ...(this.#commandsIn === undefined ? {} : { commandsIn: this.#commandsIn }),
    };
  }
}

function keyOf({ rule, subject }: { readonly rule: string; readonly subject: string }): string {
  return JSON.stringify([rule, subject]);
}

/**
 * The notices under ids that nothing in the store has, delivered or not: after a clock that was set back an
 * id may come again, and both places must call it the same, or it is sent from both.
 */
export async function apart(store: Store, notices: readonly Notice[]): Promise<readonly Notice[]> {
  const taken = await store.taken(notices.map(({ id }) => id)).catch(() => new Set<string>());
  if (taken.size === 0) return notices;
  return notices.map((notice) =>
    taken.has(notice.id) ? { ...notice, id: `${notice.id}-${randomUUID().slice(0, 8)}` } : notice,
  );
}
