import { dirname } from "node:path";
import { CONFIG, CONFIG_WORDS } from "./config-keys.ts";
import { type Defaults, readAllDefaults } from "./defaults-key.ts";
import { readConfig } from "./load.ts";
import { byPlace, ConfigError } from "./problem.ts";
import { type ReadFile, readFromDisk } from "./read-text.ts";
import { expandReferences } from "./references.ts";
import { isMap, readKeys } from "./shape.ts";

const KEYS: ReadonlySet<string> = new Set(["defaults", "flapping", "timezone"]);

/**
 * What a configuration says for rules that do not say it themselves, and nothing else of it: no secret is
 * looked up and no other file is read. Throws ConfigError if the file cannot be read or those keys are
 * wrong.
 */
export async function loadDefaults(
  configPath: string,
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile = readFromDisk,
): Promise<Defaults> {
  const document = await readConfig(configPath, readFile);
  const report = document.report.bind(document);
  const { root } = document;
  const own = isMap(root)
    ? Object.fromEntries(Object.entries(root).filter(([key]) => KEYS.has(key)))
    : root;
  const around = { env, readFile, folder: dirname(configPath), report };
  const expanded = root === undefined ? undefined : await expandReferences(own, [], around);
  const keys = root === undefined ? null : readKeys(CONFIG, expanded, [], CONFIG_WORDS, report);
  const defaults = readAllDefaults(keys?.defaults, keys?.flapping, keys?.timezone ?? "UTC", report);
  if (document.errors.length > 0) throw new ConfigError(document.errors.toSorted(byPlace));
  return defaults;
}
