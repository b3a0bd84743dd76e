import { meantOr } from "../base/nearest.ts";
import { cleanText } from "../base/text.ts";
import { matches } from "../config/files/globs.ts";
import { acrossSubject } from "../decide/across.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule, Setup } from "../model/index.ts";
import {
  callSubject,
  findByPart,
  findSubjects,
  type NamedSubject,
  nearestSubject,
} from "../replay/subjects.ts";
import type { Io } from "./io.ts";

const MOST_NAMED = 5;

/** The rules that any of the names means, or of the patterns with `*`; says on `err` which means none. */
export function rulesNamed(
  names: readonly string[],
  setup: Pick<Setup, "rules">,
  io: Io,
): readonly Rule[] | null {
  const found = new Set<Rule>();
  for (const name of names) {
    const exact = setup.rules.some((rule) => rule.name === name);
    if (exact || !/[*?]/.test(name)) {
      const one = ruleNamed(name, setup, io);
      if (one === null) return null;
      found.add(one);
      continue;
    }
    const fitting = setup.rules.filter((rule) => fits(rule.name, name));
    if (fitting.length === 0) {
      io.err(`tickwatch: no rule matches ${cleanText(name, 80)}\n`);
      return null;
    }
    for (const one of fitting) found.add(one);
  }
  return [...found];
}

/** Whether a name fits a pattern with `*` and `?`, letter case aside. */
export function fits(name: string, pattern: string): boolean {
  return matches(name.toLowerCase(), pattern.trim().toLowerCase());
}

/** The rule of this name, letter case aside, or with this part of a name; says on `err` when there is none, or several. */
export function ruleNamed(name: string, { rules }: Pick<Setup, "rules">, io: Io): Rule | null {
  const folded = name.trim().toLowerCase();
  const found =
    rules.find((rule) => rule.name === name) ??
    rules.find((rule) => rule.name.toLowerCase() === folded);
  if (found !== undefined) return found;
  const holding = rules.filter(
    ({ name: one }) => folded !== "" && one.toLowerCase().includes(folded),
  );
  const [only] = holding;
  // A single letter is no name, whatever has it.
  if (only !== undefined && holding.length === 1 && folded.length > 1) return only;
  if (only !== undefined) {
    const starting = holding.filter((rule) => rule.name.toLowerCase().startsWith(folded));
    const likely = starting.length > 0 ? starting : holding;
    const few = likely.slice(0, MOST_NAMED).map((rule) => cleanText(rule.name));
    const more = likely.length > MOST_NAMED ? ", …" : "";
    io.err(`tickwatch: ${cleanText(name, 80)} matches ${few.join(", ")}${more}; name one\n`);
    return null;
  }
  const names = rules.map((rule) => rule.name);
  const hint = meantOr(name, names, "`tickwatch routes` shows the rules");
  io.err(`tickwatch: there is no rule ${cleanText(name, 80)}; ${hint}\n`);
  return null;
}

/** What a rule has an alert on, with its names: the rule's own and what the chain said (`labels`, by key). */
export function alertSubjects(
  { across, kind, subjects }: Rule,
  labels: ReadonlyMap<string, string>,
): readonly NamedSubject[] {
  const watch = KINDS.get(kind);
  if (watch === undefined) throw new Error(`no watch kind ${kind}`);
  const all = across === null ? subjects : [acrossSubject(kind, across, subjects)];
  return all.map((subject) => {
    const names = [subject.name, labels.get(subject.key) ?? null].filter((name) => name !== null);
    return { subject, kind: watch, names: [...new Set(names)] };
  });
}

/**
 * What people call the subjects of these rules, by key: with the chain where several are called the
 * same. `labels` are the names that the chain gave, by key.
 */
export function subjectCaller(
  rules: readonly Rule[],
  labels: ReadonlyMap<string, string>,
): (key: string) => string {
  const all = new Map<string, NamedSubject>();
  for (const one of rules.flatMap((rule) => alertSubjects(rule, labels))) {
    if (!all.has(one.subject.key)) all.set(one.subject.key, one);
  }
  const others = [...all.values()];
  return (key) => {
    const one = all.get(key);
    // What no rule watches any more is called as it was last.
    return one === undefined ? (labels.get(key) ?? key) : callSubject(one, others);
  };
}

/**
 * Those of the subjects that a text means, by key, name, part of a name, id or chain, and without one all of them; says
 * on `err` when it means none or several that people do not call the same.
 */
export function subjectNamed(
  text: string | undefined,
  all: readonly NamedSubject[],
  rule: Rule,
  io: Io,
): readonly NamedSubject[] | null {
  if (text === undefined) return all;
  const exact = findSubjects(text, all);
  const found = exact.length > 0 ? exact : findByPart(text, all);
  if (found.length === 1) return found;
  const said = cleanText(text, 80);
  if (found.length === 0) {
    const near = nearestSubject(text, all);
    const few = all.slice(0, 5).map((one) => callSubject(one, all));
    const hint = near === null ? `it watches ${few.join(", ")}` : `did you mean ${near}?`;
    io.err(`tickwatch: ${rule.name} watches no ${said}; ${hint}\n`);
    return null;
  }
  const few = found.slice(0, MOST_NAMED).map((one) => callSubject(one, all));
  if (found.length > MOST_NAMED) few.push("…");
  io.err(`tickwatch: ${said} means ${found.length} subjects of ${rule.name}: ${few.join(", ")}\n`);
  return null;
}
