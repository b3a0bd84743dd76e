import { Command } from "commander";
import type { Io } from "../io.ts";
import type { TestOptions } from "../test.ts";

export function testCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("test")
    .description("run rule tests: values by time, and the notices that must come of them")
    .argument("<files...>", "files of rule tests, such as rules/*.test.yaml")
    .option(
      "-c, --config <file>",
      "take defaults, flapping and timezone for rules without them from this configuration",
    )
    .option("--show", "print each notice whole, as the console channel does")
    .option("--json", "for programs: every case with what was expected and seen")
    .option("--junit <file>", "write the result as JUnit XML as well")
    .option("--watch", "run again whenever a file changes, until SIGINT or SIGTERM")
    .addHelpText(
      "after",
      "\nNothing is asked, stored or sent. docs/testing.md explains the files.\nExit codes: 0 all passed, 1 a case failed, 2 a file cannot be used.\n\nExample:\n  tickwatch test rules/*.test.yaml\n",
    )
    .action(async (files: string[], options: TestOptions) => {
      const { test } = await import("../test.ts");
      finish(await test([...new Set(files)], options, io));
    });
}
