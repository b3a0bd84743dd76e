import type { Log } from "../base/log.ts";
import type { SubjectRound } from "../decide/context.ts";
import { decide, subjectRoundOf, verdictOf } from "../decide/decide.ts";
import { type Decided, decideAlert } from "../decide/decide-alert.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Latest } from "../decide/gates.ts";
import { unansweredOf } from "../decide/reference.ts";
import { type AlertRuntime, valueToText } from "../decide/runtime.ts";
import type { Verdict } from "../decide/verdict.ts";
import { type Alert, type AlertChange, type Change, NO_CHANGE, type Run } from "../model/index.ts";
import type { DecidedWork, Ready, Work } from "../poll/plan.ts";
import { isAlertChange } from "./alert-changes.ts";
import type { Committer } from "./committer.ts";
import { type AddressedNotice, noticesOf } from "./notices.ts";
import type { SourceChanges } from "./source-changes.ts";
import { cursorsOf, gapNotices, withCurrentStream, withSettledStream } from "./streams.ts";
import { factsOf, noteFacts } from "./subject-facts.ts";

/** A slice is closed at so many alerts, or so long (real time) after the first is ready. */
const SLICE_ALERTS = 1_000;
const SLICE_MS = 250;

/** What slices are decided and committed with. */
export interface SliceParts {
  readonly committer: Committer;
  readonly sourceChanges: SourceChanges;
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
        const changed = sourceChanges.begin(slice, this.date);
        const decided = decideSlice(slice, this.date, this.parts);
        const told = await noticesOf(eventsOf(decided), store, seriesIds(slice), this.parts);
        const notices = [...gapNotices(decided, this.date), ...told];
        return { decided, change: withChanged(changeOf(decided, notices, this.date), changed) };
      },
      ({ decided, change }) => {
        sourceChanges.end();
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

function eventsOf(decided: readonly DecidedWork[]): AlertEvent[] {
  const found: AlertEvent[] = [];
  for (const { decision } of decided) {
    for (const { events } of decision.alerts) for (const event of events) found.push(event);
  }
  return found;
}

function changeOf(
  decided: readonly DecidedWork[],
  notices: readonly AddressedNotice[],
  date: number,
): Change {
  const runs: Run[] = [];
  const alerts: Alert[] = [];
  const alertChanges: AlertChange[] = [];
  for (const { decision } of decided) {
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
  const facts = factsOf(decided, date);
  const cursors = cursorsOf(decided);
  return { ...NO_CHANGE, runs, facts, cursors, alerts, alertChanges, notices };
}

/** What begins anew comes first: its samples go on with it, and its alerts are decided after that. */
function withChanged(change: Change, changed: ReturnType<SourceChanges["begin"]>): Change {
  const { series, marks, alerts } = changed;
  if (marks.length + series.length === 0) return change;
  return { ...change, series, marks, alerts: [...alerts, ...change.alerts] };
}

/** Moves the memory on to what has been committed. */
function apply({ work, reading, references, decision }: DecidedWork): void {
  const { observed, buckets } = decision.round;
  for (const one of observed) work.subject.series[one.index]?.observe(one, one.read);
  for (let i = 0; i < buckets.length; i += 1) {
    const series = work.subject.series[i];
    if (series !== undefined) series.buckets = buckets[i] ?? null;
  }
  if (reading.stream) work.subject.cursor = reading.stream.cursor;
  for (let i = 0; i < work.due.length; i += 1) {
    const memory = work.due[i];
    const decided = decision.alerts[i];
    if (memory === undefined || decided === undefined) continue;
    memory.alert = decided.alert;
    // Entries that tell enough by themselves leave nothing open.
    memory.unanswered =
      decided.entries?.unknown === false ? null : unansweredOf(reading, memory.watched, references);
  }
}

type Parts = Pick<SliceParts, "log">;

function logUndecided({ log }: Parts, { subject }: Work, error: unknown): void {
  log.error({ subject: subject.key, err: error }, "a subject could not be decided");
}

/**
 * Decides the subjects of one slice, all on what was committed before it, and the alerts with gates
 * after their gates. What cannot be decided is left out and logged.
 */
function decideSlice(given: readonly Ready[], date: number, parts: Parts): DecidedWork[] {
  const slice = given.some(({ reading }) => reading.stream) ? given.map(withCurrentStream) : given;
  if (slice.some(({ work }) => work.due.some(({ gates }) => gates !== null))) {
    return decideInOrder(slice, date, parts);
  }
  const decided: DecidedWork[] = [];
  for (const { work, reading, references } of slice) {
    try {
      const decision = decide(work.subject, work.due, reading, date, references);
      decided.push(withSettledStream({ work, reading, references, decision }));
    } catch (error) {
      logUndecided(parts, work, error);
    }
  }
  return decided;
}

/** A subject that has been read and is not decided yet. */
interface Open {
  readonly ready: Ready;
  readonly round: SubjectRound;
  readonly decided: Map<AlertRuntime, Decided>;
  broken: boolean;
}

/** Several subjects may be gates for each other, so the alerts of all are decided by their rank. */
function decideInOrder(slice: readonly Ready[], date: number, parts: Parts): DecidedWork[] {
  const open: Open[] = [];
  const queue: { readonly rank: number; readonly verdict: Verdict; readonly of: Open }[] = [];
  for (const ready of slice) {
    const { work, reading, references } = ready;
    try {
      const round = subjectRoundOf(work.subject, reading, date, references);
      const verdicts = work.due.map((alert) => verdictOf(alert, round));
      const one: Open = { ready, round, decided: new Map(), broken: false };
      open.push(one);
      for (const [i, verdict] of verdicts.entries()) {
        queue.push({ rank: work.due[i]?.watched.rank ?? 0, verdict, of: one });
      }
    } catch (error) {
      logUndecided(parts, work, error);
    }
  }
  queue.sort((a, b) => a.rank - b.rank);
  const fresh = new Map<AlertRuntime, Alert>();
  const latest: Latest = (watched) => fresh.get(watched) ?? watched.alert;
  for (const { verdict, of } of queue) {
    if (of.broken) continue;
    try {
      const decided = decideAlert(verdict, latest);
      of.decided.set(verdict.context.watched, decided);
      fresh.set(verdict.context.watched, decided.alert);
    } catch (error) {
      of.broken = true;
      logUndecided(parts, of.ready.work, error);
    }
  }
  return open.flatMap(({ ready, round, decided, broken }) => {
    if (broken) return [];
    const alerts = ready.work.due.map((one) => decided.get(one)).filter((one) => one !== undefined);
    return [withSettledStream({ ...ready, decision: { round, alerts } })];
  });
}
