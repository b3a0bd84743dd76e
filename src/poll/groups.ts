import type { RuleMemory, SubjectMemory } from "./memory.ts";

/**
 * Gives rules that have something in common the same group, and others another: a record that both ask
 * for (they share requests then), a subject, a gate. What hangs in one group holds up no other, since
 * each is polled and closed by itself. `date`: of the asks, which may depend on the day.
 */
export function groupRules(rules: readonly RuleMemory[], date: number): void {
  const parent = rules.map((_, index) => index);
  const root = (index: number): number => {
    let at = index;
    for (let up = parent[at] ?? at; up !== at; up = parent[at] ?? at) {
      parent[at] = parent[up] ?? up;
      at = up;
    }
    return at;
  };
  const owners = new Map<string, number>();
  for (const [index, rule] of rules.entries()) {
    for (const key of ties(rule, date)) {
      const other = owners.get(key);
      if (other === undefined) owners.set(key, index);
      else parent[root(index)] = root(other);
    }
  }
  for (const [index, rule] of rules.entries()) rule.group = root(index);
}

/** The rules of each group, in their order; one list if all of them are of one. */
export function byGroup(rules: readonly RuleMemory[]): readonly (readonly RuleMemory[])[] {
  const [first] = rules;
  if (first !== undefined && rules.every(({ group }) => group === first.group)) return [rules];
  const groups = new Map<number, RuleMemory[]>();
  for (const rule of rules) {
    const others = groups.get(rule.group);
    if (others === undefined) groups.set(rule.group, [rule]);
    else others.push(rule);
  }
  return [...groups.values()];
}

function* ties({ rule, kind, alerts, members, references }: RuleMemory, date: number) {
  yield `rule ${rule.name}`;
  for (const gate of [...(rule.gates?.onlyWhile ?? []), ...(rule.gates?.unless ?? [])]) {
    yield `rule ${gate}`;
  }
  const own = rule.across === null ? alerts.map(({ owner }) => owner) : members;
  yield* recordsOf(own, kind.records.length > 0, date);
  for (const reference of references.values()) yield* recordsOf(reference.members, false, date);
}

/** Subjects of one kind ask for the same records, unless their kind cannot name them. */
function* recordsOf(subjects: readonly SubjectMemory[], alike: boolean, date: number) {
  for (const { subject, kind, cursor } of alike ? subjects.slice(0, 1) : subjects) {
    for (const record of kind.records) yield `record ${record}`;
    for (const { record, instead } of kind.asks(subject, date, cursor)) {
      yield `record ${record}`;
      if (instead !== undefined) yield `record ${instead}`;
    }
  }
}
