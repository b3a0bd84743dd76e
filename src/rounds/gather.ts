import { type Across, AcrossReading } from "../engine/across.ts";
import type { Reading } from "../watches/watch.ts";
import type { RuleMemory, SubjectMemory } from "./memory.ts";
import type { Work } from "./plan.ts";

/** The readings of one `across` rule's subjects, until the last of them is there. */
interface Gathering {
  readonly rule: RuleMemory;
  readonly across: Across;
  readonly readings: Map<SubjectMemory, Reading>;
}

/** Collects what rules with `across` wait for; hands over their one reading when it is whole. */
export class Gatherer {
  readonly #byMember = new Map<SubjectMemory, Gathering[]>();
  readonly #onReading: (work: Work, reading: Reading) => void;

  constructor(rules: readonly RuleMemory[], onReading: (work: Work, reading: Reading) => void) {
    this.#onReading = onReading;
    for (const rule of rules) {
      const { across } = rule.rule;
      if (across === null) continue;
      const gathering: Gathering = { rule, across, readings: new Map() };
      for (const member of rule.members) {
        this.#byMember.set(member, [...(this.#byMember.get(member) ?? []), gathering]);
      }
    }
  }

  add(member: SubjectMemory, reading: Reading): void {
    for (const gathering of this.#byMember.get(member) ?? []) {
      const { rule, across, readings } = gathering;
      readings.set(member, reading);
      if (readings.size < rule.members.length) continue;
      const [alert] = rule.alerts;
      if (alert === undefined) continue;
      const whole = rule.members.map((one) => readings.get(one)).filter((one) => one !== undefined);
      const bucketed = rule.kind.bucketMs !== null;
      this.#onReading(
        { subject: alert.owner, due: [alert] },
        new AcrossReading(across, bucketed, rule.rule.subjects, whole),
      );
    }
  }
}
