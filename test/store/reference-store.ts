import type { Alert, Change, RoundRecord, RuleState, SeriesName } from "../../src/model/index.ts";
import { putRun, type RunLists, rewoundRuns, runsFrom } from "../../src/store/buffered-change.ts";
import type { Store } from "../../src/store/store.ts";
import { referenceOutbox } from "./reference-outbox.ts";

/** What a store does, written down a second time in plain maps: that on SQLite must answer the same. */
export function createReferenceStore(): Store {
  const series = new Map<number, SeriesName>();
  const seriesByName = new Map<string, number>();
  const runs: RunLists = new Map();
  const alerts = new Map<string, Alert>();
  const rules = new Map<string, RuleState>();
  const cursors = new Map<string, string>();
  const marks = new Map<string, string>();
  const rounds = new Map<number, RoundRecord>();
  const box = referenceOutbox();

  /** Throws before anything is changed. */
  function check(change: Change): void {
    const added = new Map<number, string>();
    const addedNames = new Map<string, number>();
    for (const name of change.series) {
      const key = keyOf(name.subject, name.metric);
      const known = series.get(name.id);
      const keyOfId = known ? keyOf(known.subject, known.metric) : added.get(name.id);
      const idOfKey = seriesByName.get(key) ?? addedNames.get(key);
      if ((keyOfId ?? key) !== key || (idOfKey ?? name.id) !== name.id) {
        throw new Error(`series ${name.id} has another name already, or its name another series`);
      }
      added.set(name.id, key);
      addedNames.set(key, name.id);
    }
    for (const run of change.runs) {
      if (!series.has(run.series) && !added.has(run.series)) {
        throw new Error(`series ${run.series} is not known`);
      }
    }
  }

  function apply(change: Change): void {
    check(change);
    for (const name of change.series) {
      series.set(name.id, name);
      seriesByName.set(keyOf(name.subject, name.metric), name.id);
    }
    for (const run of change.runs) putRun(runs, run);
    for (const { subject, value } of change.cursors) cursors.set(subject, value);
    for (const { subject, value } of change.marks) marks.set(subject, value);
    for (const { rule, subject } of change.removedAlerts) alerts.delete(keyOf(rule, subject));
    for (const alert of change.alerts) alerts.set(keyOf(alert.rule, alert.subject), alert);
    for (const name of change.removedRules) rules.delete(name);
    for (const { date, rules: names } of change.closed) {
      for (const name of names) {
        const rule = rules.get(name);
        if (rule !== undefined) rules.set(name, { ...rule, lastRound: date });
      }
    }
    for (const rule of change.rules) rules.set(rule.name, rule);
    box.put(change.notices);
    if (change.round !== null) rounds.set(change.round.date, change.round);
  }

  function pruneRuns(before: number): number {
    let deleted = 0;
    for (const [id, all] of runs) {
      const kept = all.filter((run, at) => run.last >= before || at === all.length - 1);
      deleted += all.length - kept.length;
      runs.set(id, kept);
    }
    return deleted;
  }

  function pruneRounds(before: number): number {
    let deleted = 0;
    for (const date of rounds.keys()) if (date < before && rounds.delete(date)) deleted++;
    return deleted;
  }

  return {
    load: async () => ({
      alerts: [...alerts.values()],
      rules: [...rules.values()],
      series: [...series.values()],
      newest: new Map([...runs].flatMap(([id, all]) => all.slice(-1).map((run) => [id, run]))),
      cursors: new Map(cursors),
      marks: new Map(marks),
    }),
    window: async (wanted, from) =>
      new Map(
        wanted.flatMap((id) => {
          const all = runs.get(id);
          return all === undefined ? [] : [[id, runsFrom(all, from)] as const];
        }),
      ),
    rewind: async (wanted, now) => {
      for (const id of wanted) {
        const all = runs.get(id);
        if (all !== undefined) runs.set(id, rewoundRuns(all, now));
      }
    },
    commit: async (change) => apply(change),
    claim: async (...asked) => box.claim(...asked),
    freeze: async (message) => box.freeze(message),
    settle: async (message, result) => box.settle(message, result),
    wake: async (channel) => box.wake(channel),
    hold: async (channel, notices, until) => box.hold(channel, notices, until),
    held: async (channel, now) => box.held(channel, now),
    release: async (channel, released) => box.release(channel, released),
    mark: async (subject) => marks.get(subject) ?? null,
    // Nobody stands beside it who could give commands.
    silences: async () => [],
    commands: async () => [],
    backlog: async () => box.backlog(),
    taken: async (ids) => box.taken(ids),
    owed: async () => box.owed(),
    prune: async (before) => pruneRuns(before) + box.prune(before) + pruneRounds(before),
    close: async () => undefined,
  };
}

function keyOf(one: string, other: string): string {
  return JSON.stringify([one, other]);
}
