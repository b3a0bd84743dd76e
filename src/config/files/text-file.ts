import type { ProblemCode } from "../../base/problem-codes.ts";
import type { Hinted } from "../../base/settings.ts";
import { unseenIn } from "../../base/slips.ts";
import { cleanText } from "../../base/text.ts";
import { excerpt, type Hidden } from "./excerpt.ts";
/** Says which parts of a line must not be shown; `above` are the lines before it. */
export type Mask = (line: string, above: readonly string[]) => readonly Hidden[];

const NEARBY = 2_000;
/** A value may go on for many lines after its key. */
const LINES_ABOVE = 100;

/** A text file as problems need it: by offset, line and column. */
export class TextFile {
  readonly #lineStarts: readonly number[];

  constructor(
    /** How the file is called in messages. */
    readonly name: string,
    readonly text: string,
    private readonly mask: Mask = () => [],
  ) {
    const starts = [0];
    for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
    this.#lineStarts = starts;
  }

  /** Line and column of a UTF-16 offset, both from 1. */
  place(offset: number): { line: number; column: number } {
    const at = Math.max(0, Math.min(offset, this.text.length));
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#lineStarts[low] ?? 0) + 1 };
  }

  /** The UTF-16 offset at which a line, from 1, begins. */
  start(line: number): number {
    return this.#lineStarts[line - 1] ?? this.text.length;
  }

  /** The text of a line, from 1, without its end. */
  line(number: number): string {
    const start = this.#lineStarts[number - 1] ?? this.text.length;
    const end = this.#lineStarts[number] ?? this.text.length + 1;
    const text = this.text.slice(start, end - 1);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  problem(code: ProblemCode, offset: number, message: string, given: Hinted = {}): Problem {
    // `hintOf` would load zod, and every command knows of problems.
    const hint = typeof given === "string" ? { expected: given } : given;
    const { line, column } = this.place(offset);
    // What is far away in a long line is out of view, and would be searched for each problem.
    const from = Math.max(0, column - 1 - NEARBY);
    const text = this.line(line).slice(from, column - 1 + NEARBY);
    const above =
      from > 0
        ? []
        : Array.from({ length: Math.min(line - 1, LINES_ABOVE) }, (_, i) =>
            this.line(Math.max(1, line - LINES_ABOVE) + i).slice(0, NEARBY),
          );
    // Of what is no text everything is strange.
    const unseen = from > 0 || code === "unreadable-file" ? null : unseenIn(text);
    return {
      file: cleanText(this.name, 400),
      line,
      column,
      code,
      message: cleanText(unseen === null ? message : `${message}; ${unseen}`, 400),
      expected: cleanHint(hint.expected, 400),
      suggestion: cleanHint(hint.suggestion, 200),
      ...excerpt(text, column - 1 - from, this.mask(text, above)),
    };
  }
}

function cleanHint(text: string | null | undefined, limit: number): string | null {
  return cleanText(text ?? "", limit) || null;
}

/** Something wrong or doubtful at one place of a file, ready to be shown. Holds no secret. */
export interface Problem {
  /** As it was given or found, for the user. */
  readonly file: string;
  /** Both count from 1; the column counts UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
  readonly code: ProblemCode;
  readonly message: string;
  readonly expected: string | null;
  readonly suggestion: string | null;
  /** The line, or the part of it around the place, safe to print; empty if there is none. */
  readonly source: string;
  /** How many terminal columns of `source` lie before the place. */
  readonly caret: number;
}

/** More than a person will ever read of one file, or of all: what goes beyond is only counted. */
export const MOST_PROBLEMS = 500;

/** The files cannot be used; holds the problems of all of them, 500 at most. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];
  /** How many there are beside those. */
  readonly more: number;

  /** `unlisted`: problems that were found and are not among `problems`. */
  constructor(problems: readonly Problem[], unlisted = 0) {
    const listed = problems.slice(0, MOST_PROBLEMS);
    super(listed.map(formatProblem).join("\n"));
    this.problems = listed;
    this.more = problems.length - listed.length + unlisted;
  }
}

/**
 * `file:line:column: what is wrong, what was expected, did you mean … [code]`, then the line and a caret
 * under the place. Without colours; a few lines, at most about 120 columns wide but for the first.
 */
export function formatProblem(problem: Problem): string {
  const { file, line, column, code, message, expected, suggestion, source, caret } = problem;
  let text = `${file}:${line}:${column}: ${message}`;
  if (expected !== null) text += `, expected ${expected}`;
  // Of several readings none is quoted, as each stands for itself.
  const meant = suggestion?.includes(" or ") === true ? suggestion : `\`${suggestion}\``;
  if (suggestion !== null) text += `; did you mean ${meant}?`;
  text += ` [${code}]`;
  return source === "" ? text : `${text}\n  ${source}\n  ${" ".repeat(caret)}^`;
}

/** Orders the problems of one file from its beginning to its end. */
export function byPlace(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column;
}
