import { ByPair } from "../base/by-pair.ts";
import { atOnce, type Steps } from "../base/turns.ts";
import { acrossKind, acrossSubject } from "../decide/across.ts";
import { comparisonsOfRule, referencesOf } from "../decide/condition-tree.ts";
import { edited, measuredAnew } from "../decide/notification-state.ts";
import { BucketSeries } from "../decide/windows/buckets.ts";
import type { WatchKind } from "../kinds/kind.ts";
import {
  type Alert,
  NOTHING_TOLD,
  type Quantity,
  type Reference,
  type Rule,
  type RuleState,
  type Run,
  type SeriesName,
  SOURCE_RULE,
  type Subject,
} from "../model/index.ts";
import { backfillsFromText, backfillTexts, spansOf } from "../poll/backfill-state.ts";
import type { Share } from "../poll/division.ts";
import {
  AlertMemory,
  type Memory,
  type ReferenceMemory,
  RuleMemory,
  SubjectMemory,
  withOne,
} from "../poll/memory.ts";
import { Outages, scopeFromKey } from "../poll/outages.ts";
import { SeriesMemory } from "../poll/series-memory.ts";
import { linkGates, nameless, unnamed, windowsFor } from "../poll/windows.ts";
import type { Loaded } from "../store/store.ts";
import type { Generations } from "./generations.ts";
import { movedTo } from "./source-changes.ts";
import { watermarkFromText } from "./watermark.ts";

/** Builds the memory of a setup's rules from what the store has kept. Pure. */
export function createMemory(...given: Parameters<typeof memorySteps>): Memory {
  return atOnce(memorySteps(...given));
}

/** The same in steps: of many subjects it takes long, and nothing that is given may change meanwhile. */
export function* memorySteps(
  rules: readonly Rule[],
  kinds: ReadonlyMap<string, WatchKind>,
  versionOf: (rule: Rule) => string,
  loaded: Loaded,
  generations: Generations | null = null,
  now = 0,
  share: Share | null = null,
): Steps<Memory> {
  const states = new Map(loaded.rules.map((state) => [state.name, state]));
  const sources = new Map<string, Alert>();
  const alerts = new ByPair<Alert>();
  const together = new Map<string, Alert>();
  for (const alert of loaded.alerts) {
    if (alert.rule !== SOURCE_RULE) alerts.set(alert.rule, alert.subject, alert);
    else if (scopeFromKey(alert.subject) !== null) sources.set(alert.subject, alert);
    if (acrossKind(alert.subject) !== null) together.set(alert.rule, alert);
  }
  const series = new SeriesIds(loaded);
  const backfills = backfillTexts(loaded.marks);
  const untold = editedFromText(loaded.marks.get(EDITED_MARK));
  const edits = new Set<string>();
  const removedAlerts: Alert[] = [];
  const moved: Alert[] = [];
  const cleared: Alert[] = [];
  /** What the store has of it; of a rule over several subjects also what it had on another set. */
  const take = (rule: Rule, subject: Subject): Alert | null => {
    const stored = alerts.take(rule.name, subject.key);
    if (stored !== undefined || rule.across === null) return stored ?? null;
    const before = together.get(rule.name);
    const next = before === undefined ? null : movedTo(before, subject, rule);
    if (before === undefined || next === null) return null;
    alerts.take(rule.name, before.subject);
    moved.push(before);
    return next;
  };
  const subjects = new Map<string, SubjectMemory>();
  /** `members`: what it is made of; null: it is one subject. */
  const known = (
    subject: Subject,
    kind: WatchKind,
    decimals: boolean,
    metrics: ReadonlySet<string>,
    members: readonly SubjectMemory[] | null = null,
  ): SubjectMemory => {
    let owner = subjects.get(subject.key);
    if (owner === undefined) {
      owner = new SubjectMemory(nameless(subject), kind);
      owner.isCopy =
        share !== null && members === null && !share.division.holds(subject.key, share.slots);
      subjects.set(subject.key, owner);
      if (members === null) generations?.begin(owner, now);
      else generations?.beginTogether(owner, members);
      owner.cursor = loaded.cursors.get(owner.storeKey) ?? null;
      owner.watermark = watermarkFromText(loaded.marks.get(owner.storeKey));
      owner.backfills = backfillsFromText(backfills.get(owner.storeKey));
    }
    owner.wantsFacts ||= kind.facts !== undefined && !decimals;
    const extras = kind.extras?.(subject, metrics) ?? [];
    const fresh = extras.filter(({ key }) => owner.extras.every((ask) => ask.key !== key));
    if (fresh.length > 0) owner.extras = owner.extras.concat(fresh);
    return owner;
  };
  const memories: RuleMemory[] = [];
  for (const rule of rules) {
    const kind = kindOf(rule.kind, kinds);
    const old = states.get(rule.name);
    states.delete(rule.name);
    const state = {
      name: rule.name,
      version: versionOf(rule),
      startedAt: old?.startedAt ?? null,
      lastRound: old?.lastRound ?? null,
    };
    const memory = new RuleMemory(rule, kind, state);
    const looksAt = metricsOf(rule);
    const own = (subject: Subject, members?: readonly SubjectMemory[]): SubjectMemory =>
      known(subject, kind, rule.decimals.has(subject.key), looksAt, members);
    if (rule.across !== null) for (const one of rule.subjects) memory.members.push(own(one));
    addTo(memory.members, memory);
    const isEdited = old !== undefined && old.version !== state.version;
    if (state.startedAt !== null && (isEdited || untold.has(rule.name))) edits.add(rule.name);
    const references = new Map<Reference, ReferenceMemory>();
    for (const reference of referencesOf(rule)) {
      const { subject, across } = reference;
      const other = kindOf(reference.kind, kinds);
      const compared = new Set([reference.metric]);
      const ask = (one: Subject): SubjectMemory =>
        known(one, other, reference.decimals !== null, compared);
      const parts = across === null ? null : across.members.map(ask);
      const owner = known(subject, other, reference.decimals !== null, compared, parts);
      const members = parts ?? [owner];
      if (across === null) owner.comparedBy = owner.comparedBy.concat(memory);
      else addTo(members, memory);
      const kept = across === null ? seriesOf(owner, reference.metric, series) : null;
      references.set(reference, { reference, kind: other, owner, members, series: kept });
    }
    if (references.size > 0) memory.references = references;
    for (const subject of alertSubjects(rule)) {
      const owner = rule.across === null ? own(subject) : own(subject, memory.members);
      const stored = take(rule, subject);
      let alert = stored === null ? null : begun(stored, state);
      if (alert !== null) {
        // Whoever had its slot before has done it, and nobody has written down yet that all have.
        const isDone = share?.current.has(share.division.slotOf(rule.name, subject.key)) === true;
        const kept = isEdited && !isDone ? edited(alert) : alert;
        const parts = rule.across === null ? [owner] : memory.members;
        const isElsewhere =
          !isDone && parts.some((part) => generations?.hasMoved(part, now) === true);
        const next = isElsewhere ? measuredAnew(kept, rule) : kept;
        if (next !== alert || moved.at(-1)?.rule === rule.name) cleared.push(next);
        alert = isEdited && !isDone ? unnamed(next, subject) : next;
      }
      if (rule.event && alert !== null && (alert.state !== "ok" || isBelieved(alert))) {
        removedAlerts.push(alert);
        alert = clear(alert);
        cleared.push(alert);
      }
      watch(memory, owner, subject, alert, series);
      yield;
    }
    memories.push(memory);
  }
  linkGates(memories);
  return {
    subjects,
    rules: memories,
    watched: countWatched(subjects.values(), memories),
    newSeries: series.fresh,
    removedAlerts: [...removedAlerts, ...alerts.values()],
    moved,
    cleared,
    sources,
    outages: new Outages(),
    removedRules: [...states.keys()],
    edited: edits,
    editedAnew: untold.size !== edits.size || [...edits].some((name) => !untold.has(name)),
    facts: new Map(),
    openedAt: now,
    nextSeries: () => series.next(),
  };
}

/** Subjects with an alert of their own, and what sums are made of. */
function countWatched(subjects: Iterable<SubjectMemory>, rules: readonly RuleMemory[]): number {
  const parts = new Set(rules.flatMap(({ members }) => members));
  let count = 0;
  for (const one of subjects) {
    const isOwn = one.alerts.some(({ watched: { rule } }) => rule.across === null);
    if (!one.isCopy && (isOwn || parts.has(one))) count += 1;
  }
  return count;
}

/** The metrics that a rule looks at, in its conditions or in its own words. */
function metricsOf({ metrics, title, note }: Rule): ReadonlySet<string> {
  const words = `${title ?? ""} ${note ?? ""}`.match(/[a-z]\w*/g) ?? [];
  return new Set([...metrics, ...words]);
}

/** What a rule has an alert on: each of its subjects, or all of them together. */
function alertSubjects(rule: Rule): readonly Subject[] {
  // Owners may hold nothing, of which there is no sum.
  if (rule.subjects.length === 0) return [];
  return rule.across === null
    ? rule.subjects
    : [acrossSubject(rule.kind, rule.across, rule.subjects)];
}

/**
 * An alert of a rule that was told of has started if it had a value: builds before this did not write
 * down for each that it had.
 */
function begun(alert: Alert, { startedAt }: RuleState): Alert {
  const there = startedAt !== null && alert.createdAt <= startedAt;
  const started = alert.started || (there && alert.missing === null);
  return started === alert.started ? alert : { ...alert, started };
}

/** People believe that it fires. */
function isBelieved({ lastNotified }: Alert): boolean {
  return lastNotified.state === "firing";
}

/** What fired is no longer watched; the event that is watched now has nothing that could end. */
function clear(alert: Alert): Alert {
  return {
    ...alert,
    state: "ok",
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    lastNotified: NOTHING_TOLD,
    life: null,
  };
}

function kindOf(name: string, kinds: ReadonlyMap<string, WatchKind>): WatchKind {
  const kind = kinds.get(name);
  if (kind === undefined) throw new Error(`no watch kind ${name}`);
  return kind;
}

function addTo(members: readonly SubjectMemory[], rule: RuleMemory): void {
  for (const member of members) member.addedBy = member.addedBy.concat(rule);
}

/** The series of a subject's metric, which is kept from now on. */
function seriesOf(owner: SubjectMemory, metric: string, ids: SeriesIds): SeriesMemory {
  const known = owner.series.find((series) => series.metric === metric);
  if (known !== undefined) return known;
  const spec = owner.kind.metrics.get(metric);
  // The rule was checked against the same table when it was loaded.
  if (spec === undefined) throw new Error(`${owner.kind.kind} has no metric ${metric}`);
  const series = ids.series(owner, metric, spec.quantity);
  owner.series = withOne(owner.series, series);
  return series;
}

/** The metric that is kept beside those of a position's range, for who asks how it came to this. */
const PRICE_OF_RANGE = "current_tick";

function watch(
  memory: RuleMemory,
  owner: SubjectMemory,
  subject: Subject,
  alert: Alert | null,
  ids: SeriesIds,
): void {
  const { rule, kind } = memory;
  for (const { metric } of comparisonsOfRule(rule)) {
    const spec = kind.metrics.get(metric);
    // Entries are told of once and have no past.
    if (spec?.entry !== true) seriesOf(owner, metric, ids);
    // Whether a position is in its range says little without where the price was.
    if (spec?.range === true && kind.metrics.has(PRICE_OF_RANGE)) {
      seriesOf(owner, PRICE_OF_RANGE, ids);
    }
  }
  const watched = new AlertMemory(memory, owner, subject, windowsFor(memory, owner), alert);
  memory.alerts.push(watched);
  owner.alerts = withOne(owner.alerts, watched);
}

/** Gives every (subject, metric) the integer that the store has for it, or a new one. */
class SeriesIds {
  readonly fresh: SeriesName[] = [];
  /** By metric and subject. */
  readonly #known = new ByPair<number>();
  readonly #newest: ReadonlyMap<number, Run>;
  #next: number;

  constructor(loaded: Loaded) {
    this.#newest = loaded.newest;
    let most = 0;
    for (const { id, subject, metric } of loaded.series) {
      this.#known.set(metric, subject, id);
      most = Math.max(most, id);
    }
    this.#next = loaded.nextSeries ?? most + 1;
  }

  next(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  series(owner: SubjectMemory, metric: string, quantity: Quantity): SeriesMemory {
    const known = this.#known.get(metric, owner.storeKey);
    const id = known ?? this.next();
    if (known === undefined) this.fresh.push({ id, subject: owner.storeKey, metric });
    const series = new SeriesMemory(id, metric, quantity, owner);
    series.backfilled = spansOf(owner.backfills ?? [], metric);
    const { bucketMs } = owner.kind;
    if (bucketMs !== null) series.buckets = BucketSeries.empty(bucketMs);
    else {
      const run = this.#newest.get(id);
      // A point of a history is no sample of ours that could go on.
      if (run !== undefined && series.pointUntil(run.last) === null) {
        series.begin(run);
      }
    }
    return series;
  }
}

/** Under which name the store keeps, among the marks, whose edit people were not told of yet. */
export const EDITED_MARK = "edited rules";

/** The names that were written down; anything else is as if there were none. */
function editedFromText(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set();
  const names: unknown = JSON.parse(text);
  return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
}
