import { Command, CommanderError, type Option } from "commander";
import { labelArgument, moreArgument } from "./arguments.ts";
import { commandOf } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, type Io, packageVersion } from "./io.ts";
import { reportError } from "./report.ts";

/**
 * Runs one command line (without `node` and the script) and resolves to its exit code. Nothing is
 * thrown: what goes wrong is one line on `err`, with a stack trace only after `--debug`.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.fine;
  const program = new Command("tickwatch")
    .description(
      "Watches on-chain data by YAML rules and sends alerts to Slack and other channels.",
    )
    .version(packageVersion(), "-V, --version")
    .option("--debug", "show stack traces")
    .showHelpAfterError("(see --help)")
    .showSuggestionAfterError()
    .addHelpText("after", "\nExample:\n  tickwatch demo --for 30s\n")
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .exitOverride();
  const finish = (result: number): void => {
    code = result;
  };
  for (const spec of COMMANDS) program.addCommand(inherit(commandOf(spec, io, finish), program));
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    return reportError(error, io, program.opts<{ debug?: boolean }>().debug === true);
  }
}

/** Commands of commands print, refuse, and end, as their parents do. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  refuseRepeated(command);
  for (const inner of command.commands) inherit(inner, command);
  return command;
}

/** How the options are read that may be given several times; of the others the last would count, unseen. */
const REPEATABLE: ReadonlySet<unknown> = new Set([labelArgument, moreArgument]);

/** Lets a command refuse an option with a value that is given a second time. */
function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    if (takesOne(option)) refuseSecond(command, option);
  }
}

function takesOne(option: Option): boolean {
  return (
    (option.required || option.optional) && !option.variadic && !REPEATABLE.has(option.parseArg)
  );
}

function refuseSecond(command: Command, option: Option): void {
  let seen = false;
  command.on(`option:${option.name()}`, () => {
    if (seen) command.error(`error: option '${option.flags}' is given twice; it takes one value`);
    seen = true;
  });
}
