import type { Command, Option } from "commander";
import { labelArgument, moreArgument } from "../arguments.ts";

/** How the options are read that may be given several times; of the others the last would count, unseen. */
const REPEATABLE: ReadonlySet<unknown> = new Set([labelArgument, moreArgument]);

/** Lets a command refuse an option with a value that is given a second time. */
export function refuseRepeated(command: Command): void {
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
