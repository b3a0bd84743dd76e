import type { Log } from "../base/log.ts";
import type { SubjectRound } from "../decide/context.ts";
import { decide, subjectRoundOf, verdictOf } from "../decide/decide.ts";
import { type Decided, decideAlert } from "../decide/decide-alert.ts";
import { unansweredOf } from "../decide/evaluation-context.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Latest } from "../decide/notification-state.ts";
import type { AlertRuntime } from "../decide/runtime.ts";
import type { Verdict } from "../decide/verdict.ts";
import type { Description, Mark, Reading, Row, StreamReading } from "../kinds/kind.ts";
import type { AddressedNotice, Alert, Ask, Cursor } from "../model/index.ts";
import { composeGap } from "../notices/source-notice.ts";
import type { DecidedWork, Ready, Work } from "../poll/plan.ts";
import { UNREADABLE } from "../poll/poll.ts";

/**
 * How the subjects of one slice are decided, and how the memory moves on: all that the rounds of a daemon and
 * those of a replay have in common. Nothing is stored or sent here.
 */

/** Moves the memory on to what has been committed. */
export function apply({ work, reading, references, decision }: DecidedWork): void {
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
    memory.judged = decided.verdict.bucket?.rows.newest ?? memory.judged;
    memory.unanswered = unansweredOf(reading, memory.watched, references);
  }
}

interface Parts {
  readonly log: Log;
}

function logUndecided({ log }: Parts, { subject }: Work, error: unknown): void {
  log.error({ subject: subject.key, err: error }, "a subject could not be decided");
}

/** What cannot be decided has no value in this round, as if it could not be read: people hear of what lasts. */
function undecided({ work, references }: Ready, date: number, parts: Parts): DecidedWork[] {
  try {
    const decision = decide(work.subject, work.due, UNREADABLE, date, references);
    return [{ work, reading: UNREADABLE, references, decision }];
  } catch (error) {
    logUndecided(parts, work, error);
    return [];
  }
}

/**
 * Decides the subjects of one slice, all on what was committed before it, and the alerts with gates
 * after their gates. What cannot be decided is logged, and has no value.
 */
export function decideSlice(given: readonly Ready[], date: number, parts: Parts): DecidedWork[] {
  const slice = given.some(({ reading }) => reading.stream) ? given.map(withCurrentStream) : given;
  if (slice.some(({ work }) => work.due.some(({ gates }) => gates !== null))) {
    return decideInOrder(slice, date, parts);
  }
  const decided: DecidedWork[] = [];
  for (const ready of slice) {
    const { work, reading, references } = ready;
    try {
      const decision = decide(work.subject, work.due, reading, date, references);
      decided.push(withSettledStream({ work, reading, references, decision }));
    } catch (error) {
      logUndecided(parts, work, error);
      decided.push(...undecided(ready, date, parts));
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
  const lost: DecidedWork[] = [];
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
      lost.push(...undecided(ready, date, parts));
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
  const found = open.flatMap(({ ready, round, decided, broken }) => {
    if (broken) return undecided(ready, date, parts);
    const alerts = ready.work.due.map((one) => decided.get(one)).filter((one) => one !== undefined);
    return [withSettledStream({ ...ready, decision: { round, alerts } })];
  });
  return [...found, ...lost];
}

/** What the alerts of a slice have to tell, in their order. */
export function eventsOf(decided: readonly DecidedWork[]): AlertEvent[] {
  const found: AlertEvent[] = [];
  for (const { decision } of decided) {
    for (const { events } of decision.alerts) for (const event of events) found.push(event);
  }
  return found;
}

/** A reading with another stream than the one that was read. */
class RestreamedReading implements Reading {
  readonly rows: readonly Row[];
  readonly trouble: string | null;
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed: boolean;

  constructor(
    private readonly reading: Reading,
    readonly stream: StreamReading,
  ) {
    this.rows = reading.rows;
    this.trouble = reading.trouble;
    this.absent = reading.absent;
    this.unanswered = reading.unanswered;
    this.closed = reading.closed;
  }

  decimals(metric: string): number | null {
    return this.reading.decimals(metric);
  }

  marks(): readonly Mark[] {
    return this.reading.marks();
  }

  describe(): Description {
    return this.reading.describe();
  }
}

/**
 * Rounds may overlap: where another has moved the cursor on since this reading was made, its entries
 * are left to the next round, which begins at the new cursor.
 */
function withCurrentStream(ready: Ready): Ready {
  const { work, reading } = ready;
  const stream = reading.stream ?? null;
  const { cursor } = work.subject;
  if (stream === null || stream.from === cursor) return ready;
  const none = { entries: [], cursor: cursor ?? stream.cursor, from: cursor, gap: null };
  return { ...ready, reading: new RestreamedReading(reading, none) };
}

/** The cursors that have moved, to be committed with what was decided on their entries. */
export function cursorsOf(decided: readonly DecidedWork[]): Cursor[] {
  const cursors: Cursor[] = [];
  for (const { work, reading } of decided) {
    const stream = reading.stream ?? null;
    if (stream === null || stream.cursor === work.subject.cursor) continue;
    cursors.push({ subject: work.subject.storeKey, value: stream.cursor });
  }
  return cursors;
}

/** With what goes on waiting of the entries, after all rules on them were decided. */
function withSettledStream(decided: DecidedWork): DecidedWork {
  const { reading, decision } = decided;
  const stream = reading.stream ?? null;
  if (stream?.settle === undefined) return decided;
  const verdicts = decision.alerts.flatMap(({ entries }) =>
    entries === undefined ? [] : [entries],
  );
  const { cursor, unjudged } = stream.settle(verdicts);
  return { ...decided, reading: new RestreamedReading(reading, { ...stream, cursor, unjudged }) };
}

/** What is told of entries that were missed, to those whose rules would have been tested on them. */
export function gapNotices(decided: readonly DecidedWork[], at: number): AddressedNotice[] {
  const notices: AddressedNotice[] = [];
  for (const { work, reading } of decided) {
    const gap = reading.stream?.gap ?? null;
    const unjudged = reading.stream?.unjudged ?? null;
    if (gap === null && unjudged === null) continue;
    // Whoever watches from now on has missed nothing.
    const concerned = work.due.filter(
      ({ alert, watched }) =>
        alert !== null && (gap !== null || unjudged?.rules.includes(watched.rule.name) === true),
    );
    const channels = [...new Set(concerned.flatMap(({ watched }) => watched.rule.notify))];
    if (channels.length === 0) continue;
    const label = concerned.find(({ alert }) => alert?.label)?.alert?.label ?? null;
    const { subject } = work.subject;
    const what = unjudged?.what ?? null;
    notices.push({ notice: composeGap({ subject, label, at, gap, unjudged: what }), channels });
  }
  return notices;
}
