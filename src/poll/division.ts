import { createHash } from "node:crypto";
import { acrossSubject } from "../decide/across.ts";
import { referencesOf } from "../decide/condition-tree.ts";
import type { Rule } from "../model/index.ts";
import { OWNED, ruleNode, subjectNode, Ties } from "./ties.ts";

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

/** Subjects that are decided together, and by which rules. */
export interface Together {
  readonly subjects: number;
  /** The names of those that tie them to one another, in the order of the rules. */
  readonly rules: readonly string[];
}

/**
 * Which slot each alert belongs to. What is decided together is in one slot: all rules on one subject, gates and what they
 * are gates of. So are a rule with `across` and its subjects, and what is compared with and what compares with it,
 * unless they would be too many: then who needs a value for its alerts asks for it too (a copy). A slot follows from
 * the rules alone, and not from what owners hold, so that all daemons with the same rules agree. Pure.
 */
export class Division {
  readonly #ties: Ties;
  readonly #slots = new Map<string, number>();
  readonly #slotLists = new Map<string, readonly number[]>();
  readonly #rules: ReadonlyMap<string, Rule>;
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
    this.#ties = new Ties(rules);
    this.#number();
    for (const { division, slots } of behind ?? []) this.#await(division, slots);
  }

  /** The slot of an alert, also of one that is no longer watched. */
  slotOf(rule: string, subject: string): number {
    const watched = this.#rules.get(rule);
    if (watched !== undefined && watched.across !== null)
      return this.#slotOfNode(ruleNode(watched));
    if (watched?.owners !== undefined) return this.#slotOfNode(OWNED);
    return this.#slotOfNode(subjectNode(subject));
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
    return this.#ties.ownedKinds.size > 0 && slots.has(this.#slotOfNode(OWNED));
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

  /** Whether a subject is in these slots: who asks for it elsewhere has a copy, and writes nothing of it. */
  holds(subject: string, slots: ReadonlySet<number>): boolean {
    return slots.has(this.#slotOfNode(subjectNode(subject)));
  }

  /** What is decided together that is more than so many subjects, the largest first. */
  together(more: number): readonly Together[] {
    const found = new Map<string, { subjects: Set<string>; rules: string[] }>();
    for (const rule of this.#rules.values()) {
      const { name, across, gates, owners, subjects } = rule;
      const tied = new Set(referencesOf(rule).flatMap((one) => this.#ties.rootsOf(one)));
      if (across !== null) tied.add(this.#ties.rootOf(ruleNode(rule)));
      for (const { key } of subjects) {
        const root = this.#ties.rootOf(subjectNode(key));
        const its = found.get(root) ?? { subjects: new Set(), rules: [] };
        found.set(root, its);
        its.subjects.add(key);
        const ties = gates !== null || owners !== undefined || tied.has(root);
        if (ties && its.rules.at(-1) !== name) its.rules.push(name);
      }
    }
    return [...found.values()]
      .map(({ subjects, rules }) => ({ subjects: subjects.size, rules }))
      .filter(({ subjects }) => subjects > more)
      .toSorted((a, b) => b.subjects - a.subjects);
  }

  /** What of the rules is in these slots, with those of their subjects that are: gates with whatever needs them. */
  rulesIn(slots: ReadonlySet<number>): readonly Rule[] {
    return Array.from(this.#rules.values(), (rule) => this.#part(rule, slots)).filter(
      ({ subjects, owners }) => subjects.length > 0 || owners !== undefined,
    );
  }

  #part(rule: Rule, slots: ReadonlySet<number>): Rule {
    const { name, across, owners, subjects } = rule;
    if (across !== null || owners !== undefined) {
      const node = owners === undefined ? ruleNode(rule) : OWNED;
      if (slots.has(this.#slotOfNode(node))) return rule;
      const { owners: _, ...rest } = rule;
      return { ...rest, subjects: [] };
    }
    const mine = subjects.filter(({ key }) => slots.has(this.slotOf(name, key)));
    return mine.length === subjects.length ? rule : { ...rule, subjects: mine };
  }

  #number(): void {
    for (const node of this.#ties.nodes) {
      const root = this.#ties.rootOf(node);
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
      if (next !== slot) this.#waiting.set(this.#ties.rootOf(node), next);
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
    if (across !== null) this.#wait(subjectNode(keys[0] ?? ""));
    else if (isTogether) this.#wait(ruleNode(next));
    else if (next?.owners !== undefined) this.#wait(OWNED);
  }

  #wait(node: string): void {
    this.#waiting.set(this.#ties.rootOf(node), this.#finalSlotOf(node));
  }

  #slotOfNode(node: string): number {
    if (this.#isUnknown) return NOWHERE;
    if (this.#waiting.size > 0 && this.#waiting.has(this.#ties.rootOf(node))) return NOWHERE;
    return this.#finalSlotOf(node);
  }

  #finalSlotOf(node: string): number {
    const known = this.#slots.get(node);
    if (known !== undefined) return known;
    // What was not watched when this was made: a position of an owner, or nothing any more.
    const kind = node.startsWith("subject ") ? node.slice("subject ".length).split(":")[0] : null;
    return kind !== undefined && kind !== null && this.#ties.ownedKinds.has(kind)
      ? (this.#slots.get(OWNED) ?? hashOf(OWNED))
      : hashOf(node);
  }
}

function hashOf(text: string): number {
  return createHash("sha256").update(text).digest()[0] ?? 0;
}
