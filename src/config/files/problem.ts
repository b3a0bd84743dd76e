/** Something wrong or doubtful at one place of a file, ready to be shown. Holds no secret. */
export interface Problem {
  /** As it was given or found, for the user. */
  readonly file: string;
  /** Both count from 1; the column counts UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
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
 * `file:line:column: what is wrong, what was expected, did you mean …`, then the line and a caret
 * under the place. Without colours; a few lines, at most about 120 columns wide but for the first.
 */
export function formatProblem(problem: Problem): string {
  const { file, line, column, message, expected, suggestion, source, caret } = problem;
  let text = `${file}:${line}:${column}: ${message}`;
  if (expected !== null) text += `, expected ${expected}`;
  if (suggestion !== null) text += `, did you mean ${suggestion}?`;
  return source === "" ? text : `${text}\n  ${source}\n  ${" ".repeat(caret)}^`;
}

/** Orders the problems of one file from its beginning to its end. */
export function byPlace(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column;
}
