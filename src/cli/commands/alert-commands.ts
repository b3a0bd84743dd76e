import { Command } from "commander";
import type { OrderKind, OrderOptions } from "../alert-commands.ts";
import { CONFIG_OPTION, JSON_OPTION } from "../arguments.ts";
import type { Io } from "../io.ts";

const ABOUT =
  "SUBJECT is a name or a part of it, an id, a key or a chain; without it, all alerts of the rule are\nmeant that it fits.\nA running daemon carries it out within seconds, and without one the next start does.";

interface Wording {
  readonly description: string;
  /** Whose name `--by` is. */
  readonly by: string;
  /** What there is to know besides. */
  readonly about?: string;
  readonly example: string;
}

export function ackCommand(io: Io, finish: (code: number) => void): Command {
  return orderCommand("ack", io, finish, {
    description: "acknowledge a firing alert: no reminders until it resolves",
    by: "who looks after it",
    about:
      "No reminders, worse or steady are sent until it has resolved; that it has, and that its data is\nmissing, still is.\n\n",
    example: 'ack my-range Treasury --by anna --comment "moving it today"',
  });
}

export function unackCommand(io: Io, finish: (code: number) => void): Command {
  return orderCommand("unack", io, finish, {
    description: "take an acknowledgement back: reminders come as before",
    by: "who takes it back",
    example: "unack my-range Treasury --by anna",
  });
}

export function rearmCommand(io: Io, finish: (code: number) => void): Command {
  return orderCommand("rearm", io, finish, {
    description: "let an alert that is spent (once: true) count again",
    by: "who wants it",
    example: "rearm first-mint",
  });
}

function orderCommand(
  kind: OrderKind,
  io: Io,
  finish: (code: number) => void,
  { description, by, about = "", example }: Wording,
): Command {
  return new Command(kind)
    .description(description)
    .arguments("<rule> [subject]")
    .option("--by <name>", `${by}; your user's name if not given`)
    .option("--comment <text>", "what there is to say of it")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", `\n${about}${ABOUT}\n\nExample:\n  tickwatch ${example}\n`)
    .action(async (rule: string, subject: string | undefined, options: OrderOptions) => {
      const { order } = await import("../alert-commands.ts");
      finish(await order(kind, rule, subject, options, io));
    });
}
