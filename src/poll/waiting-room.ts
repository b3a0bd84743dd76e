import { type Across, AcrossReading } from "../decide/across.ts";
import type { Reading } from "../kinds/kind.ts";
import type { Subject } from "../model/index.ts";
import type { AlertMemory, RuleMemory, SubjectMemory } from "./memory.ts";
import type { Ready, Work } from "./plan.ts";

/** Subjects that must have come so far before any of those that wait goes on. */
interface Latch {
  readonly open: Set<SubjectMemory>;
  readonly waiting: Waiting[];
}

/** A subject that has been read, and the number of latches that hold it back. */
interface Waiting {
  readonly ready: Ready;
  open: number;
}

/** The readings of several subjects that count as one, until the last of them is there. */
interface Sum {
  readonly across: Across;
  readonly bucketed: boolean;
  readonly members: readonly SubjectMemory[];
  /** As the rule names them. */
  readonly subjects: readonly Subject[];
  readonly readings: Map<SubjectMemory, Reading>;
  /** What all of them together are. */
  readonly owner: SubjectMemory;
  /** Null: it is a reference that rules compare with. */
  readonly alert: AlertMemory | null;
}

/**
 * Holds subjects back until all that their alerts depend on in this round is there: the members of a
 * sum and the references of a rule are read, the alerts of gates are passed on before them. A gate that
 * is not due counts as it is. What still waits at the end (two subjects may wait for each other) is passed
 * on in the order of the gates.
 */
export class WaitingRoom {
  readonly #sums = new Map<SubjectMemory, Sum[]>();
  readonly #readings = new Map<string, Reading>();
  readonly #references: ReadonlySet<SubjectMemory>;
  /** Empty: no rule of the round has gates. */
  readonly #gated: ReadonlySet<RuleMemory>;
  readonly #read = new Stage();
  readonly #passed = new Stage();
  /** By rule, and by the list of a gate's alerts, which many alerts share. */
  readonly #latches = new Map<RuleMemory | readonly AlertMemory[], Latch>();
  readonly #waiting = new Set<Waiting>();

  constructor(
    rules: readonly RuleMemory[],
    private readonly onReady: (ready: Ready) => void,
  ) {
    const dependent = rules.filter(dependsOnOthers);
    this.#references = new Set(dependent.flatMap(referencesOf));
    this.#gated = new Set(dependent.some(({ rule }) => rule.gates !== null) ? rules : []);
    for (const sum of sumsOf(dependent)) {
      for (const member of sum.members) {
        this.#sums.set(member, [...(this.#sums.get(member) ?? []), sum]);
      }
    }
  }

  /** Takes what was read of a subject, and passes on what waits for nothing more. */
  read(work: Work, reading: Reading): void {
    const { subject, due } = work;
    this.#learn(subject, reading);
    // Some are asked only as parts of a sum, and have nothing of their own to keep.
    if (subject.series.length > 0 || due.length > 0) this.#enter(work, reading);
    for (const sum of this.#sums.get(subject) ?? []) {
      sum.readings.set(subject, reading);
      if (sum.readings.size < sum.members.length) continue;
      const { across, bucketed, subjects, members, readings, owner, alert } = sum;
      const whole = members.map((one) => readings.get(one)).filter((one) => one !== undefined);
      const together = new AcrossReading(across, bucketed, subjects, whole);
      this.#learn(owner, together);
      if (alert !== null) this.#enter({ subject: owner, due: [alert] }, together);
    }
  }

  /** The poll is over: nothing more will be read. */
  finish(): void {
    const left = [...this.#waiting].toSorted((a, b) => rankOf(a.ready) - rankOf(b.ready));
    this.#waiting.clear();
    for (const { ready } of left) this.onReady(ready);
  }

  /** Keeps what rules compare with. */
  #learn(subject: SubjectMemory, reading: Reading): void {
    if (!this.#references.has(subject)) return;
    this.#readings.set(subject.key, reading);
    this.#pass(this.#read.reach(subject));
  }

  #enter(work: Work, reading: Reading): void {
    const ready: Ready = { work, reading, references: this.#readings };
    // A round over a hundred thousand subjects has mostly nothing to wait for.
    if (this.#references.size === 0 && this.#gated.size === 0) {
      this.onReady(ready);
      return;
    }
    const waiting: Waiting = { ready, open: 0 };
    for (const latch of this.#latchesOf(work)) {
      if (isOpen(latch, work.subject)) continue;
      waiting.open += 1;
      latch.waiting.push(waiting);
    }
    if (waiting.open > 0) this.#waiting.add(waiting);
    else this.#pass([waiting]);
  }

  #latchesOf({ due }: Work): Set<Latch> {
    const latches = new Set<Latch>();
    for (const { watched, gates } of due) {
      if (watched.references.size > 0) {
        latches.add(this.#latch(watched, () => this.#read.latch(referencesOf(watched))));
      }
      for (const { alerts } of [...(gates?.onlyWhile ?? []), ...(gates?.unless ?? [])]) {
        latches.add(this.#latch(alerts, () => this.#passed.latch(this.#dueOwners(alerts))));
      }
    }
    return latches;
  }

  #dueOwners(alerts: readonly AlertMemory[]): readonly SubjectMemory[] {
    return alerts.filter(({ watched }) => this.#gated.has(watched)).map(({ owner }) => owner);
  }

  #latch(key: RuleMemory | readonly AlertMemory[], make: () => Latch): Latch {
    const latch = this.#latches.get(key) ?? make();
    this.#latches.set(key, latch);
    return latch;
  }

  #pass(first: readonly Waiting[]): void {
    const ready = [...first];
    for (let one = ready.pop(); one !== undefined; one = ready.pop()) {
      this.#waiting.delete(one);
      this.onReady(one.ready);
      if (this.#gated.size > 0) ready.push(...this.#passed.reach(one.ready.work.subject));
    }
  }
}

/** Which subjects have come so far. */
class Stage {
  readonly #reached = new Set<SubjectMemory>();
  readonly #latches = new Map<SubjectMemory, Latch[]>();

  latch(subjects: readonly SubjectMemory[]): Latch {
    const open = new Set(subjects.filter((one) => !this.#reached.has(one)));
    const latch: Latch = { open, waiting: [] };
    for (const one of open) this.#latches.set(one, [...(this.#latches.get(one) ?? []), latch]);
    return latch;
  }

  /** Those for which it was the last subject that they waited for. */
  reach(subject: SubjectMemory): readonly Waiting[] {
    this.#reached.add(subject);
    const latches = this.#latches.get(subject) ?? [];
    for (const { open } of latches) open.delete(subject);
    return latches.flatMap(release);
  }
}

/** Alerts on one subject are decided together: none of them waits for its own, which is the whole of its gate. */
function isOpen({ open }: Latch, subject: SubjectMemory): boolean {
  return open.size === 0 || (open.size === 1 && open.has(subject));
}

function release(latch: Latch): readonly Waiting[] {
  if (latch.open.size > 0) return [];
  return latch.waiting.splice(0).filter((one) => {
    one.open -= 1;
    return one.open === 0;
  });
}

/** Mostly no rule does. */
function dependsOnOthers({ rule, references }: RuleMemory): boolean {
  return rule.across !== null || rule.gates !== null || references.size > 0;
}

function referencesOf({ references }: RuleMemory): readonly SubjectMemory[] {
  return references.size === 0 ? [] : Array.from(references.values(), ({ owner }) => owner);
}

function sumsOf(rules: readonly RuleMemory[]): readonly Sum[] {
  const sums = new Map<SubjectMemory | AlertMemory, Sum>();
  for (const { rule, kind, members, alerts, references } of rules) {
    const [alert] = alerts;
    if (rule.across !== null && alert !== undefined) {
      const { across, subjects } = rule;
      const bucketed = kind.bucketMs !== null;
      const { owner } = alert;
      sums.set(alert, { across, bucketed, members, subjects, owner, alert, readings: new Map() });
    }
    for (const { reference, kind: other, members: parts, owner } of references.values()) {
      if (reference.across === null) continue;
      const { how, members: subjects } = reference.across;
      const bucketed = other.bucketMs !== null;
      const sum = { across: how, bucketed, members: parts, subjects, owner, alert: null };
      sums.set(owner, { ...sum, readings: new Map() });
    }
  }
  return [...sums.values()];
}

function rankOf({ work }: Ready): number {
  return work.due.reduce((most, { watched }) => Math.max(most, watched.rank), 0);
}
