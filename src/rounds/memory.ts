import { Decimal } from "../base/decimal.ts";
import { acrossSubject, common } from "../engine/across.ts";
import { BucketSeries } from "../engine/buckets.ts";
import type { Progress } from "../engine/lag.ts";
import { changesOf, comparisonsOf } from "../engine/terms.ts";
import {
  type Series,
  valueFromText,
  type WatchedAlert,
  type WatchedRule,
  type WatchedSubject,
} from "../engine/watched.ts";
import { StateWindow, type WindowNeed } from "../engine/window.ts";
import {
  type Alert,
  type Ask,
  type ChangeComparison,
  type Comparison,
  type Quantity,
  RECORDS,
  type Rule,
  type RuleState,
  type Run,
  type SeriesName,
  type Subject,
  type Value,
} from "../model.ts";
import type { Loaded } from "../store/store.ts";
import type { WatchKind } from "../watches/watch.ts";

/** The rule name of the daemon's own alerts; users' rules cannot have it. */
export const SOURCE_RULE = "tickwatch:source";

/**
 * What the rounds keep in memory: every watched subject with its series and alerts. It follows
 * the store, never leads it: nothing in here moves before a commit has succeeded.
 */
export interface Memory {
  readonly subjects: ReadonlyMap<string, SubjectMemory>;
  readonly rules: readonly RuleMemory[];
  /** Series that the store does not know yet. */
  readonly newSeries: readonly SeriesName[];
  /** Alerts of rules or subjects that are no longer watched. */
  readonly gone: readonly Alert[];
  /** The sources as alerts of the daemon's own, by the record they answer. */
  readonly sources: Map<Ask["record"], Alert>;
  readonly goneRules: readonly string[];
}

export class SubjectMemory implements WatchedSubject {
  readonly key: string;
  readonly kind: WatchKind;
  /** For asking; the names that rules give it are with the alerts. */
  readonly subject: Subject;
  readonly series: SeriesMemory[] = [];
  readonly alerts: AlertMemory[] = [];
  /** What an earlier answer showed to be needed besides: asked at once from then on. */
  followed: readonly Ask[] = [];
  /** How far its records had come; known from the first answer after a start on. */
  progress: Progress | null = null;

  constructor(subject: Subject, kind: WatchKind) {
    this.key = subject.key;
    this.kind = kind;
    this.subject = subject;
  }
}

export class SeriesMemory implements Series {
  readonly id: number;
  readonly metric: string;
  readonly quantity: Quantity;
  newest: { first: number; last: number; value: Value | null } | null = null;
  buckets: BucketSeries | null = null;
  readonly windows: StateWindow[] = [];
  readonly #owner: SubjectMemory;

  constructor(id: number, metric: string, quantity: Quantity, owner: SubjectMemory) {
    this.id = id;
    this.metric = metric;
    this.quantity = quantity;
    this.#owner = owner;
  }

  third(last: number): number {
    let end = Number.POSITIVE_INFINITY;
    for (const { watched } of this.#owner.alerts) {
      end = Math.min(end, watched.rule.schedule.third(last));
    }
    return end;
  }

  /** Takes a committed sample. */
  observe(run: Run, value: Value | null): void {
    const { newest } = this;
    if (newest !== null && newest.first === run.first) newest.last = run.last;
    else this.newest = { first: run.first, last: run.last, value };
    for (const window of this.windows) {
      window.observe(run.last, value instanceof Decimal ? value : null);
    }
  }
}

export class AlertMemory implements WatchedAlert {
  readonly watched: RuleMemory;
  readonly owner: SubjectMemory;
  readonly subject: Subject;
  readonly windows: ReadonlyMap<ChangeComparison, StateWindow>;
  readonly decimals: number | null;
  alert: Alert | null;
  /** The record whose request failed in its last round, and why. */
  unanswered: { readonly record: Ask["record"]; readonly detail: string | null } | null = null;

  constructor(
    watched: RuleMemory,
    owner: SubjectMemory,
    subject: Subject,
    windows: ReadonlyMap<ChangeComparison, StateWindow>,
    alert: Alert | null,
  ) {
    this.watched = watched;
    this.owner = owner;
    this.subject = subject;
    this.windows = windows;
    this.decimals = decimalsOf(watched.rule, subject);
    this.alert = alert;
  }
}

export class RuleMemory implements WatchedRule {
  readonly rule: Rule;
  readonly kind: WatchKind;
  readonly lastMetrics: readonly string[];
  readonly alerts: AlertMemory[] = [];
  /** Whom to ask for a rule with `across`; its alert is on all of them together. */
  readonly members: SubjectMemory[] = [];
  state: RuleState;
  /** A poll of it is still running: it is not polled again. */
  running = false;

  constructor(rule: Rule, kind: WatchKind, state: RuleState) {
    this.rule = rule;
    this.kind = kind;
    this.state = state;
    this.lastMetrics = [
      ...new Set(
        comparisonsIn(rule)
          .filter(looksAtLast)
          .map(({ metric }) => metric),
      ),
    ];
  }
}

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
      return owner;
    };
    if (rule.across !== null) memory.members.push(...rule.subjects.map(known));
    for (const subject of alertSubjects(rule)) {
      const key = alertKey(rule.name, subject.key);
      const stored = alerts.get(key) ?? null;
      alerts.delete(key);
      watch(memory, known(subject), subject, stored === null ? null : begun(stored, state), series);
    }
    return memory;
  });
  return {
    subjects,
    rules: memories,
    newSeries: series.fresh,
    gone: [...alerts.values()],
    sources,
    goneRules: [...states.keys()],
  };
}

/** What a rule has an alert on: each of its subjects, or all of them together. */
function alertSubjects(rule: Rule): readonly Subject[] {
  return rule.across === null
    ? rule.subjects
    : [acrossSubject(rule.kind, rule.across, rule.subjects)];
}

function decimalsOf(rule: Rule, subject: Subject): number | null {
  if (rule.across === null) return rule.decimals.get(subject.key) ?? null;
  return common(rule.subjects.map(({ key }) => rule.decimals.get(key) ?? null));
}

/** An alert that was there when its rule told that it watches has started. */
function begun(alert: Alert, state: RuleState): Alert {
  const started = alert.started || (state.startedAt !== null && alert.createdAt <= state.startedAt);
  return started === alert.started ? alert : { ...alert, started };
}

function watch(
  memory: RuleMemory,
  owner: SubjectMemory,
  subject: Subject,
  alert: Alert | null,
  ids: SeriesIds,
): void {
  const { rule, kind } = memory;
  for (const { metric } of comparisonsIn(rule)) {
    if (owner.series.some((series) => series.metric === metric)) continue;
    const known = kind.metrics.get(metric);
    // The rule was checked against the same table when it was loaded.
    if (known === undefined) throw new Error(`${rule.name}: ${kind.kind} has no metric ${metric}`);
    owner.series.push(ids.series(owner, metric, known.quantity));
  }
  const windows = new Map<ChangeComparison, StateWindow>();
  for (const change of changesOf(rule)) {
    const need = windowNeed(change);
    if (need === null || kind.bucketMs !== null) continue;
    const window = new StateWindow(need.kind, need.ms, (date) => rule.schedule.third(date));
    windows.set(change, window);
    owner.series.find((series) => series.metric === change.metric)?.windows.push(window);
  }
  const watched = new AlertMemory(memory, owner, subject, windows, alert);
  memory.alerts.push(watched);
  owner.alerts.push(watched);
}

function comparisonsIn(rule: Rule): readonly Comparison[] {
  const resolve = rule.resolveWhen === null ? [] : comparisonsOf(rule.resolveWhen);
  return [...comparisonsOf(rule.when), ...resolve];
}

/** Whether a comparison needs the values that the alert saw last. */
function looksAtLast(comparison: Comparison): boolean {
  if ("span" in comparison) return comparison.span.kind === "since_last";
  return comparison.op === "changes" || comparison.op === "crosses";
}

/** What a comparison has to remember of the past; null: nothing, or the alert does it itself. */
function windowNeed(change: ChangeComparison): { kind: WindowNeed; ms: number } | null {
  const { span, op } = change;
  if (span.kind === "since_last") return null;
  if (span.kind === "since") return { kind: "trail", ms: span.ms };
  const kind = op === "rises" ? "lowest" : op === "falls" ? "highest" : "both";
  return { kind, ms: span.ms };
}

export function isRecord(text: string): text is Ask["record"] {
  return (RECORDS as readonly string[]).includes(text);
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
