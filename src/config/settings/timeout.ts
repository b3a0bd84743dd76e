import { SECOND, writtenDuration } from "../../base/duration.ts";
import type { Rule, ServiceConfig } from "../../model/index.ts";
import { type Report, warningAt } from "../../rules/finding.ts";

/** Of the shortest schedule, so that a request that hangs is over before the next round is due. */
const SHARE = 2 / 3;
/** However short the schedule, a service has so long for its answer. */
const LEAST_MS = 2 * SECOND;
const TENTH_MS = SECOND / 10;

/**
 * The service with the time limit of its requests: the one that is `given`, and doubted if a request that
 * hangs would hold up the rounds of a rule; else the default, less where schedules are short.
 */
export function withTimeout(
  service: ServiceConfig,
  given: boolean,
  rules: readonly Rule[],
  report: Report,
): ServiceConfig {
  const shortest = rules.reduce(
    (least, { schedule }) => Math.min(least, schedule.everyMs ?? least),
    Number.POSITIVE_INFINITY,
  );
  const { timeoutMs } = service;
  if (!given) {
    // People read it: `timed out after 6.6 s`.
    const tenths = Math.floor((shortest * SHARE) / TENTH_MS) * TENTH_MS;
    const fitting = Math.max(LEAST_MS, tenths);
    return { ...service, timeoutMs: Math.min(timeoutMs, fitting) };
  }
  if (timeoutMs > LEAST_MS && timeoutMs >= shortest) {
    const every = writtenDuration(shortest);
    const message = `a rule has the schedule ${every}: requests that hang for ${writtenDuration(timeoutMs)} hold up its rounds`;
    const expected = `less than ${every}, or no timeout: then it is by the shortest schedule`;
    report(warningAt(["service", "timeout"], message, { expected }));
  }
  return service;
}
