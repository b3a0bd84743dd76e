import { Command } from "commander";
import { CONFIG_OPTION, JSON_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { StatusOptions } from "../status.ts";

export function statusCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("status")
    .description("say whether the daemon's rounds run: exit code 0 if they do, 1 if not")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nIt speaks of the rules that the daemon watches since its last start. A rule whose last round is\nmore than three of its intervals ago is late. It is not healthy while a rule is late, or while a channel\nrejects messages or has delivered nothing for 15 minutes.\n\nExample:\n  tickwatch status --config config.yaml\n",
    )
    .action(async (options: StatusOptions) => {
      const { status } = await import("../status.ts");
      finish(await status(options, io));
    });
}
