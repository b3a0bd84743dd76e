import { Command } from "commander";
import { CONFIG_OPTION, JSON_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { RoutesOptions } from "../routes.ts";

export function routesCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("routes")
    .description("show where the notices of a rule go, or of all rules, and which mutes are open")
    .argument("[rule]")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nNothing is asked and nobody is told.\n\nExample:\n  tickwatch routes my-range\n",
    )
    .action(async (rule: string | undefined, options: RoutesOptions) => {
      const { routes } = await import("../routes.ts");
      finish(await routes(rule, options, io));
    });
}
