import { type CommandSpec, option } from "./command.ts";
import type { ReloadOptions } from "./reload.ts";

const config = option("-c, --config <file>", "the configuration", undefined, "config.yaml");
const json = option("--json", "print JSON");

/** What is done with an edited configuration beside a daemon that runs. */
export const RELOAD_COMMANDS: readonly CommandSpec[] = [
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
