import { MINUTE } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { isUnchanged, judgeLag } from "../decide/lag.ts";
import { LAGS, type Reading } from "../kinds/kind.ts";
import { composeBaseline } from "../notices/baseline.ts";
import type { SubjectMemory } from "../poll/memory.ts";
import type { Telling } from "./notices.ts";

/** For subjects that are only asked as parts of a sum, the default of `missing_after`. */
const PATIENCE_MS = 5 * MINUTE;

/** What is read of a record that is older than one accepted before: nothing. */
const OLDER: Reading = {
  rows: [],
  trouble: LAGS,
  absent: false,
  unanswered: null,
  closed: false,
  marks: () => [],
  decimals: () => null,
  describe: () => ({ label: "", chain: "", link: null, range: null, unit: () => "" }),
};

/** Keeps what a lagging indexer answers in one round from looking like news. */
export class LagGuard {
  readonly #date: number;
  readonly #log: Log;
  readonly #rebased: { readonly subject: SubjectMemory; readonly since: number }[] = [];

  constructor(date: number, log: Log) {
    this.#date = date;
    this.#log = log;
  }

  /** The reading, or one without what an older record says. */
  check(subject: SubjectMemory, reading: Reading): Reading {
    const marks = reading.marks();
    if (marks.length === 0) return reading;
    const before = subject.progress;
    if (before !== null && isUnchanged(before, marks)) {
      // In place, since most subjects have nothing else that is new in a round.
      before.since = this.#date;
      return reading;
    }
    const patience = patienceOf(subject);
    const { progress, dropped, rebasedSince } = judgeLag(before, marks, this.#date, patience);
    // Not undone if the commit fails: the same record is accepted again.
    subject.progress = progress;
    if (rebasedSince !== null) {
      this.#log.warn({ subject: subject.key }, "older records are the new baseline");
      this.#rebased.push({ subject, since: rebasedSince });
    }
    if (dropped.size === 0) {
      if (progress !== null) progress.since = this.#date;
      return reading;
    }
    if ([...dropped].some((key) => progress?.lagging.get(key)?.rounds === 1)) {
      this.#log.warn({ subject: subject.key }, "a record is older than one before and dropped");
    }
    return reading.without?.(dropped) ?? OLDER;
  }

  /** What to tell of subjects whose records went back and stayed there. */
  tellings(): Telling[] {
    return this.#rebased.flatMap(({ subject, since }) => {
      const channels = [...new Set(subject.alerts.flatMap(({ watched }) => watched.rule.notify))];
      if (channels.length === 0) return [];
      const label = subject.alerts.find(({ alert }) => alert?.label)?.alert?.label ?? null;
      const facts = { subject: subject.subject, label, at: this.#date, since };
      return [{ notice: composeBaseline(facts), channels }];
    });
  }
}

function patienceOf(subject: SubjectMemory): number {
  return subject.alerts.reduce(
    (least, { watched }) => Math.min(least, watched.rule.missingAfterMs),
    subject.alerts.length === 0 ? PATIENCE_MS : Number.POSITIVE_INFINITY,
  );
}
