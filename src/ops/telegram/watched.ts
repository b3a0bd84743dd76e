import { meantOr } from "../../base/nearest.ts";
import { cleanText } from "../../base/text.ts";
import { isFiring } from "../../decide/notification-state.ts";
import { subjectName } from "../../notices/wording.ts";
import type { AlertMemory, Memory, RuleMemory } from "../../poll/memory.ts";

const MOST_NAMED = 5;

/** What was meant, or why that cannot be said, for the person who asked. */
export type Meant<T> = { readonly found: T } | { readonly problem: string };

/** The rule of this name, letter case aside, or with this part of a name. */
export function ruleMeant(name: string, { rules }: Memory): Meant<RuleMemory> {
  const folded = name.toLowerCase();
  const exact =
    rules.find(({ rule }) => rule.name === name) ??
    rules.find(({ rule }) => rule.name.toLowerCase() === folded);
  if (exact !== undefined) return { found: exact };
  const holding = rules.filter(({ rule }) => rule.name.toLowerCase().includes(folded));
  const [only] = holding;
  if (only !== undefined && holding.length === 1) return { found: only };
  const said = cleanText(name, 60);
  if (only !== undefined) return { problem: `${said} matches ${few(holding)}; name one` };
  const names = rules.map(({ rule }) => rule.name);
  const hint = meantOr(name, names, "");
  return { problem: `there is no rule ${said}${hint === "" ? "" : `; ${hint}`}` };
}

/** The alerts of a rule on subjects whose name or key has this part; null: all of them. */
export function alertsMeant(
  { rule, alerts }: RuleMemory,
  text: string | null,
): Meant<readonly AlertMemory[]> {
  if (text === null) return { found: alerts };
  const folded = text.toLowerCase();
  const exact = alerts.filter((one) => nameOf(one).toLowerCase() === folded);
  const found =
    exact.length > 0
      ? exact
      : alerts.filter(
          (one) =>
            nameOf(one).toLowerCase().includes(folded) ||
            one.subject.key.toLowerCase().includes(folded),
        );
  if (found.length > 0) return { found };
  return { problem: `${cleanText(rule.name)} does not watch ${cleanText(text, 60)}` };
}

/** What people call its subject. */
export function nameOf({ subject, alert }: AlertMemory): string {
  return subjectName(subject, null, alert?.label ?? null);
}

/** Those that fire, those that fire for longest first. */
export function firingOf({ rules }: Memory): readonly AlertMemory[] {
  return rules
    .flatMap(({ alerts }) => alerts.filter(({ alert }) => alert !== null && isFiring(alert.state)))
    .toSorted((a, b) => firedAt(a) - firedAt(b));
}

export function firedAt({ alert }: AlertMemory): number {
  return alert?.firedAt ?? alert?.since ?? 0;
}

function few(rules: readonly RuleMemory[]): string {
  const names = rules.slice(0, MOST_NAMED).map(({ rule }) => cleanText(rule.name));
  return `${names.join(", ")}${rules.length > MOST_NAMED ? ", …" : ""}`;
}
