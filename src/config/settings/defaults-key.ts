import type { FlappingLimits } from "../../model/index.ts";
import { errorAt, type Report } from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { FLAPPING_LIMITS, type RulesContext } from "../rules/rule.ts";
import { lintSchedule, Schedules } from "../rules/schedules.ts";
import { DEFAULTS, FLAPPING } from "./config-keys.ts";
import { type Env, readSomeKeys } from "./read-config.ts";

/** What config.yaml says for rules that do not say it themselves. */
export type Defaults = NonNullable<RulesContext["defaults"]>;

/**
 * Reads `defaults` and `flapping` of config.yaml, of which what is wrong is reported. `timezone` is that
 * of the configuration.
 */
export function readAllDefaults(
  defaults: unknown,
  flapping: unknown,
  timezone: string,
  report: Report,
): Defaults {
  return { ...readDefaults(defaults, timezone, report), flapping: readFlapping(flapping, report) };
}

function readFlapping(raw: unknown, report: Report): FlappingLimits {
  const path = ["flapping"];
  const keys = raw === undefined ? {} : readKeys(FLAPPING, raw, path, "flapping", report);
  const { more_than: moreThan = FLAPPING_LIMITS.moreThan, within } = keys ?? {};
  return { moreThan, withinMs: within ?? FLAPPING_LIMITS.withinMs };
}

function readDefaults(raw: unknown, timezone: string, report: Report): Defaults {
  const path = ["defaults"];
  const keys = raw === undefined ? {} : readKeys(DEFAULTS, raw, path, "defaults", report);
  const { schedule = "1m", severity = "warning" } = keys ?? {};
  const read = new Schedules().read(schedule, timezone);
  if ("next" in read) {
    lintSchedule(read, [...path, "schedule"], report);
    return { schedule, severity, timezone };
  }
  report(errorAt("bad-schedule", [...path, "schedule"], `schedule ${read.message}`, read.hint));
  return { severity, timezone };
}

/**
 * What a configuration says for rules that do not say it themselves, and nothing else of it. Throws
 * ConfigError if the file cannot be read or those keys are wrong.
 */
export function loadDefaults(path: string, env: Env): Promise<Defaults> {
  return readSomeKeys(
    path,
    env,
    ["defaults", "flapping", "timezone"],
    ({ defaults, flapping, timezone = "UTC" }, report) =>
      readAllDefaults(defaults, flapping, timezone, report),
  );
}
