import { decide, judge, stageOf } from "../decide/decide.ts";
import type { Decided, Judged } from "../decide/decide-alert.ts";
import { decideJudged } from "../decide/entries.ts";
import type { Latest } from "../decide/gates.ts";
import type { Stage } from "../decide/scene.ts";
import type { WatchedAlert } from "../decide/watched.ts";
import type { Alert } from "../model/index.ts";
import type { Work } from "../poll/plan.ts";
import type { DecidedWork, Ready } from "../poll/ready.ts";
import { withCurrentStream, withSettledStream } from "./streams.ts";

type OnTrouble = (work: Work, error: unknown) => void;

/**
 * Decides the subjects of one slice, all on what was committed before it, and the alerts with gates
 * after their gates. What cannot be decided is left out and told to `onTrouble`.
 */
export function decideSlice(
  given: readonly Ready[],
  date: number,
  onTrouble: OnTrouble,
): DecidedWork[] {
  const slice = given.some(({ reading }) => reading.stream) ? given.map(withCurrentStream) : given;
  if (slice.some(({ work }) => work.due.some(({ gates }) => gates !== null))) {
    return decideInOrder(slice, date, onTrouble);
  }
  const decided: DecidedWork[] = [];
  for (const { work, reading, references } of slice) {
    try {
      const decision = decide(work.subject, work.due, reading, date, references);
      decided.push(withSettledStream({ work, reading, references, decision }));
    } catch (error) {
      onTrouble(work, error);
    }
  }
  return decided;
}

/** A subject that has been read and is not decided yet. */
interface Open {
  readonly ready: Ready;
  readonly stage: Stage;
  readonly decided: Map<WatchedAlert, Decided>;
  broken: boolean;
}

/** Several subjects may be gates for each other, so the alerts of all are decided by their rank. */
function decideInOrder(slice: readonly Ready[], date: number, onTrouble: OnTrouble): DecidedWork[] {
  const open: Open[] = [];
  const queue: { readonly rank: number; readonly judged: Judged; readonly of: Open }[] = [];
  for (const ready of slice) {
    const { work, reading, references } = ready;
    try {
      const stage = stageOf(work.subject, reading, date, references);
      const judged = work.due.map((alert) => ({ alert, judged: judge(alert, stage) }));
      const one: Open = { ready, stage, decided: new Map(), broken: false };
      open.push(one);
      for (const { alert, judged: each } of judged) {
        queue.push({ rank: alert.watched.rank, judged: each, of: one });
      }
    } catch (error) {
      onTrouble(work, error);
    }
  }
  queue.sort((a, b) => a.rank - b.rank);
  const fresh = new Map<WatchedAlert, Alert>();
  const latest: Latest = (watched) => fresh.get(watched) ?? watched.alert;
  for (const { judged, of } of queue) {
    if (of.broken) continue;
    try {
      const decided = decideJudged(judged, latest);
      of.decided.set(judged.watched, decided);
      fresh.set(judged.watched, decided.alert);
    } catch (error) {
      of.broken = true;
      onTrouble(of.ready.work, error);
    }
  }
  return open.flatMap(({ ready, stage, decided, broken }) => {
    if (broken) return [];
    const alerts = ready.work.due.map((one) => decided.get(one)).filter((one) => one !== undefined);
    return [withSettledStream({ ...ready, decision: { stage, alerts } })];
  });
}
