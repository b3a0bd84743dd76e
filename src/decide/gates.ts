import type { Rule, Subject } from "../model/index.ts";
import { acrossSubject } from "./across.ts";

/** Where an alert is: on one subject, on the chains of all that it watches. */
export interface AlertPlace {
  readonly subject: Subject;
  readonly chains: readonly number[];
}

/** The places of a rule's alerts, in their order. */
export function placesOf(rule: Pick<Rule, "kind" | "across" | "subjects">): readonly AlertPlace[] {
  const { across, kind, subjects } = rule;
  if (across === null) return subjects.map((subject) => ({ subject, chains: [subject.chainId] }));
  const chains = [...new Set(subjects.map(({ chainId }) => chainId))];
  return [{ subject: acrossSubject(kind, across, subjects), chains }];
}

/**
 * Finds the alerts of a gate that count for a place: the one on the same subject if there is one,
 * else those on any of its chains, or all of them with `anyChain`. Lists are shared, since many alerts
 * may have the same gate.
 */
export class GateFinder<T> {
  readonly #bySubject = new Map<string, readonly T[]>();
  readonly #byChain = new Map<number, T[]>();
  readonly #bySeveral = new Map<string, readonly T[]>();
  readonly #all: readonly T[];

  /** `alerts` in the order of the rule's places. */
  constructor(rule: Pick<Rule, "kind" | "across" | "subjects">, alerts: readonly T[]) {
    this.#all = alerts;
    for (const [index, { subject, chains }] of placesOf(rule).entries()) {
      const alert = alerts[index];
      if (alert === undefined) continue;
      this.#bySubject.set(subject.key, [alert]);
      for (const chain of chains) {
        const others = this.#byChain.get(chain);
        if (others === undefined) this.#byChain.set(chain, [alert]);
        else others.push(alert);
      }
    }
  }

  find({ subject, chains }: AlertPlace, anyChain: boolean): readonly T[] {
    const own = this.#bySubject.get(subject.key);
    if (own !== undefined) return own;
    if (anyChain) return this.#all;
    const [only] = chains;
    if (only !== undefined && chains.length === 1) return this.#byChain.get(only) ?? [];
    const key = chains.join();
    const known = this.#bySeveral.get(key);
    if (known !== undefined) return known;
    const found = [...new Set(chains.flatMap((chain) => this.#byChain.get(chain) ?? []))];
    this.#bySeveral.set(key, found);
    return found;
  }
}

/** What `gateOrder` needs of a rule. */
type Gated = Pick<Rule, "name" | "gates">;

/**
 * The place of each rule in the order in which they are decided: after all of its gates. A rule without
 * gates has 0. In a circle of gates nobody comes after all of his; it is returned, by name.
 */
export function gateOrder(rules: readonly Gated[]): {
  readonly ranks: ReadonlyMap<string, number>;
  readonly circle: readonly string[] | null;
} {
  const gatesOf = new Map<string, readonly string[]>();
  for (const { name, gates } of rules) {
    if (gates !== null) gatesOf.set(name, [...gates.onlyWhile, ...gates.unless]);
  }
  const ranks = new Map<string, number>();
  let circle: readonly string[] | null = null;
  // A path of its own and no recursion: thousands of rules may stand in one row.
  const path: { name: string; next: number; rank: number }[] = [];
  const open = new Set<string>();
  const enter = (name: string): void => {
    path.push({ name, next: 0, rank: 1 });
    open.add(name);
  };
  for (const first of gatesOf.keys()) {
    if (!ranks.has(first)) enter(first);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const gate = gatesOf.get(step.name)?.[step.next];
      if (gate === undefined) {
        ranks.set(step.name, step.rank);
        open.delete(step.name);
        path.pop();
      } else if (open.has(gate)) {
        circle ??= [...[...open].slice([...open].indexOf(gate)), gate];
        step.next++;
      } else if (!ranks.has(gate) && gatesOf.has(gate)) {
        enter(gate);
      } else {
        step.rank = Math.max(step.rank, 1 + (ranks.get(gate) ?? 0));
        step.next++;
      }
    }
  }
  return { ranks, circle };
}
