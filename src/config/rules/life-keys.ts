import type { Condition, FlappingLimits, Rule } from "../../model/index.ts";
import { errorAtKey, type Path, type Report, warningAtKey } from "../../rules/finding.ts";
import type { ConditionContext } from "../../rules/parse/comparison.ts";
import { compileWorseBy, defaultWorse } from "../../rules/parse/worse-by.ts";
import type { RuleKeys } from "./rule-keys.ts";

/** The parts of a rule that say how its alerts live. */
export type RuleLife = Pick<
  Rule,
  "onMissing" | "remind" | "worse" | "cooldownMs" | "once" | "gates" | "flapping"
>;

export interface LifeContext extends Pick<ConditionContext, "metrics" | "tokens"> {
  readonly when: Condition | null;
  readonly event: boolean;
  readonly flapping: FlappingLimits;
}

/** Reads the keys of a rule at `path` that say how its alerts live. */
export function readLife(
  raw: Readonly<Record<string, unknown>>,
  keys: RuleKeys,
  path: Path,
  { when, event, metrics, tokens, flapping }: LifeContext,
  report: Report,
): RuleLife {
  const at = [...path, "worse_by"];
  const given = "worse_by" in raw && when !== null && !event;
  const worse = given
    ? compileWorseBy(raw.worse_by, at, when, { metrics, tokens, report })
    : when === null || event
      ? null
      : defaultWorse(when);
  if (keys.once === true && keys.cooldown !== undefined) {
    const message = "cooldown has no effect beside once";
    report(warningAtKey("no-effect", [...path, "cooldown"], message));
  }
  return {
    onMissing: keys.on_missing ?? "keep",
    remind: keys.remind ?? [],
    worse,
    cooldownMs: keys.cooldown ?? 0,
    once: keys.once ?? false,
    gates: readGates(keys, path, report),
    flapping,
  };
}

function readGates(keys: RuleKeys, path: Path, report: Report): Rule["gates"] {
  const { only_while: onlyWhile = [], unless = [], any_chain: anyChain = false } = keys;
  if (onlyWhile.length + unless.length === 0) {
    if (keys.any_chain !== undefined) {
      const message = "any_chain has no effect without only_while or unless";
      report(warningAtKey("no-effect", [...path, "any_chain"], message));
    }
    return null;
  }
  const both = unless.find((name) => onlyWhile.includes(name));
  if (both !== undefined) {
    const message = `"${both}" is in both only_while and unless: the rule would never notify anybody`;
    report(errorAtKey("gate-never-opens", [...path, "unless"], message));
  }
  return { onlyWhile, unless, anyChain };
}
