import { Command } from "commander";
import {
  CONFIG_OPTION,
  durationArgument,
  JSON_OPTION,
  labelArgument,
  moreArgument,
  timeArgument,
  wholeArguments,
} from "../arguments.ts";
import type { Io } from "../io.ts";
import type { SilenceOptions } from "../silence.ts";
import type { SilenceRequest } from "../silence-request.ts";

export function silenceCommand(io: Io, finish: (code: number) => void): Command {
  const command = new Command("silence")
    .description("hold back what some alerts have to tell, for a time; see docs/silences.md")
    .addHelpText(
      "after",
      "\nExample:\n  tickwatch silence add --rule my-range --for 2h --comment rebalancing\n",
    );
  command
    .command("add")
    .description("begin a silence: it is about the alerts that match all that is given")
    .option(
      "--rule <name>",
      "alerts of this rule, or of all that fit a pattern such as 'lp-*'; may be repeated",
      moreArgument,
    )
    .option(
      "--subject <name>",
      "alerts on it, by name, part of a name, pattern, id or key, or on a chain; may be repeated",
      moreArgument,
    )
    .option("--label <name=value>", "rules with this label; may be repeated", labelArgument)
    .option("--all", "every alert of every rule")
    .option("--for <duration>", "so long", durationArgument)
    .option("--until <time>", "until then", timeArgument)
    .option("--from <time>", "not before then", timeArgument)
    .option("--by <name>", "who wants it; your user's name unless told otherwise")
    .option("--comment <text>", "why")
    .option("--force", "even for more than 30 days")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nWhat still fires when it ends is told then, and what came and went never.\nIt works beside a running daemon, which minds it from the next notice on, and without one.\n\nExample:\n  tickwatch silence add --subject Treasury --label team=lp --until 2026-11-28T18:00Z\n",
    )
    .action(async (options: SilenceOptions & SilenceRequest) => {
      const { add } = await import("../silence.ts");
      finish(await add(options, io));
    });
  command
    .command("list")
    .description("the silences that are in force or planned")
    .option("--all", "those that have ended, too")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch silence list --all\n")
    .action(async (options: SilenceOptions) => {
      const { list } = await import("../silence.ts");
      finish(await list(options, io));
    });
  command
    .command("expire")
    .argument("<id...>", "as `silence list` shows them", wholeArguments)
    .description("end silences now: what they held back and still fires is told within a minute")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch silence expire 3\n")
    .action(async (ids: readonly number[], options: SilenceOptions) => {
      const { expire } = await import("../silence.ts");
      finish(await expire([...new Set(ids)], options, io));
    });
  return command;
}
