import { referencesOf } from "../decide/condition-tree.ts";
import { type AlertPlace, GateFinder, placesOf } from "../decide/gates.ts";
import type { Reference, Rule, Subject } from "../model/index.ts";
import { Components } from "./components.ts";

/** What need not be decided together is so up to this many subjects, or this part of all, whichever is more. */
const MOST_TOGETHER = 1_000;
const PART_TOGETHER = 1 / 512;

/** What owners hold changes while rules are watched: all of a kind that is watched so stays together. */
export const OWNED = "owned";

/**
 * What rules tie together, by nodes: a subject, a rule with `across`, and all that owners hold. A node's root is the same
 * for whoever has the same rules.
 */
export class Ties {
  readonly #components = new Components();
  /** Subjects with an alert of their own, or with a rule that asks for them where they are. */
  readonly #watched = new Set<string>();
  /** Values that are compared with and have a place in which something compares with them. */
  readonly #homes = new Set<string>();
  /** The kinds of what owners hold. */
  readonly ownedKinds: ReadonlySet<string>;

  constructor(rules: readonly Rule[]) {
    this.ownedKinds = new Set(
      rules.flatMap(({ kind, owners }) => (owners === undefined ? [] : [kind])),
    );
    for (const rule of rules) this.#tie(rule);
    this.#tieGates(rules);
    const most = Math.max(MOST_TOGETHER, Math.floor(this.#components.size * PART_TOGETHER));
    // Whatever their order in the files.
    for (const rule of rules.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (rule.owners === undefined) this.#tieSome(rule, most);
    }
  }

  get nodes(): Iterable<string> {
    return this.#components.nodes;
  }

  rootOf(node: string): string {
    return this.#components.rootOf(node);
  }

  /** Of all that a reference is made of. */
  rootsOf(reference: Reference): readonly string[] {
    return this.#membersOf(reference).map((node) => this.rootOf(node));
  }

  /** What can be in no other slot. */
  #tie(rule: Rule): void {
    const { across, owners, subjects } = rule;
    // One that becomes known later has its place already.
    if (owners !== undefined) this.#components.join(OWNED, ruleNode(rule));
    else if (across !== null) this.#components.join(ruleNode(rule), ruleNode(rule));
    const nodes = subjects.map((subject) => this.#nodeOf(subject));
    if (across === null) for (const node of nodes) this.#watched.add(node);
    for (const one of referencesOf(rule)) nodes.push(...this.#membersOf(one));
    if (owners !== undefined) for (const node of nodes) this.#components.join(OWNED, node);
  }

  /** What may be in other slots, where it would come to more than `most` subjects in one. */
  #tieSome(rule: Rule, most: number): void {
    const { across, subjects } = rule;
    const members = subjects.map((subject) => this.#nodeOf(subject));
    const alerts = across === null ? members : [ruleNode(rule)];
    if (across !== null && !this.#components.joinUpTo(most, [ruleNode(rule), ...members])) {
      // Of whom nobody else asks: to be elsewhere would spare nothing.
      for (const node of members.filter((one) => !this.#watched.has(one))) {
        this.#components.join(ruleNode(rule), node);
      }
    }
    for (const node of members) this.#watched.add(node);
    for (const one of referencesOf(rule)) {
      const isWhole = this.#components.joinUpTo(most, [...alerts, ...this.#membersOf(one)]);
      // Its samples are written where it is.
      const value = `${one.metric} ${one.subject.key}`;
      if (!isWhole && one.across === null && !this.#homes.has(value)) {
        const [least] = alerts.toSorted();
        if (least !== undefined) this.#components.join(this.#nodeOf(one.subject), least);
      }
      this.#homes.add(value);
    }
  }

  #membersOf({ subject, across }: Reference): readonly string[] {
    return (across?.members ?? [subject]).map((one) => this.#nodeOf(one));
  }

  #tieGates(rules: readonly Rule[]): void {
    const named = new Map(rules.map((rule) => [rule.name, rule]));
    const finders = new Map<string, GateFinder<string>>();
    for (const rule of rules) {
      const { gates } = rule;
      if (gates === null) continue;
      for (const name of gatesOf(gates)) {
        const other = named.get(name);
        if (other === undefined) continue;
        const finder = finders.get(name) ?? new GateFinder(other, this.#nodesOf(other));
        finders.set(name, finder);
        // What it will hold one day may be a gate, or have one.
        if (rule.owners !== undefined || other.owners !== undefined) {
          for (const node of [...this.#nodesOf(rule), ...this.#nodesOf(other)]) {
            this.#components.join(OWNED, node);
          }
          continue;
        }
        for (const place of placesOf(rule)) {
          for (const node of finder.find(place, gates.anyChain)) {
            this.#components.join(this.#nodeOfPlace(rule, place), node);
          }
        }
      }
    }
  }

  #nodeOfPlace(rule: Rule, { subject }: AlertPlace): string {
    return rule.across === null ? this.#nodeOf(subject) : ruleNode(rule);
  }

  /** Of the alerts of a rule, in the order of its places. */
  #nodesOf(rule: Rule): readonly string[] {
    if (rule.across !== null) return [ruleNode(rule)];
    return rule.subjects.map((subject) => this.#nodeOf(subject));
  }

  #nodeOf({ key, kind }: Subject): string {
    const node = subjectNode(key);
    const isOwned = this.ownedKinds.has(kind);
    // What owners hold is not the same for all daemons at each moment: it must not count.
    if (this.#components.add(node, !isOwned) && isOwned) this.#components.join(OWNED, node);
    return node;
  }
}

/** What an alert on the subject is decided with. */
export function subjectNode(key: string): string {
  return `subject ${key}`;
}

/** The one alert of a rule with `across`. */
export function ruleNode(rule: Pick<Rule, "name">): string {
  return `rule ${rule.name}`;
}

/** The names of the rules that are gates. */
function gatesOf(gates: Rule["gates"]): readonly string[] {
  return gates === null ? [] : [...gates.onlyWhile, ...gates.unless];
}
