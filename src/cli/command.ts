import { type Argument, Command, Option } from "commander";
import type { Io } from "./io.ts";

/** What a command is called and takes. Its work is loaded when it runs, so that help is there at once. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** What else there is to know, for its help. */
  readonly notes?: string;
  /** Without `tickwatch`. */
  readonly examples: readonly string[];
  readonly commands?: readonly CommandSpec[];
  /** Gets the arguments, then the options; the exit code. */
  run?(io: Io, ...given: readonly unknown[]): Promise<number>;
}

/** An option of a command; `read` turns its text into its value, `preset` is its value when it is not given. */
export function option<T = string>(
  flags: string,
  description: string,
  read?: (text: string, before: T) => T,
  preset?: T,
): Option {
  const made = new Option(flags, description).default(preset);
  return read === undefined ? made : made.argParser(read);
}

export const json = option("--json", "print JSON");

/** Where the configuration is. */
export const config = option("-c, --config <file>", "the configuration", undefined, "config.yaml");

/** The command of commander; `finish` gets its exit code. */
export function commandOf(spec: CommandSpec, io: Io, finish: (code: number) => void): Command {
  const { name, description, notes, examples } = spec;
  const command = new Command(name).description(description);
  for (const argument of spec.arguments ?? []) command.addArgument(argument);
  for (const one of spec.options ?? []) command.addOption(one);
  for (const inner of spec.commands ?? []) command.addCommand(commandOf(inner, io, finish));
  const lines = examples.map((example) => `  tickwatch ${example}\n`).join("");
  const heading = examples.length === 1 ? "Example" : "Examples";
  const about = notes === undefined ? "" : `\n${notes}\n`;
  command.addHelpText("after", `${about}\n${heading}:\n${lines}`);
  const run = spec.run?.bind(spec);
  if (run === undefined) return command;
  return command.action(async (...given: readonly unknown[]) => finish(await run(io, ...given)));
}
