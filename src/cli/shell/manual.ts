import type { CommandSpec } from "../command.ts";
import { EXIT, type Io, packageVersion } from "../io.ts";

/** `tickwatch man`: prints the manual page in roff, made of the help; the exit code. */
export function manual(commands: readonly CommandSpec[], io: Io): number {
  io.out(manualPage(commands, packageVersion()));
  return EXIT.fine;
}

function manualPage(commands: readonly CommandSpec[], version: string): string {
  return `.TH TICKWATCH 1 "" "tickwatch ${roff(version)}" "User Commands"
.SH NAME
tickwatch \\- watch on\\-chain data by YAML rules and send alerts
.SH SYNOPSIS
.B tickwatch
.I command
[options]
.SH DESCRIPTION
tickwatch watches on\\-chain data by rules in YAML and sends alerts to Slack and other channels.
It runs as one process with one SQLite database.
.SH COMMANDS
${commands.map((spec) => commandText(spec, [])).join("")}.SH EXIT STATUS
.TP
.B 0
fine, warnings included
.TP
.B 1
something was found, such as a failed test or a daemon that is not healthy
.TP
.B 2
usage or configuration
.TP
.B 3
the service or a channel cannot be reached
.TP
.B 4
the database cannot be used
.SH FILES
.TP
.I config.yaml
the configuration, in the current folder unless
.B \\-\\-config
names another one
.SH ENVIRONMENT
.TP
.B NO_COLOR
without colours
.TP
.BR HTTP_PROXY ", " HTTPS_PROXY ", " NO_PROXY
the proxies for all outgoing HTTP
`;
}

function commandText(spec: CommandSpec, path: readonly string[]): string {
  const own = [...path, spec.name];
  const given = (spec.arguments ?? []).map((one) => {
    const name = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const options = (spec.options ?? []).map(({ flags, description, defaultValue }) => {
    const preset: unknown = defaultValue;
    const isShown = typeof preset === "string" || typeof preset === "number";
    const more = isShown ? ` (default: ${preset})` : "";
    return `.TP\n.B ${roff(flags)}\n${line(description + more)}`;
  });
  const notes =
    spec.notes === undefined ? "" : `.PP\n${spec.notes.split("\n\n").map(paragraph).join(".PP\n")}`;
  const examples = spec.examples.map((example) => line(`tickwatch ${example}`));
  const inner = (spec.commands ?? []).map((one) => commandText(one, own));
  return `.SS "tickwatch ${roff([...own, ...given].join(" "))}"
${line(`${spec.description}.`)}${options.join("")}${notes}.PP
.nf
${examples.join("")}.fi
${inner.join("")}`;
}

function paragraph(text: string): string {
  return text.split("\n").map(line).join("");
}

/** A line of text: one that begins with a dot or an apostrophe would be a request. */
function line(text: string): string {
  const escaped = roff(text.trim());
  return `${/^[.']/.test(escaped) ? "\\&" : ""}${escaped}\n`;
}

function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll('"', "\\(dq");
}
