import { chainWord } from "../../base/chains.ts";
import type { Target } from "./answers.ts";

/** What YAML reads as something else than text. */
const OTHER = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

/** A text as a value or key of a flow map: plain where that is safe, else quoted. */
export function scalar(text: string): string {
  const plain = /^[A-Za-z][\w./%+-]*(?: [\w./%+-]+)*$/.test(text) || /^\d+$/.test(text);
  return plain && !OTHER.test(text) ? text : JSON.stringify(text);
}

/**
 * How a test names one of the targets: as people call it, with its chain where several are called so. `label`
 * is that name or the id, unless it is another one.
 */
export function subjectWord(
  one: Target,
  all: readonly Target[],
  label = (each: Target): string => each.name ?? each.id,
): string {
  const own = label(one);
  const alike = all.filter((other) => label(other) === own).length > 1;
  const word = alike ? `${own} on ${chainWord(one.chainId)}` : own;
  return /^0x[\da-f]+$/i.test(word) ? word : scalar(word);
}

/** `{id: 128404, chain: ethereum}`; what is null is left out. */
export function flowMap(entries: Readonly<Record<string, string | null>>): string {
  const written = Object.entries(entries).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return `{${written.join(", ")}}`;
}

/** Lines of text, ended by a line break, with four spaces before each one that is not empty. */
export function indented(lines: readonly string[]): string {
  return lines.map((line) => (line === "" ? "\n" : `    ${line}\n`)).join("");
}
