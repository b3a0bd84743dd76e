import { ConfigError, formatProblem, type Problem } from "../../src/config/files/text-file.ts";
import type { RulesContext } from "../../src/config/rules/rule.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Rule } from "../../src/model/index.ts";
import { loadTemplates } from "../../src/notices/template/library.ts";

await loadTemplates();

const CONTEXT: RulesContext = { watches: KINDS, channels: ["console", "lp-slack"] };
export const POOL = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";

/** The lines of one rule that is right but for what is replaced: key and YAML of its value. */
export function ruleText(keys: Readonly<Record<string, string | null>> = {}): string {
  const all: Record<string, string | null> = {
    name: "tips",
    watch: "{kind: gas, chain: ethereum}",
    when: "{metric: tip_top10, above: 5 gwei}",
    ...keys,
  };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}`);
  return `rules:\n  - ${lines.join("\n    ")}\n`;
}

export function read(text: string, context: RulesContext = CONTEXT) {
  return parseRules(text, "rules.yaml", context);
}

/** The only rule of a text. */
export function one(text: string, context: RulesContext = CONTEXT): Rule {
  const { rules } = read(text, context);
  if (rules.length !== 1 || rules[0] === undefined) throw new Error(`${rules.length} rules`);
  return rules[0];
}

export function problemsOf(text: string, context: RulesContext = CONTEXT): readonly Problem[] {
  try {
    read(text, context);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** The problems as they are printed, one text for each. */
export function printed(text: string, context: RulesContext = CONTEXT): readonly string[] {
  return problemsOf(text, context).map(formatProblem);
}

/** The first lines only. */
export function said(text: string, context: RulesContext = CONTEXT): readonly string[] {
  return printed(text, context).map((problem) => problem.split("\n")[0] ?? "");
}

export function warned(text: string, context: RulesContext = CONTEXT): readonly string[] {
  return read(text, context).warnings.map((problem) => formatProblem(problem).split("\n")[0] ?? "");
}
