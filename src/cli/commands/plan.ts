import { Command } from "commander";
import { CONFIG_OPTION, JSON_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { PlanOptions } from "../plan.ts";

export function planCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("plan")
    .description(
      "say how many requests the rules need: a round, an hour, a day, the busiest second",
    )
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nNothing is asked. Numbers are the most that a day of good answers needs: a pool that a position\nlies in is known from its answer only, and may be watched already. Retries are not counted.\n\nExample:\n  tickwatch plan --config config.yaml\n",
    )
    .action(async (options: PlanOptions) => {
      const { plan } = await import("../plan.ts");
      finish(await plan(options, io));
    });
}
