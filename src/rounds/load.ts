import { acrossSubject } from "../engine/across.ts";
import { BucketSeries } from "../engine/buckets.ts";
import { changesOf, comparisonsOfRule } from "../engine/terms.ts";
import { valueFromText } from "../engine/watched.ts";
import { StateWindow, type WindowNeed } from "../engine/window.ts";
import type {
  Alert,
  Ask,
  ChangeComparison,
  Quantity,
  Rule,
  RuleState,
  Run,
  SeriesName,
  Subject,
} from "../model.ts";
import type { Loaded } from "../store/store.ts";
import type { WatchKind } from "../watches/watch.ts";
import { progressFromText } from "./marks.ts";
import {
  AlertMemory,
  isRecord,
  type Memory,
  RuleMemory,
  SeriesMemory,
  SOURCE_RULE,
  SubjectMemory,
} from "./memory.ts";

/** Builds the memory of a setup's rules from what the store has kept. Pure. */
export function createMemory(
  rules: readonly Rule[],
  kinds: ReadonlyMap<string, WatchKind>,
  versionOf: (rule: Rule) => string,
  loaded: Loaded,
): Memory {
  const states = new Map(loaded.rules.map((state) => [state.name, state]));
  const sources = new Map<Ask["record"], Alert>();
  const alerts = new Map<string, Alert>();
  for (const alert of loaded.alerts) {
    if (alert.rule !== SOURCE_RULE) alerts.set(alertKey(alert.rule, alert.subject), alert);
    else if (isRecord(alert.subject)) sources.set(alert.subject, alert);
  }
  const series = new SeriesIds(loaded);
  const gone: Alert[] = [];
  const cleared: Alert[] = [];
  const subjects = new Map<string, SubjectMemory>();
  const memories = rules.map((rule) => {
    const kind = kinds.get(rule.kind);
    if (kind === undefined) throw new Error(`no watch kind ${rule.kind}`);
    const old = states.get(rule.name);
    states.delete(rule.name);
    const state = {
      name: rule.name,
      version: versionOf(rule),
      startedAt: old?.startedAt ?? null,
      lastRound: old?.lastRound ?? null,
    };
    const memory = new RuleMemory(rule, kind, state);
    const known = (subject: Subject): SubjectMemory => {
      const owner = subjects.get(subject.key) ?? new SubjectMemory(subject, kind);
      subjects.set(subject.key, owner);
      owner.wantsFacts ||= kind.facts !== undefined && !rule.decimals.has(subject.key);
      owner.cursor = loaded.cursors.get(subject.key) ?? null;
      owner.progress ??= progressFromText(loaded.marks.get(subject.key));
      return owner;
    };
    if (rule.across !== null) for (const one of rule.subjects) memory.members.push(known(one));
    for (const subject of alertSubjects(rule)) {
      const key = alertKey(rule.name, subject.key);
      const stored = alerts.get(key) ?? null;
      alerts.delete(key);
      let alert = stored === null ? null : begun(stored, state);
      if (rule.event && alert !== null && alert.state !== "ok") {
        gone.push(alert);
        alert = clear(alert);
        cleared.push(alert);
      }
      watch(memory, known(subject), subject, alert, series);
    }
    return memory;
  });
  return {
    subjects,
    rules: memories,
    newSeries: series.fresh,
    gone: [...gone, ...alerts.values()],
    cleared,
    sources,
    goneRules: [...states.keys()],
    facts: new Map(),
  };
}

/** What a rule has an alert on: each of its subjects, or all of them together. */
function alertSubjects(rule: Rule): readonly Subject[] {
  return rule.across === null
    ? rule.subjects
    : [acrossSubject(rule.kind, rule.across, rule.subjects)];
}

/** An alert that was there when its rule told that it watches has started. */
function begun(alert: Alert, state: RuleState): Alert {
  const started = alert.started || (state.startedAt !== null && alert.createdAt <= state.startedAt);
  return started === alert.started ? alert : { ...alert, started };
}

/** What fired is no longer watched; the event that is watched now has nothing that could end. */
function clear(alert: Alert): Alert {
  const told = { state: "ok", value: null, channels: [] } as const;
  return { ...alert, state: "ok", heldAt: null, firedAt: null, firedBucket: null, told };
}

/** One for all alerts that look at no past. */
const NO_WINDOWS: ReadonlyMap<ChangeComparison, StateWindow> = new Map();

function watch(
  memory: RuleMemory,
  owner: SubjectMemory,
  subject: Subject,
  alert: Alert | null,
  ids: SeriesIds,
): void {
  const { rule, kind } = memory;
  for (const { metric } of comparisonsOfRule(rule)) {
    if (owner.series.some((series) => series.metric === metric)) continue;
    const known = kind.metrics.get(metric);
    // The rule was checked against the same table when it was loaded.
    if (known === undefined) throw new Error(`${rule.name}: ${kind.kind} has no metric ${metric}`);
    owner.series = owner.series.concat(ids.series(owner, metric, known.quantity));
  }
  const windows = new Map<ChangeComparison, StateWindow>();
  for (const change of changesOf(rule)) {
    const need = windowNeed(change);
    if (need === null || kind.bucketMs !== null) continue;
    const window = new StateWindow(need.kind, need.ms, (date) => rule.schedule.third(date));
    windows.set(change, window);
    owner.series.find((series) => series.metric === change.metric)?.windows.push(window);
  }
  const kept = windows.size === 0 ? NO_WINDOWS : windows;
  const watched = new AlertMemory(memory, owner, subject, kept, alert);
  memory.alerts.push(watched);
  owner.alerts = owner.alerts.concat(watched);
}

/** What a comparison has to remember of the past; null: nothing, or the alert does it itself. */
function windowNeed(change: ChangeComparison): { kind: WindowNeed; ms: number } | null {
  const { span, op } = change;
  if (span.kind === "since_last") return null;
  if (span.kind === "since") return { kind: "trail", ms: span.ms };
  const kind = op === "rises" ? "lowest" : op === "falls" ? "highest" : "both";
  return { kind, ms: span.ms };
}

function alertKey(rule: string, subject: string): string {
  return `${rule}\n${subject}`;
}

/** Gives every (subject, metric) the integer that the store has for it, or a new one. */
class SeriesIds {
  readonly fresh: SeriesName[] = [];
  readonly #known: Map<string, number>;
  readonly #newest: ReadonlyMap<number, Run>;
  #next: number;

  constructor(loaded: Loaded) {
    this.#known = new Map(loaded.series.map((s) => [`${s.subject}\n${s.metric}`, s.id]));
    this.#newest = loaded.newest;
    this.#next = loaded.series.reduce((most, { id }) => Math.max(most, id), 0) + 1;
  }

  series(owner: SubjectMemory, metric: string, quantity: Quantity): SeriesMemory {
    const key = `${owner.key}\n${metric}`;
    let id = this.#known.get(key);
    if (id === undefined) {
      id = this.#next;
      this.#next += 1;
      this.#known.set(key, id);
      this.fresh.push({ id, subject: owner.key, metric });
    }
    const series = new SeriesMemory(id, metric, quantity, owner);
    const { bucketMs } = owner.kind;
    if (bucketMs !== null) series.buckets = BucketSeries.empty(bucketMs);
    else {
      const run = this.#newest.get(id);
      if (run !== undefined) {
        series.newest = { ...run, value: valueFromText(run.value, quantity) };
      }
    }
    return series;
  }
}
