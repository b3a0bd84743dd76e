import { type AlertPlace, GateFinder, gateOrder, placesOf } from "../decide/gates.ts";
import type { AlertMemory, MemoryGate, RuleMemory } from "./memory.ts";

/**
 * Gives every alert of a rule with gates the alerts of other rules that it depends on, and every rule
 * its place in the order of decisions. The rules were checked when they were loaded: no gate is
 * missing, and there is no circle.
 */
export function linkGates(rules: readonly RuleMemory[]): void {
  const gated = rules.filter(({ rule }) => rule.gates !== null);
  if (gated.length === 0) return;
  const { ranks } = gateOrder(rules.map(({ rule }) => rule));
  const byName = new Map(rules.map((memory) => [memory.rule.name, memory]));
  const finders = new Map<RuleMemory, GateFinder<AlertMemory>>();
  const gateOf = (name: string, place: AlertPlace, anyChain: boolean): MemoryGate => {
    const other = byName.get(name);
    if (other === undefined) throw new Error(`no rule ${name}`);
    const finder = finders.get(other) ?? new GateFinder(other.rule, other.alerts);
    finders.set(other, finder);
    return { rule: other.rule, alerts: finder.find(place, anyChain) };
  };
  for (const memory of gated) {
    const { gates, name } = memory.rule;
    if (gates === null) continue;
    memory.rank = ranks.get(name) ?? 0;
    const places = placesOf(memory.rule);
    for (const [index, alert] of memory.alerts.entries()) {
      const place = places[index];
      if (place === undefined) continue;
      const find = (gate: string): MemoryGate => gateOf(gate, place, gates.anyChain);
      alert.gates = { onlyWhile: gates.onlyWhile.map(find), unless: gates.unless.map(find) };
    }
  }
}
