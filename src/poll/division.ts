import { createHash } from "node:crypto";
import { acrossSubject } from "../decide/across.ts";
import { referencesOf } from "../decide/condition-tree.ts";
import { type AlertPlace, GateFinder, placesOf } from "../decide/gates.ts";
import type { Rule, Subject } from "../model/index.ts";

/** Into so many parts the work is divided, which daemons share. */
export const SLOTS = 256;

/** The slot of what nobody may decide yet. */
const NOWHERE = -1;

/** What others decide by other rules. */
export interface Behind {
  readonly division: Division;
  readonly slots: ReadonlySet<number>;
}

/** What of the rules a daemon decides that shares the work with others. */
export interface Share {
  /** A number of the rules, which is another one for other rules. */
  readonly config: number;
  readonly division: Division;
  readonly slots: ReadonlySet<number>;
  /** Those of them whose alerts were brought up to these rules already. */
  readonly current: ReadonlySet<number>;
}

/** What owners hold changes while rules are watched: all of a kind that is watched so stays together. */
const OWNED = "owned";

/**
 * Which slot each alert belongs to. What is decided together is in one slot: all rules on one subject, a rule with
 * `across` and all of its subjects, what is compared with and what compares with it, gates and what they are gates
 * of. A slot follows from the rules alone, so that all daemons with the same rules agree. Pure.
 */
export class Division {
  readonly #parents = new Map<string, string>();
  readonly #slots = new Map<string, number>();
  readonly #slotLists = new Map<string, readonly number[]>();
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #ownedKinds: ReadonlySet<string>;
  /** By the root of what waits the slot in which it is to be. */
  readonly #waiting = new Map<string, number>();

  readonly #isUnknown: boolean;

  /**
   * `behind`: slots that others still decide by other rules. What they decide of these rules waits for them; all does where
   * it is unknown what that is (null).
   */
  constructor(rules: readonly Rule[], behind: readonly Behind[] | null = []) {
    this.#isUnknown = behind === null;
    this.#rules = new Map(rules.map((rule) => [rule.name, rule]));
    this.#ownedKinds = new Set(
      rules.flatMap(({ kind, owners }) => (owners === undefined ? [] : [kind])),
    );
    for (const rule of rules) this.#tie(rule);
    this.#tieGates(rules);
    this.#number();
    for (const { division, slots } of behind ?? []) this.#await(division, slots);
  }

  /** The slot of an alert, also of one that is no longer watched. */
  slotOf(rule: string, subject: string): number {
    const watched = this.#rules.get(rule);
    if (watched !== undefined && watched.across !== null) return this.#slotOfNode(nodeOf(watched));
    if (watched?.owners !== undefined) return this.#slotOfNode(OWNED);
    return this.#slotOfNode(`subject ${subject}`);
  }

  /** The slots in which a rule has alerts, in their order. */
  slotsOf(name: string): readonly number[] {
    let known = this.#slotLists.get(name);
    if (known === undefined) {
      const { subjects = [], owners } = this.#rules.get(name) ?? {};
      const found = new Set(subjects.map(({ key }) => this.slotOf(name, key)));
      if (owners !== undefined) found.add(this.#slotOfNode(OWNED));
      found.delete(NOWHERE);
      known = [...found].toSorted((a, b) => a - b);
      this.#slotLists.set(name, known);
    }
    return known;
  }

  /** Whether what owners hold is in these slots. */
  hasOwned(slots: ReadonlySet<number>): boolean {
    return this.#ownedKinds.size > 0 && slots.has(this.#slotOfNode(OWNED));
  }

  /** The slots of these in which something waits until others decide by these rules. */
  waitingIn(slots: ReadonlySet<number>): ReadonlySet<number> {
    if (this.#isUnknown) return slots;
    return new Set([...this.#waiting.values()].filter((slot) => slots.has(slot)));
  }

  /** What waits in these slots, as a text that is the same where the same waits. */
  waitingText(slots: ReadonlySet<number>): string {
    if (this.#isUnknown) return "everything";
    const nodes = [...this.#waiting].flatMap(([node, slot]) => (slots.has(slot) ? [node] : []));
    return nodes.toSorted().join("\n");
  }

  /** Of subjects, the part in each slot: how even the division is. */
  get subjectsOfSlots(): ReadonlyMap<number, number> {
    const counts = new Map<number, Set<string>>();
    for (const rule of this.#rules.values()) {
      for (const { key } of rule.subjects) {
        const slot = this.slotOf(rule.name, key);
        counts.set(slot, (counts.get(slot) ?? new Set()).add(key));
      }
    }
    return new Map(Array.from(counts, ([slot, keys]) => [slot, keys.size]));
  }

  /** What of the rules is in these slots: with those of their subjects that are, and gates without any. */
  rulesIn(slots: ReadonlySet<number>): readonly Rule[] {
    const kept: Rule[] = [];
    const gates = new Set<string>();
    const parts = new Map<string, Rule>();
    for (const rule of this.#rules.values()) {
      const part = this.#part(rule, slots);
      parts.set(rule.name, part);
      if (part.subjects.length > 0 || part.owners !== undefined) {
        for (const name of gatesOf(rule.gates)) gates.add(name);
      }
    }
    // A gate may have gates itself.
    for (const name of gates) {
      for (const other of gatesOf(this.#rules.get(name)?.gates ?? null)) gates.add(other);
    }
    for (const part of parts.values()) {
      const has = part.subjects.length > 0 || part.owners !== undefined;
      if (has || gates.has(part.name)) kept.push(part);
    }
    return kept;
  }

  #part(rule: Rule, slots: ReadonlySet<number>): Rule {
    const { name, across, owners, subjects } = rule;
    if (across !== null || owners !== undefined) {
      const node = owners === undefined ? nodeOf(rule) : OWNED;
      if (slots.has(this.#slotOfNode(node))) return rule;
      const { owners: _, ...rest } = rule;
      return { ...rest, subjects: [] };
    }
    const mine = subjects.filter(({ key }) => slots.has(this.slotOf(name, key)));
    return mine.length === subjects.length ? rule : { ...rule, subjects: mine };
  }

  #tie(rule: Rule): void {
    const { across, owners, subjects } = rule;
    // One that becomes known later has its place already.
    if (owners !== undefined) this.#join(OWNED, `rule ${rule.name}`);
    const nodes = subjects.map((subject) => this.#nodeOf(subject));
    const together = [
      ...(across === null ? [] : [nodeOf(rule), ...nodes]),
      ...(owners === undefined ? [] : [OWNED, ...nodes]),
    ];
    for (const { subject, across: sum } of referencesOf(rule)) {
      const members = sum === null ? [subject] : sum.members;
      together.push(...members.map((one) => this.#nodeOf(one)), ...nodes);
      if (across !== null) together.push(nodeOf(rule));
      if (owners !== undefined) together.push(OWNED);
    }
    const [first, ...others] = together;
    if (first === undefined) return;
    for (const other of others) this.#join(first, other);
  }

  #tieGates(rules: readonly Rule[]): void {
    const finders = new Map<string, GateFinder<string>>();
    for (const rule of rules) {
      const { gates } = rule;
      if (gates === null) continue;
      for (const name of gatesOf(gates)) {
        const other = this.#rules.get(name);
        if (other === undefined) continue;
        const finder = finders.get(name) ?? new GateFinder(other, this.#nodesOf(other));
        finders.set(name, finder);
        // What it will hold one day may be a gate, or have one.
        if (rule.owners !== undefined || other.owners !== undefined) {
          for (const node of [...this.#nodesOf(rule), ...this.#nodesOf(other)]) {
            this.#join(OWNED, node);
          }
          continue;
        }
        for (const place of placesOf(rule)) {
          for (const node of finder.find(place, gates.anyChain)) {
            this.#join(this.#nodeOfPlace(rule, place), node);
          }
        }
      }
    }
  }

  #nodeOfPlace(rule: Rule, { subject }: AlertPlace): string {
    return rule.across === null ? this.#nodeOf(subject) : nodeOf(rule);
  }

  /** Of the alerts of a rule, in the order of its places. */
  #nodesOf(rule: Rule): readonly string[] {
    if (rule.across !== null) return [nodeOf(rule)];
    return rule.subjects.map((subject) => this.#nodeOf(subject));
  }

  #nodeOf({ key, kind }: Subject): string {
    const node = `subject ${key}`;
    if (!this.#parents.has(node)) {
      this.#parents.set(node, node);
      if (this.#ownedKinds.has(kind)) this.#join(OWNED, node);
    }
    return node;
  }

  #join(one: string, other: string): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)];
    // The smallest is the root, whatever the order in which rules stand in their files.
    if (a < b) this.#parents.set(b, a);
    else this.#parents.set(a, b);
  }

  #rootOf(node: string): string {
    let at = node;
    for (let up = this.#parents.get(at) ?? at; up !== at; up = this.#parents.get(at) ?? at) {
      const above = this.#parents.get(up) ?? up;
      this.#parents.set(at, above);
      at = above;
    }
    return at;
  }

  #number(): void {
    for (const node of this.#parents.keys()) {
      const root = this.#rootOf(node);
      const slot = this.#slots.get(root) ?? hashOf(root);
      this.#slots.set(root, slot);
      this.#slots.set(node, slot);
    }
  }

  /** What is in another slot from now on, and which others still decide in the one where it was. */
  #await(other: Division, slots: ReadonlySet<number>): void {
    for (const [node, slot] of other.#slots) {
      if (!slots.has(slot)) continue;
      const next = this.#finalSlotOf(node);
      if (next !== slot) this.#waiting.set(this.#rootOf(node), next);
    }
    for (const rule of other.#rules.values()) this.#awaitRule(rule, other, slots);
  }

  /** The alerts of a rule that is asked about in another way from now on have another place. */
  #awaitRule(
    { name, kind, across, subjects }: Rule,
    other: Division,
    slots: ReadonlySet<number>,
  ): void {
    const next = this.#rules.get(name);
    const isTogether = next !== undefined && next.across !== null;
    const keys =
      across === null || subjects.length === 0
        ? subjects.map(({ key }) => key)
        : [acrossSubject(kind, across, subjects).key];
    const isBehind = keys.some((key) => slots.has(other.slotOf(name, key)));
    if (!isBehind || (across !== null && isTogether)) return;
    if (across !== null) this.#wait(`subject ${keys[0] ?? ""}`);
    else if (isTogether) this.#wait(nodeOf(next));
    else if (next?.owners !== undefined) this.#wait(OWNED);
  }

  #wait(node: string): void {
    this.#waiting.set(this.#rootOf(node), this.#finalSlotOf(node));
  }

  #slotOfNode(node: string): number {
    if (this.#isUnknown) return NOWHERE;
    if (this.#waiting.size > 0 && this.#waiting.has(this.#rootOf(node))) return NOWHERE;
    return this.#finalSlotOf(node);
  }

  #finalSlotOf(node: string): number {
    const known = this.#slots.get(node);
    if (known !== undefined) return known;
    // What was not watched when this was made: a position of an owner, or nothing any more.
    const kind = node.startsWith("subject ") ? node.slice("subject ".length).split(":")[0] : null;
    return kind !== undefined && kind !== null && this.#ownedKinds.has(kind)
      ? (this.#slots.get(OWNED) ?? hashOf(OWNED))
      : hashOf(node);
  }
}

function nodeOf(rule: Pick<Rule, "name">): string {
  return `rule ${rule.name}`;
}

function gatesOf(gates: Rule["gates"]): readonly string[] {
  return gates === null ? [] : [...gates.onlyWhile, ...gates.unless];
}

function hashOf(text: string): number {
  return createHash("sha256").update(text).digest()[0] ?? 0;
}
