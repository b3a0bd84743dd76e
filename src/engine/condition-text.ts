import type { Rule } from "../model.ts";
import { conditionText } from "./words/wording.ts";

/** A round compares it for every alert that fires. */
const KNOWN = new WeakMap<Rule, string>();

/** Under which condition a rule's alerts fire and resolve, in words: after an edit it may be another. */
export function conditionOf(rule: Rule): string {
  const known = KNOWN.get(rule);
  if (known !== undefined) return known;
  const { when, resolveWhen } = rule;
  const end = resolveWhen === null ? "" : `, until ${conditionText(resolveWhen)}`;
  const text = conditionText(when) + end;
  KNOWN.set(rule, text);
  return text;
}
