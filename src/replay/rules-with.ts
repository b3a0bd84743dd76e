import type { Rule } from "../model/index.ts";

/** These rules and those that decide over them as gates, in the order of the files. */
export function rulesWith(wanted: readonly Rule[], all: readonly Rule[]): readonly Rule[] {
  const names = new Set(wanted.map(({ name }) => name));
  // A set that grows while it is walked is walked to its end.
  for (const name of names) {
    const gates = all.find((rule) => rule.name === name)?.gates;
    for (const gate of [...(gates?.onlyWhile ?? []), ...(gates?.unless ?? [])]) names.add(gate);
  }
  return all.filter(({ name }) => names.has(name));
}
