import { type CommandSpec, json, option } from "./command.ts";
import type { DiffOptions } from "./diff.ts";
import type { ReloadOptions } from "./reload.ts";

const config = option("-c, --config <file>", "the configuration", undefined, "config.yaml");

/** What is done with an edited configuration beside a daemon that runs. */
export const RELOAD_COMMANDS: readonly CommandSpec[] = [
  {
    name: "diff",
    description: "show what loading the configuration would change in the daemon",
    options: [
      config,
      option("--store <file>", "the daemon's database, if the configuration names another one"),
      json,
    ],
    notes: `Compares with the rules, alerts and settings that the daemon has loaded, running or not. Asks, stores and
sends nothing. Give a copy of the files with --config and --store to look before they are in place.`,
    examples: ["diff --config staged/config.yaml --store /var/lib/tickwatch/tickwatch.db"],
    run: async (io, options: DiffOptions) => (await import("./diff.ts")).diff(options, io),
  },
  {
    name: "reload",
    description: "make the running daemon load its edited configuration, and say what came of it",
    options: [config, json],
    notes: `All or nothing: while there is a mistake in any file, the daemon goes on with what it has. SIGHUP does
the same. With reload: auto, the default, the daemon loads edited files by itself. docs/reload.md says what
follows. Exit codes: 0 loaded, 2 refused, 3 no daemon has answered.`,
    examples: ["reload --config /etc/tickwatch/config.yaml"],
    run: async (io, options: ReloadOptions) => (await import("./reload.ts")).reload(options, io),
  },
];
