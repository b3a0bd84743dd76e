import { Command } from "commander";
import { DEMO_SEED } from "../../simulator/units.ts";
import { durationArgument, speedArgument, wholeArgument } from "../arguments.ts";
import type { DemoOptions } from "../demo.ts";
import type { Io } from "../io.ts";

export function demoCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("demo")
    .description("show the daemon at work on the embedded service, on a fast clock")
    .option(
      "--for <duration>",
      "end by itself after so much real time, such as 30s",
      durationArgument,
    )
    .option(
      "--speed <times>",
      "how many times as fast as real time the market runs",
      speedArgument,
      240,
    )
    .option("--seed <number>", "another market", wholeArgument, DEMO_SEED)
    .option("--scenario <file>", "what happens in the market, and what the service does wrong")
    .option("--rules <files...>", "rules files of your own in place of those of the package")
    .addHelpText(
      "after",
      "\nExamples:\n  tickwatch demo --for 30s\n  tickwatch demo --scenario crash.yaml --rules 'mine/*.yaml'\n",
    )
    .action(async (options: DemoOptions) => {
      const { demo } = await import("../demo.ts");
      finish(await demo(options, io));
    });
}
