import type { CommandSpec } from "../command.ts";
import { EXIT, type Io } from "../io.ts";
import { type Entry, entriesOf } from "./words.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** `tickwatch completion`: prints a script for a shell, made of the commands; the exit code. */
export function completion(shell: Shell, commands: readonly CommandSpec[], io: Io): number {
  const entries = entriesOf(commands);
  const scripts = { bash: () => bash(entries), zsh: () => zsh(entries), fish: () => fish(entries) };
  io.out(scripts[shell]());
  return EXIT.fine;
}

/** What may follow a command: its commands, options, and the words of its arguments. */
function wordsAfter({ commands, options, choices }: Entry): readonly string[] {
  return [...commands.map(({ name }) => name), ...choices, ...options.map(({ name }) => name)];
}

/** A pattern of `case` for each way to a command: `" demo"`, `"silence add"`. */
function steps(entries: readonly Entry[]): string {
  const ways = entries.filter(({ path }) => path.length > 0);
  return ways
    .map(({ path }) => `"${path.slice(0, -1).join(" ")} ${path.at(-1) ?? ""}"`)
    .join(" | ");
}

function bash(entries: readonly Entry[]): string {
  const cases = entries.map(
    (entry) => `    "${entry.path.join(" ")}") words="${wordsAfter(entry).join(" ")}" ;;`,
  );
  const values = entries.flatMap(({ path, options }) =>
    options.flatMap(({ name, takesValue, choices }) =>
      takesValue ? [`    "${path.join(" ")} ${name}") words="${choices.join(" ")}" ;;`] : [],
    ),
  );
  return `# Completion of tickwatch for bash. Load it: source <(tickwatch completion bash)
_tickwatch() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${steps(entries)})
      at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  # The value of an option: its choices, or with none a file.
  case "$at $prev" in
${values.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _tickwatch tickwatch
`;
}

function zsh(entries: readonly Entry[]): string {
  const described = (name: string, description: string): string =>
    `'${name}:${description.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;
  const cases = entries.map(({ path, commands, options, choices }) => {
    const all = [
      ...commands.map(({ name, description }) => described(name, description)),
      ...choices.map((choice) => described(choice, "")),
      ...options.map(({ name, description }) => described(name, description)),
    ];
    return `    ("${path.join(" ")}") all=(${all.join(" ")}) ;;`;
  });
  const values = entries.flatMap(({ path, options }) =>
    options.flatMap(({ name, takesValue, choices }) =>
      takesValue ? [`    ("${path.join(" ")} ${name}") all=(${choices.join(" ")}) ;;`] : [],
    ),
  );
  return `#compdef tickwatch
# Completion of tickwatch for zsh. Load it: source <(tickwatch completion zsh)
_tickwatch() {
  local at="" word
  local -a all
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
    (${steps(entries)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  case "$at \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  (( \${#all} )) && _describe -t words tickwatch all
  _files
}
if [ "\${funcstack[1]}" = _tickwatch ]; then _tickwatch "$@"; else compdef _tickwatch tickwatch; fi
`;
}

function fish(entries: readonly Entry[]): string {
  const quoted = (text: string): string =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = entries.flatMap(({ path, commands, options, choices }) => {
    const inner = commands.map(({ name }) => name).join(" ");
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notYet = inner === "" ? [] : [`not __fish_seen_subcommand_from ${inner}`];
    const when = (conditions: readonly string[]): string =>
      conditions.length === 0 ? "" : ` -n ${quoted(conditions.join("; and "))}`;
    return [
      ...commands.map(
        ({ name, description }) =>
          `complete -c tickwatch -f${when([...seen, ...notYet])} -a ${name} -d ${quoted(description)}`,
      ),
      ...choices.map((choice) => `complete -c tickwatch -f${when(seen)} -a ${choice}`),
      ...options.map(({ name, description, takesValue, choices: values }) => {
        const list = values.length === 0 ? "" : ` -f -a ${quoted(values.join(" "))}`;
        const value = takesValue ? ` -r${list}` : "";
        return `complete -c tickwatch${when([...seen, ...notYet])} -l ${name.slice(2)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# Completion of tickwatch for fish. Load it: tickwatch completion fish | source
${lines.join("\n")}
`;
}
