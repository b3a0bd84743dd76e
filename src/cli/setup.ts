import { Secret } from "../base/text.ts";
import { CHANNELS } from "../channels/index.ts";
import type { Problem } from "../config/files/text-file.ts";
import type { Routing } from "../config/routes/routing.ts";
import { type LoadOptions, loadSetup } from "../config/settings/load.ts";
import { KINDS } from "../kinds/index.ts";
import type { Setup } from "../model/index.ts";
import type { Io } from "./io.ts";

/** Reads a configuration and its rules with everything that is built in. Throws ConfigError. */
export async function readSetup(
  config: string,
  io: Pick<Io, "env">,
  more: Pick<
    LoadOptions,
    "rulesFile" | "readFile" | "onPattern" | "onText" | "expand" | "edit"
  > = {},
): Promise<{ setup: Setup; routing: Routing; warnings: readonly Problem[] }> {
  return await loadSetup(config, { env: io.env, watches: KINDS, channels: CHANNELS, ...more });
}

/** Every secret of a setup, so that the log can refuse to print it. */
export function secretsOf(setup: Setup): Secret[] {
  const found: Secret[] = [];
  const visit = (value: unknown): void => {
    if (value instanceof Secret) found.push(value);
    else if (value instanceof Map) [...value.values()].forEach(visit);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  visit(setup.service);
  visit(setup.heartbeat);
  visit(setup.web);
  visit(setup.store);
  for (const { settings } of setup.channels) visit(settings);
  return found;
}
