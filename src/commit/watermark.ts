import { MINUTE } from "../base/duration.ts";
import { listOf } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import {
  judgeLag,
  type Lagging,
  marksOf,
  moveOn,
  NOTHING_LAGS,
  type Watermark,
  watermarkOf,
} from "../decide/lag.ts";
import { LAGS, type Mark, type Reading } from "../kinds/kind.ts";
import type { AddressedNotice, Rule, SubjectMarks } from "../model/index.ts";
import { composeBaseline } from "../notices/source-notice.ts";
import type { SubjectMemory } from "../poll/memory.ts";
import type { Work } from "../poll/plan.ts";

/**
 * So many subjects are written down in a round. Writing all of a hundred thousand in every round
 * would cost as much as their samples do, and marks that are some rounds old still tell most of
 * what lags.
 */
const MOST_MARKS = 500;

/** Writes down how far the records have come, some subjects in each round, in turn. */
export class WatermarkWriter {
  /** By group of rules. */
  readonly #next = new Map<number, number>();

  /** The marks to commit with the round of a group over these works. */
  take(group: number, works: readonly Work[]): readonly SubjectMarks[] {
    const marks: SubjectMarks[] = [];
    const count = Math.min(MOST_MARKS, works.length);
    const next = this.#next.get(group) ?? 0;
    for (let i = 0; i < count; i += 1) {
      const subject = works[(next + i) % works.length]?.subject;
      if (subject === undefined || subject.isCopy || subject.watermark === null) continue;
      marks.push({ subject: subject.storeKey, value: progressToText(subject.watermark) });
    }
    this.#next.set(group, works.length === 0 ? 0 : (next + count) % works.length);
    return marks;
  }
}

/** `[since, [key, block, time]…]`, of one that lags `[key, block, time, since, rounds]`: short, since there may be many. */
function progressToText(progress: Watermark): string {
  const { since, lagging } = progress;
  const entries = marksOf(progress).map(({ key, block, time }) => {
    const late = lagging.get(key);
    return late === undefined ? [key, block, time] : [key, block, time, late.since, late.rounds];
  });
  return JSON.stringify([since, ...entries]);
}

/**
 * Reads what was written down; anything else is as if there were nothing. Before, a number after the
 * date told for how many rounds all of a subject's records had lagged.
 */
export function watermarkFromText(text: string | undefined): Watermark | null {
  if (text === undefined) return null;
  const [since, ...rest] = listOf(JSON.parse(text));
  if (typeof since !== "number") return null;
  const all = numberOf(rest[0]);
  const lagging = new Map<string, Lagging>();
  const marks: Mark[] = [];
  for (const entry of all === null ? rest : rest.slice(1)) {
    const [key, block, time, from, count] = listOf(entry);
    if (typeof key !== "string") continue;
    marks.push({ key, block: numberOf(block), time: numberOf(time) });
    const rounds = numberOf(count) ?? all;
    if (rounds !== null) lagging.set(key, { since: numberOf(from) ?? since, rounds });
  }
  return watermarkOf(marks, since, lagging.size === 0 ? NOTHING_LAGS : lagging);
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

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
  readonly #rebased: { readonly subject: SubjectMemory; readonly since: number }[] = [];

  constructor(
    private readonly date: number,
    private readonly log: Log,
  ) {}

  /** The reading, or one without what an older record says. */
  check(subject: SubjectMemory, reading: Reading): Reading {
    const marks = reading.marks();
    if (marks.length === 0) return reading;
    const before = subject.watermark;
    if (before !== null && moveOn(before, marks, this.date)) return reading;
    const patience = patienceOf(subject);
    const { progress, dropped, rebasedSince } = judgeLag(before, marks, this.date, patience);
    // Not undone if the commit fails: the same record is accepted again.
    subject.watermark = progress;
    if (rebasedSince !== null) {
      this.log.warn({ subject: subject.key }, "older records are accepted as the new baseline");
      this.#rebased.push({ subject, since: rebasedSince });
    }
    if (dropped.size === 0) return reading;
    if ([...dropped].some((key) => progress?.lagging.get(key)?.rounds === 1)) {
      this.log.warn({ subject: subject.key }, "a record older than the last one is ignored");
    }
    return reading.without?.(dropped) ?? OLDER;
  }

  /** Since when the records were dropped of subjects, by their keys, of which they are now taken; without copies. */
  get rebased(): Readonly<Record<string, number>> {
    const own = this.#rebased.filter(({ subject }) => !subject.isCopy);
    return Object.fromEntries(own.map(({ subject, since }) => [subject.key, since]));
  }

  /** What to tell of them; `everywhere`: the rules of all daemons of a cluster. */
  notices(everywhere: readonly Rule[] = []): AddressedNotice[] {
    return this.#rebased.flatMap(({ subject, since }) =>
      baselineNotices(subject, this.date, since, everywhere),
    );
  }
}

/** What is told of a subject whose records went back, and were dropped `since`; none: nobody is to hear of it. */
export function baselineNotices(
  subject: SubjectMemory,
  at: number,
  since: number,
  everywhere: readonly Rule[] = [],
): readonly AddressedNotice[] {
  const { alerts, comparedBy, addedBy } = subject;
  const rules = [...alerts.map(({ watched }) => watched), ...comparedBy, ...addedBy];
  const told = rules.flatMap(({ rule }) => rule.notify);
  const channels = subject.isCopy ? channelsOfSums(subject, everywhere) : [...new Set(told)];
  if (channels.length === 0) return [];
  const label = subject.alerts.find(({ alert }) => alert?.label)?.alert?.label ?? null;
  const facts = { subject: subject.subject, label, at, since };
  return [{ notice: composeBaseline(facts), channels }];
}

/** Of a sum nobody knows but the daemon that decides it: those whom the subject's own daemon does not tell. */
function channelsOfSums({ key, addedBy }: SubjectMemory, everywhere: readonly Rule[]): string[] {
  const own = everywhere.filter(
    ({ across, subjects }) => across === null && subjects.some((subject) => subject.key === key),
  );
  const told = new Set(own.flatMap(({ notify }) => notify));
  return [...new Set(addedBy.flatMap(({ rule }) => rule.notify))].filter((one) => !told.has(one));
}

function patienceOf(subject: SubjectMemory): number {
  return subject.alerts.reduce(
    (least, { watched }) => Math.min(least, watched.rule.missingAfterMs),
    subject.alerts.length === 0 ? PATIENCE_MS : Number.POSITIVE_INFINITY,
  );
}
