import type { Rule } from "../model/index.ts";
import { conditionText } from "../notices/wording.ts";

/** A round compares it for every alert that fires. */
const KNOWN = new WeakMap<Rule, string>();

/** Under which condition a rule's alerts fire and resolve, in words: after an edit it may be another. */
export function conditionOf(rule: Rule): string {
  const known = KNOWN.get(rule);
  if (known !== undefined) return known;
  const { when, resolveWhen, decimals } = rule;
  const end = resolveWhen === null ? "" : `, until ${conditionText(resolveWhen)}`;
  const units = [...new Set(decimals.values())].toSorted((a, b) => a - b);
  const text = `${conditionText(when)}${end}${units.map((one) => `, decimals ${one}`).join("")}`;
  KNOWN.set(rule, text);
  return text;
}
