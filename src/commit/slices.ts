import type { Log } from "../base/log.ts";
import { valueToText } from "../decide/runtime.ts";
import { type Alert, type AlertChange, type Change, NO_CHANGE, type Run } from "../model/index.ts";
import type { DecidedWork, Ready } from "../poll/plan.ts";
import { isAlertChange } from "./alert-changes.ts";
import type { Committer } from "./committer.ts";
import { apply, decideSlice, eventsOf } from "./decide-slice.ts";
import { type AddressedNotice, noticesOf } from "./notices.ts";
import type { SourceChanges } from "./source-changes.ts";
import { cursorsOf, gapNotices } from "./streams.ts";
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
