import { Command } from "commander";
import { DEMO_SEED } from "../../simulator/units.ts";
import { durationArgument, portArgument, speedArgument, wholeArgument } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { ServeOptions } from "../serve.ts";

export function serveCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("serve")
    .description("run the embedded service alone: the whole data service on a simulated market")
    .option("--port <number>", "where it listens; 0 takes a free port", portArgument, 8080)
    .option("--host <address>", "another address of this machine to listen on", "127.0.0.1")
    .option("--seed <number>", "another market", wholeArgument, DEMO_SEED)
    .option("--speed <times>", "how many times as fast as real time it runs", speedArgument, 60)
    .option("--scenario <file>", "what happens in the market, and what the service does wrong")
    .option(
      "--for <duration>",
      "end by itself after so much real time, such as 30s",
      durationArgument,
    )
    .addHelpText("after", "\nExample:\n  tickwatch serve --port 8080 --seed 7 --speed 60\n")
    .action(async (options: ServeOptions) => {
      const { serve } = await import("../serve.ts");
      finish(await serve(options, io));
    });
}
