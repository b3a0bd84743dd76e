import type { Rule } from "../model/index.ts";
import type { Support } from "../replay/past/support.ts";

/** A rule's gates by name. */
function gateNames({ gates }: Rule): readonly string[] {
  return gates === null ? [] : [...gates.onlyWhile, ...gates.unless];
}

/** The rules that hold back some of these, and theirs in turn, as far as they are not among them. */
export function gatesOf(rules: readonly Rule[], all: readonly Rule[]): readonly Rule[] {
  const known = new Set(rules.map(({ name }) => name));
  const wanted = new Set(rules.flatMap(gateNames));
  const found: Rule[] = [];
  for (const name of wanted) {
    const gate = known.has(name) ? undefined : all.find((rule) => rule.name === name);
    if (gate === undefined) continue;
    found.push(gate);
    for (const one of gateNames(gate)) wanted.add(one);
  }
  return found;
}

/** A gate that cannot be replayed is always open and holds back nothing. */
export function withKnownGates(rules: readonly Rule[]): readonly Rule[] {
  const names = new Set(rules.map(({ name }) => name));
  return rules.map((rule) => {
    if (rule.gates === null) return rule;
    const { onlyWhile, unless, anyChain } = rule.gates;
    const isThere = (name: string): boolean => names.has(name);
    const left = { onlyWhile: onlyWhile.filter(isThere), unless: unless.filter(isThere), anyChain };
    return { ...rule, gates: left.onlyWhile.length + left.unless.length === 0 ? null : left };
  });
}

/** The support of a rule, which says which of its gates could not be replayed and why. */
export function withOpenGates(support: Support, all: readonly Support[]): Support {
  if (support.rule === null) return support;
  const open = gateNames(support.rule).flatMap((name) => {
    const gate = all.find((one) => one.name === name);
    if (gate !== undefined && gate.rule !== null) return [];
    const why = gate?.refusal ?? null;
    return [`its gate ${name} is assumed open${why === null ? "" : ` (${why})`}`];
  });
  return open.length === 0
    ? support
    : { ...support, source: [support.source, ...open].filter((part) => part !== "").join("; ") };
}
