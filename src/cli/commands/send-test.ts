import { Argument, Command, Option } from "commander";
import { NOTICE_KINDS } from "../../model/index.ts";
import { CONFIG_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { SendTestOptions } from "../send-test.ts";

export function sendTestCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("send-test")
    .description("send a sample of each kind of notice through a channel and say what came back")
    .addArgument(new Argument("<channel>", "the channel's name in the configuration"))
    .option(...CONFIG_OPTION)
    .addOption(new Option("--kind <kind>", "send only this one").choices(NOTICE_KINDS))
    .addHelpText(
      "after",
      "\nThe samples are made up and say so. Nothing is stored. Exit code 3: one was not delivered.\n\nExample:\n  tickwatch send-test lp-slack --kind fired\n",
    )
    .action(async (channel: string, options: SendTestOptions) => {
      const { sendTest } = await import("../send-test.ts");
      finish(await sendTest(channel, options, io));
    });
}
