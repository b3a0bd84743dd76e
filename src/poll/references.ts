import { NO_READINGS, type ReferenceReadings } from "../decide/reference.ts";
import type { Reading } from "../kinds/kind.ts";
import type { RuleMemory, SubjectMemory } from "./memory.ts";
import type { Work } from "./plan.ts";

interface Waiting {
  readonly work: Work;
  readonly reading: Reading;
  /** The subjects of references that are not read yet. */
  open: number;
}

type OnReady = (work: Work, reading: Reading, references: ReferenceReadings) => void;

/** Holds subjects back until what their rules compare with in this round is read as well. */
export class ReferenceGate {
  readonly #onReady: OnReady;
  readonly #wanted: ReadonlySet<SubjectMemory>;
  readonly #readings = new Map<string, Reading>();
  readonly #waiting = new Map<SubjectMemory, Waiting[]>();

  constructor(rules: readonly RuleMemory[], onReady: OnReady) {
    this.#onReady = onReady;
    this.#wanted = new Set(rules.flatMap(ownersOf));
  }

  /** Takes what was read of a subject, which others may wait for. */
  learn(subject: SubjectMemory, reading: Reading): void {
    if (!this.#wanted.has(subject)) return;
    this.#readings.set(subject.key, reading);
    const waiting = this.#waiting.get(subject) ?? [];
    this.#waiting.delete(subject);
    for (const one of waiting) {
      one.open -= 1;
      if (one.open === 0) this.#onReady(one.work, one.reading, this.#readings);
    }
  }

  /** Hands a subject on at once, or when the last of its references is read. */
  add(work: Work, reading: Reading): void {
    if (this.#wanted.size === 0) {
      this.#onReady(work, reading, NO_READINGS);
      return;
    }
    const wanted = new Set(work.due.flatMap(({ watched }) => ownersOf(watched)));
    const open = [...wanted].filter(({ key }) => !this.#readings.has(key));
    if (open.length === 0) {
      this.#onReady(work, reading, this.#readings);
      return;
    }
    const one = { work, reading, open: open.length };
    for (const owner of open) {
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), one]);
    }
  }

  /** Hands on what still waits, once nothing more will be read. */
  finish(): void {
    for (const one of new Set([...this.#waiting.values()].flat())) {
      this.#onReady(one.work, one.reading, this.#readings);
    }
    this.#waiting.clear();
  }
}

function ownersOf({ references }: RuleMemory): readonly SubjectMemory[] {
  if (references.size === 0) return [];
  return Array.from(references.values(), ({ owner }) => owner);
}
