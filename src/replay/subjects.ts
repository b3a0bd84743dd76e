import { chainById, chainName } from "../base/chains.ts";
import { nearest } from "../base/nearest.ts";
import { createMemory } from "../commit/load.ts";
import { acrossSubject } from "../decide/across.ts";
import { referencesOf } from "../decide/condition-tree.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { isChain, type Rule, type Subject } from "../model/index.ts";
import { NOTHING_LOADED } from "../store/store.ts";

/** A subject that the rules of a case ask for, with the names that the rules and their references give it. */
export interface NamedSubject {
  readonly subject: Subject;
  readonly kind: WatchKind;
  readonly names: readonly string[];
}

/** Everything that the rounds of these rules would ask for, references included. */
export function subjectsOf(
  rules: readonly Rule[],
  kinds: ReadonlyMap<string, WatchKind>,
): readonly NamedSubject[] {
  const names = new Map<string, Set<string>>();
  const compared = rules
    .flatMap(referencesOf)
    .flatMap(({ subject, across }) => [subject, ...(across?.members ?? [])]);
  for (const { key, name } of [...rules.flatMap(({ subjects }) => subjects), ...compared]) {
    const known = names.get(key) ?? new Set();
    if (name !== null) known.add(name);
    names.set(key, known);
  }
  const { subjects } = createMemory(rules, kinds, ({ name }) => name, NOTHING_LOADED);
  return Array.from(subjects.values(), ({ subject, kind, key }) => ({
    subject,
    kind,
    names: [...(names.get(key) ?? [])],
  }));
}

/** Those that answers are asked for: what `across` makes of several subjects has none of its own. */
export function askedFor(
  all: readonly NamedSubject[],
  rules: readonly Rule[],
): readonly NamedSubject[] {
  const together = new Set<string>();
  for (const rule of rules) {
    const { kind, across, subjects } = rule;
    if (across !== null) together.add(acrossSubject(kind, across, subjects).key);
    for (const one of referencesOf(rule)) if (one.across !== null) together.add(one.subject.key);
  }
  return all.filter(({ subject }) => !together.has(subject.key));
}

/**
 * The subjects that a text means: by key, name, `NAME on CHAIN`, an id, or the chain. Letter case does
 * not matter. Several, if people call several the same.
 */
export function findSubjects(text: string, all: readonly NamedSubject[]): readonly NamedSubject[] {
  const wanted = text.trim().toLowerCase();
  const hits = (namesOf: (one: NamedSubject) => readonly string[]): readonly NamedSubject[] =>
    all.filter((one) => namesOf(one).some((name) => name.toLowerCase() === wanted));
  // What is said most exactly comes first.
  for (const namesOf of [
    ({ subject }: NamedSubject) => [subject.key],
    ({ names, subject }: NamedSubject) => names.flatMap((name) => onChains(name, subject)),
    ({ names }: NamedSubject) => names,
    ({ subject }: NamedSubject) =>
      Object.values(subject.ids).flatMap((id) => [id, ...onChains(id, subject)]),
    // A chain's own gas before all that is on the chain.
    ({ subject }: NamedSubject) => (isChain(subject) ? chainWords(subject) : []),
    ({ subject }: NamedSubject) => chainWords(subject),
  ]) {
    const found = hits(namesOf);
    if (found.length > 0) return found;
  }
  return [];
}

/** A text of fewer characters is a part of too much. */
const SHORTEST_PART = 2;
const SHORTEST_ID_PART = 6;

/** The subjects one of whose names holds a text, or whose id begins with it; letter case does not matter. */
export function findByPart(text: string, all: readonly NamedSubject[]): readonly NamedSubject[] {
  const part = text.trim().toLowerCase();
  if (part.length < SHORTEST_PART) return [];
  const named = all.filter(({ names }) => names.some((name) => name.toLowerCase().includes(part)));
  if (named.length > 0 || part.length < SHORTEST_ID_PART) return named;
  return all.filter(({ subject }) =>
    Object.values(subject.ids).some((id) => id.toLowerCase().startsWith(part)),
  );
}

/** Everything on the chain that a text means, by its name or number: its gas and all that is on it. */
export function onChain(text: string, all: readonly NamedSubject[]): readonly NamedSubject[] {
  const wanted = text.trim().toLowerCase();
  return all.filter(({ subject }) =>
    chainWords(subject).some((word) => word.toLowerCase() === wanted),
  );
}

/** What a subject is called in messages and reports: by its name, with the chain where that helps. */
export function callSubject(one: NamedSubject, all: readonly NamedSubject[]): string {
  const [name] = one.names;
  if (name === undefined) {
    const alone = all.every(
      ({ subject }) => subject === one.subject || subject.chainId !== one.subject.chainId,
    );
    return isChain(one.subject) && alone ? chainName(one.subject.chainId) : one.subject.key;
  }
  const alone = all.every((other) => other === one || !other.names.includes(name));
  if (alone) return name;
  const long = `${name} on ${chainName(one.subject.chainId)}`;
  const clear = findSubjects(long, all).length === 1;
  return clear ? long : one.subject.key;
}

/** The name that was probably meant by a text that means none. */
export function nearestSubject(text: string, all: readonly NamedSubject[]): string | null {
  return nearest(
    text,
    all.map((one) => callSubject(one, all)),
  );
}

function onChains(name: string, subject: Subject): readonly string[] {
  return chainWords(subject).map((chain) => `${name} on ${chain}`);
}

function chainWords({ chainId }: Subject): readonly string[] {
  const chain = chainById(chainId);
  return chain === undefined ? [String(chainId)] : [chain.alias, chain.name, String(chainId)];
}
