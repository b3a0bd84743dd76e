import { acrossKind } from "../decide/across.ts";
import type { Reading } from "../kinds/kind.ts";
import type { Unread } from "../model/index.ts";
import type { SubjectMemory } from "../poll/memory.ts";
import type { DecidedWork } from "../poll/plan.ts";
import { MOST_UNREAD } from "../poll/tally.ts";

/**
 * Notes of what a round read too little, and why, so that whoever replays it reads no more of it. So many
 * subjects at most: a round may have a hundred thousand.
 */
export class UnreadNotes {
  readonly #bySubject = new Map<string, Unread>();

  /** Hears of each subject as it is read. */
  read(subject: SubjectMemory, reading: Reading): void {
    const one = unreadOf(subject, reading);
    if (one !== null) this.#note(one);
  }

  /** Hears of what was decided: why alerts go without a value, and of several subjects together. */
  decided(works: readonly DecidedWork[]): void {
    for (const { work, reading, decision } of works) {
      const { subject } = work;
      if (acrossKind(subject.key) !== null) this.read(subject, reading);
      if (decision.alerts.every(({ alert }) => alert.missing === null)) continue;
      const { trouble } = reading;
      if (trouble === null) continue;
      const known = this.#bySubject.get(subject.key) ?? { subject: subject.key, metrics: [] };
      this.#note({ ...known, trouble });
    }
  }

  get all(): readonly Unread[] {
    return [...this.#bySubject.values()];
  }

  #note(one: Unread): void {
    if (this.#bySubject.size >= MOST_UNREAD && !this.#bySubject.has(one.subject)) return;
    this.#bySubject.set(one.subject, one);
  }
}

/** Null: all that is wanted was read, be it that some of it is null. */
function unreadOf({ key, series }: SubjectMemory, reading: Reading): Unread | null {
  const { unanswered, absent } = reading;
  const [row] = reading.rows;
  const lacking =
    row === undefined
      ? null
      : series.filter(({ metric }) => row.isUnseen?.(metric) === true).map(({ metric }) => metric);
  if (unanswered === null && !absent && lacking?.length === 0) return null;
  return {
    subject: key,
    metrics: lacking,
    ...(unanswered === null ? {} : { unanswered }),
    ...(absent ? { absent } : {}),
  };
}
