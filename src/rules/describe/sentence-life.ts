import { MINUTE } from "../../base/duration.ts";
import type { Written } from "../../base/format.ts";
import type { Rule, WorseBy } from "../../model/index.ts";
import { distanceText, spelledDuration } from "./sentence-clauses.ts";

/** So long after its last value a subject is told of where a rule does not say it. */
const MISSING_AFTER_MS = 5 * MINUTE;

/** `only while cheap-gas fires`. */
export function gateClauses({ gates }: Rule): readonly string[] {
  if (gates === null) return [];
  const { onlyWhile, unless, anyChain } = gates;
  const where = anyChain ? " on any chain" : "";
  return [
    ...(onlyWhile.length === 0 ? [] : [`only while ${fires(onlyWhile, "and")}${where}`]),
    ...(unless.length === 0 ? [] : [`waits while ${fires(unless, "or")}${where}`]),
  ];
}

function fires(names: readonly string[], word: "and" | "or"): string {
  const [last = ""] = names.slice(-1);
  if (names.length === 1) return `${last} fires`;
  const verb = word === "and" ? "fire" : "fires";
  return `${names.slice(0, -1).join(", ")} ${word} ${last} ${verb}`;
}

/** What a rule says again, and how often at most. `as`: how the value that grows worse is written. */
export function againClauses(rule: Rule, as: Written | null): readonly string[] {
  const { worse, remind, cooldownMs, once, onMissing, missingAfterMs } = rule;
  const parts: string[] = [];
  if (worse !== null && as !== null) parts.push(`again with each further ${worseText(worse, as)}`);
  if (remind.length > 0) parts.push(`reminds ${gapsText(remind)} while it lasts`);
  if (cooldownMs > 0) parts.push(`at most once in ${spelledDuration(cooldownMs)}`);
  if (once) parts.push("only once, until it is rearmed or edited");
  const missing = `${spelledDuration(missingAfterMs)} without data`;
  if (onMissing === "fire") parts.push(`fires after ${missing} as well`);
  else if (missingAfterMs !== MISSING_AFTER_MS) parts.push(`says so after ${missing}`);
  return parts;
}

/** Which buckets count, as far as it is not the usual. `bucketMs` is the length of one. */
export function bucketClauses(
  { bucket, minAgeMs, maxAgeMs }: Rule,
  bucketMs: number,
): readonly string[] {
  const length = shortLength(bucketMs);
  const parts: string[] = [];
  if (bucket === "complete") parts.push(`looks at each ${length} once it is over`);
  if (minAgeMs !== MISSING_AFTER_MS && (bucket !== "complete" || minAgeMs > bucketMs)) {
    const age =
      minAgeMs === 0 ? "from its beginning" : `once ${spelledDuration(minAgeMs)} of it are over`;
    parts.push(`counts the running ${length} ${age}`);
  }
  if (maxAgeMs !== 2 * bucketMs) {
    parts.push(`has no data once the last ${length} is over for ${spelledDuration(maxAgeMs)}`);
  }
  return parts;
}

function worseText({ comparison, by }: WorseBy, as: Written): string {
  const far = distanceText(by, as);
  if (by.kind === "percent") return "span" in comparison ? far : `${far} of the limit`;
  // Two percent of a share are two points of it, and no part.
  return far.endsWith("%") ? `${far.slice(0, -1)} points` : far;
}

/** `every hour`, `after 1 hour, 6 hours and then every day`. */
function gapsText(gaps: readonly number[]): string {
  const last = `every ${shortLength(gaps.at(-1) ?? 0)}`;
  const before = gaps.slice(0, -1).map(spelledDuration);
  return before.length === 0 ? last : `after ${before.join(", then ")}, then ${last}`;
}

/** `hour` for one, `2 hours` for more: after `every`, `each` or `in`. */
function shortLength(ms: number): string {
  return spelledDuration(ms).replace(/^1 (\w+)$/, "$1");
}
