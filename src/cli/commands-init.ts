import { Argument } from "commander";
import { moreArgument } from "./arguments.ts";
import { type CommandSpec, option } from "./command.ts";
import type { InitOptions } from "./init/questions.ts";

export const INIT_COMMAND: CommandSpec = {
  name: "init",
  description: "write a configuration, rules with their tests and .env.example into a folder",
  arguments: [
    new Argument("[folder]", "where to write; nothing in it is overwritten").default("."),
  ],
  options: [
    option("--watch <what>", "lp, gas, treasury, pool or holders"),
    option("--data <source>", "service, node or simulator"),
    option("--url <address>", "the service's address, without /v1"),
    option("--legacy-url <address>", "the address of its earlier family, without /api"),
    option("--chain <chain>", "a chain's name or number"),
    option("--id <id>", "a position, pool or token to watch; repeatable", moreArgument),
    option("--protocol <name>", "what minted the positions: dexa (default) or dexb"),
    option("--wallet <address>", "look there for positions (lp), or watch its tokens (treasury)"),
    option("--channel <kind>", "console, slack, telegram, discord, email, pagerduty or webhook"),
    option("--offline", "do not ask the service"),
  ],
  notes: `Asks for what no option says, if it runs at a terminal. Then it tests the rules and asks the service once what
each of them says now; the key is read from TICKWATCH_API_KEY,
the URL of a node from RPC_ETHEREUM and the like. Secrets are not asked for and not written.`,
  examples: [
    "init alerts",
    "init alerts --watch gas --data simulator --channel console",
    "init --watch lp --url https://data.example.org --chain base --id 410233 --channel slack",
  ],
  run: async (io, folder: string, options: InitOptions) =>
    (await import("./init/init.ts")).init(folder, options, io),
};
