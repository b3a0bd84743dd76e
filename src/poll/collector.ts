import { type Across, AcrossReading } from "../decide/across.ts";
import type { Reading } from "../kinds/kind.ts";
import type { Subject } from "../model/index.ts";
import type { AlertMemory, RuleMemory, SubjectMemory } from "./memory.ts";
import type { Work } from "./plan.ts";

/** The readings of several subjects that count as one, until the last of them is there. */
interface Gathering {
  readonly across: Across;
  readonly bucketed: boolean;
  readonly members: readonly SubjectMemory[];
  /** As the rule names them. */
  readonly subjects: readonly Subject[];
  readonly readings: Map<SubjectMemory, Reading>;
  /** What all of them together are. */
  readonly owner: SubjectMemory;
  /** The alert on them; null: it is a reference that rules compare with. */
  readonly alert: AlertMemory | null;
}

interface Takers {
  readonly onRule: (work: Work, reading: Reading) => void;
  readonly onReference: (owner: SubjectMemory, reading: Reading) => void;
}

/** Collects what `across` of rules and references waits for; hands over one reading when it is whole. */
export class Collector {
  readonly #byMember = new Map<SubjectMemory, Gathering[]>();
  readonly #takers: Takers;

  constructor(rules: readonly RuleMemory[], takers: Takers) {
    this.#takers = takers;
    const referred = new Set<SubjectMemory>();
    for (const { rule, kind, members, alerts, references } of rules) {
      const [alert] = alerts;
      if (rule.across !== null && alert !== undefined) {
        const { across, subjects } = rule;
        const bucketed = kind.bucketMs !== null;
        this.#gather({ across, bucketed, members, subjects, owner: alert.owner, alert });
      }
      for (const one of references.values()) {
        const { across } = one.reference;
        if (across === null || referred.has(one.owner)) continue;
        referred.add(one.owner);
        this.#gather({
          across: across.how,
          bucketed: one.kind.bucketMs !== null,
          members: one.members,
          subjects: across.members,
          owner: one.owner,
          alert: null,
        });
      }
    }
  }

  add(member: SubjectMemory, reading: Reading): void {
    const gatherings = this.#byMember.get(member);
    if (gatherings === undefined) return;
    for (const gathering of gatherings) {
      const { across, bucketed, members, subjects, readings, owner, alert } = gathering;
      readings.set(member, reading);
      if (readings.size < members.length) continue;
      const whole = members.map((one) => readings.get(one)).filter((one) => one !== undefined);
      const together = new AcrossReading(across, bucketed, subjects, whole);
      if (alert === null) this.#takers.onReference(owner, together);
      else this.#takers.onRule({ subject: owner, due: [alert] }, together);
    }
  }

  #gather(one: Omit<Gathering, "readings">): void {
    const gathering: Gathering = { ...one, readings: new Map() };
    for (const member of one.members) {
      this.#byMember.set(member, [...(this.#byMember.get(member) ?? []), gathering]);
    }
  }
}
