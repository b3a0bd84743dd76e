import { Command } from "commander";
import { CONFIG_OPTION } from "../arguments.ts";
import type { CheckOptions } from "../check.ts";
import type { Io } from "../io.ts";

export function checkCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("check")
    .description("say what is wrong with the configuration, or what each rule does")
    .option(...CONFIG_OPTION)
    .option("--online", "ask the service once: is the key good, and what would each rule say now")
    .option("--json", "for programs: problems, warnings and rules")
    .addHelpText(
      "after",
      "\nExample:\n  tickwatch check --config config.yaml\n  tickwatch check --online --config config.yaml\n",
    )
    .action(async (options: CheckOptions) => {
      const { check } = await import("../check.ts");
      finish(await check(options, io));
    });
}
