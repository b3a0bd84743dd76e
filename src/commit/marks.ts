import { type Lagging, marksOf, NOTHING_LAGS, type Progress, progressOf } from "../decide/lag.ts";
import type { Mark } from "../kinds/kind.ts";
import type { SubjectMarks } from "../model/index.ts";
import type { Work } from "../poll/plan.ts";

/**
 * So many subjects are written down in a round. Writing all of a hundred thousand in every round
 * would cost as much as their samples do, and marks that are some rounds old still tell most of
 * what lags.
 */
const MOST_MARKS = 500;

/** Writes down how far the records have come, some subjects in each round, in turn. */
export class MarkWriter {
  /** By group of rules. */
  readonly #next = new Map<number, number>();

  /** The marks to commit with the round of a group over these works. */
  take(group: number, works: readonly Work[]): readonly SubjectMarks[] {
    const marks: SubjectMarks[] = [];
    const count = Math.min(MOST_MARKS, works.length);
    const next = this.#next.get(group) ?? 0;
    for (let i = 0; i < count; i += 1) {
      const subject = works[(next + i) % works.length]?.subject;
      if (subject === undefined || subject.progress === null) continue;
      marks.push({ subject: subject.home, value: progressToText(subject.progress) });
    }
    this.#next.set(group, works.length === 0 ? 0 : (next + count) % works.length);
    return marks;
  }
}

/** `[since, [key, block, time]…]`, of one that lags `[key, block, time, since, rounds]`: short, since there may be many. */
function progressToText(progress: Progress): string {
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
export function progressFromText(text: string | undefined): Progress | null {
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
  return progressOf(marks, since, lagging.size === 0 ? NOTHING_LAGS : lagging);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
