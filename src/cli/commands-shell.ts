import { Argument } from "commander";
import type { CommandSpec } from "./command.ts";
import type { Shell } from "./shell/completion.ts";

/** What tells shells and `man` of all the commands, its own among them. */
export function shellCommands(all: () => readonly CommandSpec[]): readonly CommandSpec[] {
  return [
    {
      name: "completion",
      description: "print a completion script for a shell",
      arguments: [new Argument("<shell>").choices(["bash", "zsh", "fish"])],
      notes:
        "Add the line of the example to ~/.bashrc; for zsh and fish see the first lines of their scripts.",
      examples: ["completion bash > ~/.tickwatch-completion", "completion zsh", "completion fish"],
      run: async (io, shell: Shell) =>
        (await import("./shell/completion.ts")).completion(shell, all(), io),
    },
    {
      name: "man",
      description: "print the manual page",
      notes: "An installation with npm has the page where man finds it.",
      examples: ["man > tickwatch.1"],
      run: async (io) => (await import("./shell/manual.ts")).manual(all(), io),
    },
  ];
}
