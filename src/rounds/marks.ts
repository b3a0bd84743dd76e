import type { Progress } from "../engine/lag.ts";
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
  #next = 0;

  /** The marks to commit with the round over these works. */
  take(works: readonly Work[]): readonly SubjectMarks[] {
    const marks: SubjectMarks[] = [];
    const count = Math.min(MOST_MARKS, works.length);
    for (let i = 0; i < count; i += 1) {
      const subject = works[(this.#next + i) % works.length]?.subject;
      if (subject === undefined || subject.progress === null) continue;
      marks.push({ subject: subject.key, value: progressToText(subject.progress) });
    }
    this.#next = works.length === 0 ? 0 : (this.#next + count) % works.length;
    return marks;
  }
}

/** `[since, [key, block, time]…]`: short, since there may be many. */
function progressToText({ since, marks }: Progress): string {
  return JSON.stringify([since, ...marks.map(({ key, block, time }) => [key, block, time])]);
}

/** Reads what was written down; anything else is as if there were nothing. */
export function progressFromText(text: string | undefined): Progress | null {
  if (text === undefined) return null;
  const [since, ...entries] = listOf(JSON.parse(text));
  const marks = entries.flatMap((entry) => {
    const [key, block, time] = listOf(entry);
    return typeof key === "string" ? [{ key, block: numberOf(block), time: numberOf(time) }] : [];
  });
  return typeof since === "number" && marks.length > 0 ? { since, marks, lagging: 0 } : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
