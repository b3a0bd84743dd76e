import { writtenDuration } from "../../base/duration.ts";
import { type Path, type Report, warningAt } from "../../rules/finding.ts";
import type { Pace } from "../../rules/parse/span.ts";
import type { RuleKeys } from "./rule-keys.ts";

/** A round without a value is told of after three of them in a row. */
const ROUNDS_WITHOUT = 3;

/**
 * What keys of a rule ask for that its schedule, or the length of a bucket, cannot give. `path` leads to
 * the rule. Only what the rule says itself is doubted, never a default.
 */
export function doubtPace(
  keys: RuleKeys,
  path: Path,
  { intervalMs, bucketMs, entries }: Pace & { readonly entries: boolean },
  report: Report,
): void {
  const every = writtenDuration(intervalMs);
  const warn = (key: string, message: string, expected: string): void =>
    report(warningAt([...path, key], message, { expected }));
  for (const key of ["for", "resolve_after"] as const) {
    const ms = keys[key] ?? 0;
    if (ms === 0) continue;
    if (bucketMs !== null && ms <= bucketMs) {
      const bucket = writtenDuration(bucketMs);
      const message = `${key} counts buckets of ${bucket} here, the newest included: this adds nothing`;
      warn(key, message, `more than ${bucket}, or no ${key}`);
    } else if (bucketMs === null && ms < intervalMs) {
      const message = `${key} is shorter than the schedule: the next round is ${every} later`;
      warn(key, message, `at least ${every}, or a shorter schedule`);
    }
  }
  for (const [i, ms] of (keys.remind ?? []).entries()) {
    if (ms >= intervalMs) continue;
    const message = `this gap is shorter than the schedule: reminders come with a round, every ${every}`;
    const hint = { expected: `at least ${every}, or a shorter schedule` };
    report(warningAt([...path, "remind", i], message, hint));
  }
  // Of entries one round may bring many.
  if (keys.cooldown !== undefined && !entries && keys.cooldown <= intervalMs) {
    const message = `cooldown holds nothing back: rounds are ${every} apart already`;
    warn("cooldown", message, `more than ${every}`);
  }
  if (keys.missing_after !== undefined && keys.missing_after < intervalMs) {
    const least = writtenDuration(ROUNDS_WITHOUT * intervalMs);
    const message = `missing_after is shorter than the schedule: no data is told of after ${ROUNDS_WITHOUT} rounds at the earliest`;
    warn("missing_after", message, `at least ${least}, or a shorter schedule`);
  }
}
