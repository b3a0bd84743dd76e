import { marksOf, type Progress, progressOf } from "../engine/lag.ts";
import type { SubjectMarks } from "../model.ts";
import type { Work } from "./plan.ts";

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
      marks.push({ subject: subject.key, value: progressToText(subject.progress) });
    }
    this.#next.set(group, works.length === 0 ? 0 : (next + count) % works.length);
    return marks;
  }
}

/** `[since, [key, block, time]…]`, or `[since, lagging, …]` if it lags: short, since there may be many. */
function progressToText(progress: Progress): string {
  const { since, lagging } = progress;
  const entries = marksOf(progress).map(({ key, block, time }) => [key, block, time]);
  return JSON.stringify(lagging === 0 ? [since, ...entries] : [since, lagging, ...entries]);
}

/** Reads what was written down; anything else is as if there were nothing. */
export function progressFromText(text: string | undefined): Progress | null {
  if (text === undefined) return null;
  const [since, ...rest] = listOf(JSON.parse(text));
  const lagging = numberOf(rest[0]) ?? 0;
  const entries = lagging === 0 ? rest : rest.slice(1);
  const marks = entries.flatMap((entry) => {
    const [key, block, time] = listOf(entry);
    return typeof key === "string" ? [{ key, block: numberOf(block), time: numberOf(time) }] : [];
  });
  return typeof since === "number" ? progressOf(marks, since, lagging) : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
