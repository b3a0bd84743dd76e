import { type ReadFile, readFromDisk } from "../files/read-text.ts";
import { type Defaults, readAllDefaults } from "./defaults-key.ts";
import { readSomeKeys } from "./read-config.ts";

/**
 * What a configuration says for rules that do not say it themselves, and nothing else of it. Throws
 * ConfigError if the file cannot be read or those keys are wrong.
 */
export function loadDefaults(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile = readFromDisk,
): Promise<Defaults> {
  return readSomeKeys(
    { path, env, readFile },
    ["defaults", "flapping", "timezone"],
    ({ defaults, flapping, timezone = "UTC" }, report) =>
      readAllDefaults(defaults, flapping, timezone, report),
  );
}
