import { Command, InvalidArgumentError } from "commander";
import { CONFIG_OPTION, JSON_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { OutboxOptions } from "../outbox.ts";

const SEEN =
  "\nIt works beside a running daemon, which sees an order within a minute, and without one.\n";

export function outboxCommand(io: Io, finish: (code: number) => void): Command {
  const command = new Command("outbox")
    .description("see what is still to be delivered, try it again or give it up")
    .addHelpText("after", "\nExample:\n  tickwatch outbox list --dead\n");
  command
    .command("list")
    .description("what is still to be delivered, or what was given up")
    .option(...CONFIG_OPTION)
    .option("--dead", "the dead letters: messages that could never be delivered, or were dropped")
    .option("--limit <number>", "show so many at most", limitArgument, 100)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch outbox list --dead --json\n")
    .action(async (options: OutboxOptions) => {
      const { list } = await import("../outbox.ts");
      finish(await list(options, io));
    });
  command
    .command("show <id>")
    .description(
      "one message with its notices and the body that was frozen; an id may be shortened",
    )
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch outbox show 3f2a91c0\n")
    .action(async (id: string, options: OutboxOptions) => {
      const { show } = await import("../outbox.ts");
      finish(await show(id, options, io));
    });
  command
    .command("retry [channel|id]")
    .description("make what waits due at once: of all channels, of one, or one message")
    .option(...CONFIG_OPTION)
    .option("--dead", "dead letters as well, but those that were dropped by hand")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `\nA dead letter that is named by its id is sent again, as the same message.\n${SEEN}\nExample:\n  tickwatch outbox retry lp-slack --dead\n`,
    )
    .action(async (what: string | undefined, options: OutboxOptions) => {
      const { retry } = await import("../outbox.ts");
      finish(await retry(what, options, io));
    });
  command
    .command("drop <id>")
    .description("give one message up: it becomes a dead letter")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", `${SEEN}\nExample:\n  tickwatch outbox drop 3f2a91c0\n`)
    .action(async (id: string, options: OutboxOptions) => {
      const { drop } = await import("../outbox.ts");
      finish(await drop(id, options, io));
    });
  return command;
}

function limitArgument(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 1.");
}
