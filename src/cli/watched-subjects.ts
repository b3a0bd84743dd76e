import { cleanText } from "../base/text.ts";
import { referencesOf } from "../decide/condition-tree.ts";
import { KINDS } from "../kinds/index.ts";
import type { Setup } from "../model/index.ts";
import {
  callSubject,
  findByPart,
  findSubjects,
  type NamedSubject,
  nearestSubject,
} from "../replay/subjects.ts";
import type { Io } from "./io.ts";
import { alertSubjects } from "./rule-argument.ts";

/** Everything that the rules watch or compare with, once each, with all names that it has. */
export function watchedSubjects(
  { rules }: Pick<Setup, "rules">,
  labels: ReadonlyMap<string, string>,
): readonly NamedSubject[] {
  const found = new Map<string, NamedSubject>();
  const add = (one: NamedSubject): void => {
    const names = [...(found.get(one.subject.key)?.names ?? []), ...one.names];
    found.set(one.subject.key, { ...one, names: [...new Set(names)] });
  };
  for (const rule of rules) {
    for (const one of alertSubjects(rule, labels)) add(one);
    // Of a rule over several the samples are its members' as well, where other rules watch them.
    const kind = KINDS.get(rule.kind);
    for (const subject of kind === undefined ? [] : rule.subjects) {
      const names = [subject.name, labels.get(subject.key) ?? null].filter((name) => name !== null);
      if (kind !== undefined) add({ subject, kind, names });
    }
    for (const { subject, kind: name, name: called } of referencesOf(rule)) {
      const other = KINDS.get(name);
      if (other !== undefined) add({ subject, kind: other, names: [called] });
    }
  }
  return [...found.values()];
}

const MOST_NAMED = 5;

/** The one of all subjects that a text means; says on `err` when it means none or several, and is null then. */
export function theSubject(
  text: string,
  all: readonly NamedSubject[],
  io: Io,
): NamedSubject | null {
  const exact = findSubjects(text, all);
  const found = exact.length > 0 ? exact : findByPart(text, all);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const said = cleanText(text, 80);
  if (only === undefined) {
    const near = nearestSubject(text, all);
    const few = all.slice(0, MOST_NAMED).map((one) => callSubject(one, all));
    const hint = near === null ? `they watch ${few.join(", ")}` : `did you mean ${near}?`;
    io.err(`tickwatch: no rule watches ${said}; ${hint}\n`);
    return null;
  }
  const few = found.slice(0, MOST_NAMED).map((one) => callSubject(one, all));
  // Two kinds may watch what people call the same.
  const apart =
    new Set(few).size === few.length
      ? few
      : found.slice(0, MOST_NAMED).map(({ subject }) => subject.key);
  const more = found.length > MOST_NAMED ? ", …" : "";
  io.err(
    `tickwatch: ${said} means ${found.length} subjects: ${apart.join(", ")}${more}; name one\n`,
  );
  return null;
}
