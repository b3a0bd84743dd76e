import { Command } from "commander";
import { CONFIG_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";

export function runCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("run")
    .description("watch and alert until SIGINT or SIGTERM")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch run --config /etc/tickwatch/config.yaml\n")
    .action(async ({ config }: { config: string }) => {
      const { run } = await import("../run.ts");
      finish(await run(config, io));
    });
}
