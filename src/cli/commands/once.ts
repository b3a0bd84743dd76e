import { Command } from "commander";
import { CONFIG_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { OnceOptions } from "../once.ts";

export function onceCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("once")
    .description(
      "ask once for everything and show each subject with its value and what its rule says",
    )
    .option(...CONFIG_OPTION)
    .option("--json", "for programs: exact values as strings")
    .addHelpText(
      "after",
      "\nNothing is stored and nobody is told. Rules that look back over a window know nothing yet.\n\nExample:\n  tickwatch once --config config.yaml\n",
    )
    .action(async (options: OnceOptions) => {
      const { once } = await import("../once.ts");
      finish(await once(options, io));
    });
}
