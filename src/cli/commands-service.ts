import { durationArgument, portArgument, speedArgument, wholeArgument } from "./arguments.ts";
import { type CommandSpec, option } from "./command.ts";
import type { DemoOptions } from "./demo.ts";
import type { ServeOptions } from "./serve.ts";

/** The commands that serve answers of their own: of a simulated market, or of EVM nodes. */

const scenario = option("--scenario <file>", "events in the market and faults of the service");
const seed = option("--seed <number>", "the market's seed; default: the demo's", wholeArgument);
const stopAfter = option("--for <duration>", "stop after this real time (30s)", durationArgument);

export const DEMO_COMMAND: CommandSpec = {
  name: "demo",
  description: "watch a simulated market with the sample rules, on a fast clock",
  options: [
    stopAfter,
    option("--speed <times>", "how much faster than real time", speedArgument, 240),
    seed,
    scenario,
    option("--rpc <env:NAME>", "watch gas and the deepest pools of an EVM node's chain instead"),
    option("--rules <files...>", "rules files of your own instead of the sample rules"),
  ],
  examples: ["demo --for 30s", "demo --scenario crash.yaml --rules 'mine/*.yaml'"],
  run: async (io, options: DemoOptions) => (await import("./demo.ts")).demo(options, io),
};

export const SERVE_COMMAND: CommandSpec = {
  name: "serve",
  description: "serve the simulated data service, or one that answers from an EVM node",
  options: [
    option("--port <number>", "port to listen on; 0 takes a free one", portArgument, 8080),
    option("--host <address>", "address to listen on", undefined, "127.0.0.1"),
    option(
      "--rpc <source>",
      "answer from EVM nodes: env:NAME (a variable with a URL) or a configuration",
    ),
    seed,
    option("--speed <times>", "how much faster than real time", speedArgument, 60),
    scenario,
    stopAfter,
  ],
  examples: ["serve --port 8080 --seed 7 --speed 60", "serve --rpc env:RPC"],
  run: async (io, options: ServeOptions) => (await import("./serve.ts")).serve(options, io),
};
