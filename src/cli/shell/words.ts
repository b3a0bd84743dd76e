import type { CommandSpec } from "../command.ts";

/** A command and the way to it, as a completion and the manual need them. */
export interface Entry {
  /** Without the program: `["silence", "add"]`; empty for the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly CommandSpec[];
  readonly options: readonly Word[];
  /** What its arguments may be, where that is a few words. */
  readonly choices: readonly string[];
}

/** An option, by the name that people write. */
export interface Word {
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

const HELP: Word = { name: "--help", description: "display help", takesValue: false, choices: [] };
const OWN: readonly Word[] = [
  HELP,
  { name: "--version", description: "print the version", takesValue: false, choices: [] },
  { name: "--debug", description: "show stack traces", takesValue: false, choices: [] },
];

/** The program, its commands and theirs, each before its own. */
export function entriesOf(commands: readonly CommandSpec[]): readonly Entry[] {
  const below = (all: readonly CommandSpec[], path: readonly string[]): readonly Entry[] =>
    all.flatMap((spec) => {
      const own = [...path, spec.name];
      const inner = spec.commands ?? [];
      const options = [...(spec.options ?? []).map(wordOf), HELP];
      const choices = (spec.arguments ?? []).flatMap(({ argChoices }) => argChoices ?? []);
      return [{ path: own, commands: inner, options, choices }, ...below(inner, own)];
    });
  return [{ path: [], commands, options: OWN, choices: [] }, ...below(commands, [])];
}

function wordOf(option: NonNullable<CommandSpec["options"]>[number]): Word {
  return {
    name: option.long ?? option.flags,
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}
