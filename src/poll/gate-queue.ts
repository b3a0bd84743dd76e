import type { ReferenceReadings } from "../decide/reference.ts";
import type { Reading } from "../kinds/kind.ts";
import type { AlertMemory, RuleMemory, SubjectMemory } from "./memory.ts";
import type { Work } from "./plan.ts";

type Next = (work: Work, reading: Reading, references: ReferenceReadings) => void;

/** Alerts of one gate that are due in the round, until their subjects have been passed on. */
interface Group {
  readonly open: Set<SubjectMemory>;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly work: Work;
  readonly reading: Reading;
  readonly references: ReferenceReadings;
  open: number;
}

/**
 * Keeps alerts back until the alerts of their gates that are due in the same round have been passed on
 * before them. A gate that is not due counts as it is. Whatever still waits at the end of the poll (two
 * subjects may wait for each other) is passed on together, in the order of the gates.
 */
export class GateQueue {
  readonly #due: ReadonlySet<RuleMemory>;
  readonly #next: Next;
  /** False: no rule of the round has gates, and nothing ever waits. */
  readonly #gated: boolean;
  readonly #passed = new Set<SubjectMemory>();
  /** By the list of a gate's alerts, which many alerts share. */
  readonly #groups = new Map<readonly AlertMemory[], Group>();
  readonly #groupsOf = new Map<SubjectMemory, Group[]>();
  readonly #waiting = new Set<Waiting>();

  constructor(rules: readonly RuleMemory[], next: Next) {
    this.#next = next;
    this.#gated = rules.some(({ rule }) => rule.gates !== null);
    this.#due = new Set(this.#gated ? rules : []);
  }

  add(work: Work, reading: Reading, references: ReferenceReadings): void {
    if (!this.#gated) {
      this.#next(work, reading, references);
      return;
    }
    const waiting: Waiting = { work, reading, references, open: 0 };
    for (const group of this.#groupsFor(work)) {
      // Alerts on one subject are decided together, in the order of the gates.
      if (group.open.size === 0 || (group.open.size === 1 && group.open.has(work.subject)))
        continue;
      waiting.open += 1;
      group.waiting.push(waiting);
    }
    if (waiting.open > 0) this.#waiting.add(waiting);
    else this.#pass(waiting);
  }

  /** The poll is over: nothing more will come. */
  finish(): void {
    const left = [...this.#waiting].toSorted((a, b) => rankOf(a.work) - rankOf(b.work));
    this.#waiting.clear();
    for (const { work, reading, references } of left) this.#next(work, reading, references);
  }

  #groupsFor(work: Work): Set<Group> {
    const groups = new Set<Group>();
    for (const { gates } of work.due) {
      if (gates === null) continue;
      for (const { alerts } of [...gates.onlyWhile, ...gates.unless])
        groups.add(this.#group(alerts));
    }
    return groups;
  }

  #group(alerts: readonly AlertMemory[]): Group {
    const known = this.#groups.get(alerts);
    if (known !== undefined) return known;
    const open = new Set<SubjectMemory>();
    for (const { watched, owner } of alerts) {
      if (this.#due.has(watched) && !this.#passed.has(owner)) open.add(owner);
    }
    const group: Group = { open, waiting: [] };
    this.#groups.set(alerts, group);
    for (const owner of open) {
      const others = this.#groupsOf.get(owner);
      if (others === undefined) this.#groupsOf.set(owner, [group]);
      else others.push(group);
    }
    return group;
  }

  #pass(first: Waiting): void {
    const ready = [first];
    for (let one = ready.pop(); one !== undefined; one = ready.pop()) {
      const { work, reading, references } = one;
      this.#waiting.delete(one);
      this.#next(work, reading, references);
      this.#passed.add(work.subject);
      for (const group of this.#groupsOf.get(work.subject) ?? []) {
        group.open.delete(work.subject);
        ready.push(...released(group));
      }
    }
  }
}

/** Those for whom it was the last subject that they waited for. */
function released({ open, waiting }: Group): readonly Waiting[] {
  if (open.size > 1) return [];
  const ready: Waiting[] = [];
  for (let i = waiting.length - 1; i >= 0; i -= 1) {
    const one = waiting[i];
    // What is left may be one's own subject, which is decided together with it.
    if (one === undefined || (open.size === 1 && !open.has(one.work.subject))) continue;
    waiting.splice(i, 1);
    one.open -= 1;
    if (one.open === 0) ready.push(one);
  }
  return ready;
}

function rankOf({ due }: Work): number {
  return due.reduce((most, { watched }) => Math.max(most, watched.rank), 0);
}
