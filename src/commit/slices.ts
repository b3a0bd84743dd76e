import { Decimal, valueToText } from "../base/decimal.ts";
import type { Log } from "../base/log.ts";
import { countsRaw } from "../base/quantity.ts";
import type { AlertEvent } from "../decide/event.ts";
import { notificationStateOf } from "../decide/notification-state.ts";
import {
  type AddressedNotice,
  type Alert,
  type AlertChange,
  type Change,
  NO_CHANGE,
  type Run,
  type SubjectFacts,
} from "../model/index.ts";
import { composeAlert, composePlain } from "../notices/notice.ts";
import type { DecidedWork, Ready } from "../poll/plan.ts";
import type { Store } from "../store/store.ts";
import type { Committer } from "./committer.ts";
import { apply, cursorsOf, decideSlice, eventsOf, gapNotices } from "./decide-slice.ts";
import type { SourceChanges } from "./source-changes.ts";

/** A slice is closed at so many alerts, or so long (real time) after the first is ready. */
const SLICE_ALERTS = 1_000;
const SLICE_MS = 250;

/** What slices are decided and committed with. */
export interface SliceParts {
  readonly committer: Committer;
  /** Null: each of what is watched has one family that could answer it. */
  readonly sourceChanges: SourceChanges | null;
  readonly log: Log;
  /** Before the memory moves on. */
  readonly onJudged: (decided: readonly DecidedWork[]) => void;
  readonly onDecided: (decided: readonly DecidedWork[]) => void;
}

/** Collects the subjects of one round as they become ready, and commits them in slices. */
export class Slices {
  readonly #turns: Promise<boolean>[] = [];
  #ready: Ready[] = [];
  #alerts = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly date: number,
    private readonly parts: SliceParts,
  ) {}

  add(ready: Ready): void {
    this.#ready.push(ready);
    this.#alerts += ready.work.due.length;
    if (this.#alerts >= SLICE_ALERTS) this.#close();
    else this.#timer ??= setTimeout(() => this.#close(), SLICE_MS);
  }

  /** Closes the last slice and waits for the end of all; true: every one is committed. */
  async finish(): Promise<boolean> {
    this.#close();
    return (await Promise.all(this.#turns)).every((isCommitted) => isCommitted);
  }

  #close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#ready.length === 0) return;
    const slice = this.#ready;
    this.#ready = [];
    this.#alerts = 0;
    const { committer, sourceChanges, onJudged, onDecided } = this.parts;
    // Should the commit fail, nothing of the slice has happened: the next round decides anew.
    const turn = committer.commit(
      async (store) => {
        const changed = sourceChanges?.begin(slice, this.date) ?? null;
        const decided = decideSlice(slice, this.date, this.parts);
        const seriesId = seriesIds(slice);
        const valuesBefore = (event: AlertEvent): Promise<string[]> =>
          recentValues(event, store, seriesId);
        const told = await noticesOf(eventsOf(decided), valuesBefore, this.parts);
        const notices = [...gapNotices(decided, this.date), ...told];
        return { decided, change: withChanged(changeOf(decided, notices, this.date), changed) };
      },
      ({ decided, change }) => {
        sourceChanges?.end();
        onJudged(decided);
        for (const one of decided) apply(one);
        if (change.facts.length > 0) noteFacts(decided, change.facts);
        onDecided(decided);
      },
    );
    this.#turns.push(turn);
  }
}

/** The series of a subject's metric, for the events that want to show where a value came from. */
function seriesIds(slice: readonly Ready[]): (subject: string, metric: string) => number | null {
  return (subject, metric) => {
    const owner = slice.find(({ work }) => work.subject.key === subject)?.work.subject;
    return owner?.series.find((series) => series.metric === metric)?.id ?? null;
  };
}

function changeOf(
  decided: readonly DecidedWork[],
  notices: readonly AddressedNotice[],
  date: number,
): Change {
  const runs: Run[] = [];
  const alerts: Alert[] = [];
  const alertChanges: AlertChange[] = [];
  const own = decided.filter(({ work }) => !work.subject.isCopy);
  for (const { decision } of own) {
    for (const run of decision.round.observed) runs.push(run);
    for (const run of decision.round.runs) runs.push(run);
    for (const { alert, changed, verdict } of decision.alerts) {
      if (!changed) continue;
      alerts.push(alert);
      if (!isAlertChange(verdict.context.watched.alert, alert)) continue;
      const value = valueToText(verdict.evidence()?.value ?? null);
      alertChanges.push({ at: date, value, alert });
    }
  }
  const facts = factsOf(own, date);
  const cursors = cursorsOf(own);
  return { ...NO_CHANGE, runs, facts, cursors, alerts, alertChanges, notices };
}

/** What begins anew comes first: its samples go on with it, and its alerts are decided after that. */
function withChanged(change: Change, changed: ReturnType<SourceChanges["begin"]> | null): Change {
  if (changed === null) return change;
  const { series, marks, alerts, notices } = changed;
  if (marks.length + series.length === 0) return change;
  return {
    ...change,
    series,
    marks,
    alerts: [...alerts, ...change.alerts],
    notices: [...notices, ...change.notices],
  };
}

/**
 * Whether an alert is to be told from what it was before a round: its state, what people were told of it or
 * what holds its notices back is another. Timers and counts that go on are none. An alert that begins as
 * nobody would expect otherwise is none either: there may be a hundred thousand of them.
 */
export function isAlertChange(before: Alert | null, after: Alert): boolean {
  const { state, firedAt, lastNotified, missing } = after;
  if (before === null) {
    return state !== "ok" || lastNotified.state !== "ok" || missing?.told === true;
  }
  if (state !== before.state || firedAt !== before.firedAt) return true;
  if (lastNotified.state !== before.lastNotified.state) return true;
  if ((missing?.told === true) !== (before.missing?.told === true)) return true;
  if (before.life === after.life) return false;
  const [old, now] = [notificationStateOf(before), notificationStateOf(after)];
  return (
    old.acked !== now.acked ||
    old.once !== now.once ||
    old.byMissing !== now.byMissing ||
    old.cooling !== now.cooling ||
    (old.firings?.on === null) !== (now.firings?.on === null) ||
    (old.gaps?.on === null) !== (now.gaps?.on === null)
  );
}

/** So many subjects of a slice are written about as new: a start with many goes on in its next rounds. */
const MOST_AT_ONCE = 200;

/**
 * What the samples of subjects do not say and whoever reads them later needs to know, once for each run of the
 * daemon, again when a position closes or opens, and as it is when something is told of an alert. Whoever
 * commits it calls `noteFacts` then.
 */
function factsOf(decided: readonly DecidedWork[], at: number): SubjectFacts[] {
  const facts: SubjectFacts[] = [];
  let fresh = 0;
  for (const one of decided) {
    const isTold = isDescribed(one) && one.decision.alerts.some(({ events }) => events.length > 0);
    if (!isTold && (fresh === MOST_AT_ONCE || !isNews(one))) continue;
    if (!isTold) fresh += 1;
    const its = factsIn(one, at);
    if (its !== null) facts.push(its);
  }
  return facts;
}

/** These facts of the works are in the store. */
function noteFacts(decided: readonly DecidedWork[], facts: readonly SubjectFacts[]): void {
  const written = new Set(facts.map(({ subject }) => subject));
  for (const { work, reading } of decided) {
    const { subject } = work;
    if (!written.has(subject.storeKey)) continue;
    // Decimals that are asked for apart may come with a later round, and so does a pool that was not answered.
    const lacks =
      reading.unanswered !== null ||
      (subject.wantsFacts &&
        subject.series.some(
          ({ metric, quantity }) => countsRaw(quantity) && reading.decimals(metric) === null,
        )) ||
      subject.series.some(({ metric }) => reading.rows[0]?.isUnseen?.(metric) === true);
    subject.notedClosed = lacks ? null : reading.closed;
  }
}

function isNews(work: DecidedWork): boolean {
  const { subject } = work.work;
  return subject.notedClosed !== work.reading.closed && isDescribed(work);
}

function isDescribed({ work: { subject }, reading }: DecidedWork): boolean {
  return reading.rows.length > 0 && subject.series.length > 0;
}

/** Null: the record cannot be described, which is no reason not to commit what was decided on it. */
function factsIn({ work: { subject }, reading }: DecidedWork, at: number): SubjectFacts | null {
  const decimals: Record<string, number> = {};
  const units: Record<string, string> = {};
  try {
    const description = reading.describe();
    const { label, link, range, rangeDecimals } = description;
    for (const { metric } of subject.series) {
      const its = reading.decimals(metric);
      if (its !== null) decimals[metric] = its;
      const follows = description.unit(metric);
      if (follows !== "") units[metric] = follows;
    }
    const { closed } = reading;
    const said = { label, link, range, ...(rangeDecimals === undefined ? {} : { rangeDecimals }) };
    return { subject: subject.storeKey, at, decimals, units, closed, ...said };
  } catch {
    return null;
  }
}

/** A sparkline shows so many values. */
const RECENT_VALUES = 24;

type SeriesId = (subject: string, metric: string) => number | null;

/** Where the values before an event are: a store, or what is read of the past. */
export type Before = Pick<Store, "window">;

/** Composes what the events have to tell, to those who must hear it. `valuesBefore`: exact, oldest first, for a picture. */
export async function noticesOf(
  events: readonly AlertEvent[],
  valuesBefore: (event: AlertEvent) => Promise<readonly string[]>,
  { log }: { readonly log: Log },
): Promise<AddressedNotice[]> {
  const notices: AddressedNotice[] = [];
  for (const event of events) {
    const channels = audience(event);
    if (channels.length === 0) continue;
    // One that cannot be composed must not keep itself or the others from coming.
    const notice = await valuesBefore(event)
      .catch((error: unknown) => {
        // The store is gone, and this is the first to ask it: what there is to tell is known without it.
        log.warn({ err: error }, "a notice is told without the values before it");
        return [];
      })
      .then((recent) => composeAlert(event, recent))
      .catch((error: unknown) => {
        log.error({ err: error }, "a notice could not be composed in full");
        return composePlain(event);
      });
    notices.push({ notice, channels });
  }
  return notices;
}

/** `resolved` goes to those who were told of the firing, everything else to the rule's channels. */
function audience(event: AlertEvent): readonly string[] {
  if (event.kind !== "resolved") return event.rule.notify;
  return event.rule.sendResolved ? event.before.lastNotified.channels : [];
}

async function recentValues(
  event: AlertEvent,
  store: Before,
  seriesId: SeriesId,
): Promise<string[]> {
  const { evidence } = event;
  if (evidence === null || !(evidence.value instanceof Decimal)) return [];
  const series = seriesId(event.subject.key, evidence.comparison.metric);
  if (series === null) return [];
  const end = event.bucket?.start ?? event.at;
  const span = shownSpan(event, end);
  const runs = (await store.window([series], end - span)).get(series) ?? [];
  const before = runs.filter(({ first }) => first < end);
  const values = sampleRuns(before, end - span, end, RECENT_VALUES - 1);
  values.push(valueToText(evidence.value) ?? "");
  return values.length < 2 ? [] : values;
}

/** The window of a change; otherwise so many intervals or buckets as a sparkline has places. */
function shownSpan({ evidence, bucket, rule }: AlertEvent, end: number): number {
  const comparison = evidence?.comparison;
  if (comparison !== undefined && "span" in comparison && comparison.span.kind !== "since_last") {
    return comparison.span.ms;
  }
  if (bucket !== null) return (RECENT_VALUES - 1) * bucket.ms;
  return ((RECENT_VALUES - 1) * (rule.schedule.third(end) - end)) / 3;
}

/** The values in force at `count` evenly spaced times of [from, to); unknown ones are left out. */
function sampleRuns(runs: readonly Run[], from: number, to: number, count: number): string[] {
  const values: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const time = from + ((to - from) * i) / count;
    const value = runs.findLast(({ first }) => first <= time)?.value ?? null;
    if (value !== null) values.push(value);
  }
  return values;
}
