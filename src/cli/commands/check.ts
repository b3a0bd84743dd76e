import { Command } from "commander";
import { CONFIG_OPTION } from "../arguments.ts";
import type { CheckOptions } from "../check.ts";
import type { Io } from "../io.ts";

export function checkCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("check")
    .description("say what is wrong with the configuration, or what each rule does")
    .argument("[file]", "the configuration, as with --config")
    .option(...CONFIG_OPTION)
    .option("--online", "ask the service once: is the key good, and what would each rule say now")
    .option("--json", "for programs: problems, warnings and rules")
    .addHelpText("after", "\nExamples:\n  tickwatch check --online\n  tickwatch check other.yaml\n")
    .action(async (file: string | undefined, options: CheckOptions, command: Command) => {
      if (file !== undefined && command.getOptionValueSource("config") === "cli") {
        command.error("error: the configuration is given twice, as an argument and with --config");
      }
      const { check } = await import("../check.ts");
      finish(await check(file === undefined ? options : { ...options, config: file }, io));
    });
}
