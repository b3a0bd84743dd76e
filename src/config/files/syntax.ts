import type { YAMLError } from "yaml";
import type { Hint } from "../../base/settings.ts";
import { byPlace, type Problem, type TextFile } from "./text-file.ts";

/** A line that is no YAML, in words for the person who wrote it. */
interface Finding extends Hint {
  /** The column of the place, from 0. */
  readonly column: number;
  readonly message: string;
}

/**
 * What the parser's errors mean, one problem a line: what follows an error on its line follows from
 * it. The parser's own words are not used, they may quote a secret. Of more than `most` the rest is
 * counted.
 */
export function syntaxProblems(
  file: TextFile,
  errors: readonly YAMLError[],
  most: number,
): { readonly problems: readonly Problem[]; readonly unlisted: number } {
  const problems: Problem[] = [];
  let unlisted = 0;
  const seen = new Set<number>();
  let trappedLine = -1;
  let shiftedLine = -1;
  for (const error of errors) {
    const { line, column } = file.place(error.pos[0]);
    if (seen.has(line)) continue;
    seen.add(line);
    const text = file.line(line);
    if (isShifted(error)) {
      const follows = shiftedLine > 0 && !beginsItem(file, shiftedLine + 1, line);
      shiftedLine = line;
      if (follows) continue;
    }
    const hidden = isUnclosed(error) ? closedInComment(file, line) : null;
    if (hidden !== null) {
      if (!seen.has(-hidden.line)) {
        if (problems.length >= most) unlisted++;
        else problems.push(file.problem(hidden.offset, CLOSED.message, CLOSED));
      }
      seen.add(-hidden.line);
      continue;
    }
    const trapped = trap(text);
    if (trapped !== null) trappedLine = line;
    else if (line === trappedLine + 1 && beginsLine(error, text, column)) continue;
    const finding = trapped ?? { column: column - 1, ...explain(error, text) };
    const start = error.pos[0] - (column - 1);
    if (problems.length >= most) unlisted++;
    else problems.push(file.problem(start + finding.column, finding.message, finding));
  }
  return { problems: problems.toSorted(byPlace), unlisted };
}

/** Whether a `[` or `{` before the place is open. */
function isUnclosed({ code, message }: YAMLError): boolean {
  if (code === "BAD_INDENT") return message.startsWith("Flow");
  return code === "MISSING_CHAR" && !/quote|map value|Implicit map|Sequence item/.test(message);
}

const CLOSED = {
  message: "the # begins a comment, and what closes the [ or { before it is within",
  expected: "quotes around a value that holds a #",
};

/** So many lines of one [ ] or { } are searched. */
const MOST_LINES = 20;

/** Where a comment without a space hides the end of what stands open at a line. */
function closedInComment(
  file: TextFile,
  from: number,
): { readonly line: number; readonly offset: number } | null {
  for (let line = from; line > Math.max(0, from - MOST_LINES); line--) {
    const text = file.line(line).slice(0, SEARCHED);
    const comment = SWALLOWED.exec(text)?.[1];
    if (comment === undefined) continue;
    const column = placeOf(SWALLOWED, text, comment);
    const open = text.slice(0, column).replaceAll(/"[^"]*"|'[^']*'/g, "");
    const count = (marks: RegExp): number => open.match(marks)?.length ?? 0;
    return count(/[[{]/g) > count(/[\]}]/g) ? { line, offset: file.start(line) + column } : null;
  }
  return null;
}

/** Whether the parser stumbles over a whole line, as it does after a slip in the line before. */
function beginsLine(error: YAMLError, line: string, column: number): boolean {
  return error.code === "UNEXPECTED_TOKEN" && line.slice(0, column - 1).trim() === "";
}

/** Whether a line stands in another column than those above. */
function isShifted({ code, message }: YAMLError): boolean {
  if (code === "TAB_AS_INDENT") return true;
  return code === "BAD_INDENT" ? !message.startsWith("Flow") : isStrayKey(code, message);
}

/** A key between the column of a list and that of its items' keys. */
function isStrayKey(code: string, message: string): boolean {
  return code === "MISSING_CHAR" && message.startsWith("Sequence item");
}

/** Whether one of the lines begins an item of a list: what is wrong there has its own cause. */
function beginsItem(file: TextFile, from: number, to: number): boolean {
  for (let line = from; line <= to; line++) if (/^\s*-\s/.test(file.line(line))) return true;
  return false;
}

/** What may stand before a slip: text in quotes, and text that is no comment. */
const BEFORE = String.raw`^(?:[^"'#]|"[^"]*"|'[^']*')*?`;
/** Five or six fields of a cron expression, the first being a star. */
const CRON = new RegExp(String.raw`${BEFORE}[:,[{-]\s+(\*(?:\/\d+)?(?:[ \t]+[\d*/,-]+){4,5})`);
const REFERENCE = new RegExp(String.raw`${BEFORE}(\$\{(?:env|file):[^}]*\})`);
const SWALLOWED = new RegExp(String.raw`${BEFORE}[\s,[{](#[^\s#].*[\]}]\s*)$`);
/** A value in quotes that are none to YAML. */
const CURLY = new RegExp(String.raw`${BEFORE}[:,[{-]\s+([\u2018-\u201f\u00ab\u00bb].*)$`);
const TEMPLATE = new RegExp(String.raw`${BEFORE}[:,[-]\s+(\{\{[^}]*\}\}.*)$`);
/** `>: 5` begins a folded text to YAML. */
const OPERATOR = new RegExp(String.raw`${BEFORE}(?:^\s*|[{,-]\s*)(>=?)\s*:\s.*$`);
/** So much of a line is searched for slips. */
const SEARCHED = 1_000;

/** The slips that are so common that they have messages of their own. */
function trap(whole: string): Finding | null {
  const line = whole.slice(0, SEARCHED);
  const tab = /^ *\t/.exec(line);
  if (tab !== null) {
    return {
      column: tab[0].length - 1,
      message: "a tab indents this line",
      expected: "spaces, which is all that YAML allows there",
    };
  }
  const cron = CRON.exec(line)?.[1];
  if (cron !== undefined) {
    return {
      column: placeOf(CRON, line, cron),
      message: "an unquoted * begins an alias",
      expected: "quotes around a cron expression",
      suggestion: `"${cron.trim()}"`,
    };
  }
  const reference = REFERENCE.exec(line)?.[1];
  if (reference !== undefined) {
    return {
      column: placeOf(REFERENCE, line, reference),
      message: `an unquoted ${reference} cannot stand within { } or [ ]`,
      expected: "quotes around it",
      suggestion: `"${reference}"`,
    };
  }
  const operator = OPERATOR.exec(line)?.[1];
  if (operator !== undefined) {
    return {
      column: placeOf(/.*?(?=>=?\s*:\s)/, line, ""),
      message: `${operator} is no key of a condition`,
      expected: "a word such as above or at_least",
      suggestion: operator === ">" ? "above" : "at_least",
    };
  }
  const curly = CURLY.exec(line)?.[1];
  if (curly !== undefined) {
    return {
      column: placeOf(CURLY, line, curly),
      message: "curly quotes are a part of the text",
      expected: "straight quotes, \" or '",
    };
  }
  const template = TEMPLATE.exec(line)?.[1];
  if (template === undefined) return null;
  return {
    column: placeOf(TEMPLATE, line, template),
    message: "an unquoted {{ begins a map",
    expected: "quotes around the text",
  };
}

/** The column of what a pattern found at its end; the same text may stand in quotes before. */
function placeOf(pattern: RegExp, line: string, found: string): number {
  return (pattern.exec(line)?.[0].length ?? found.length) - found.length;
}

function explain(error: YAMLError, line: string): Hint & { message: string } {
  if (isStrayKey(error.code, error.message)) return SHIFTED;
  switch (error.code) {
    case "MULTIPLE_DOCS":
      return { message: "a second document begins here", expected: "one document in a file" };
    case "BAD_INDENT":
      return error.message.startsWith("Flow")
        ? { message: "a [ or { before this is not closed, or this line is indented too little" }
        : SHIFTED;
    case "BLOCK_AS_IMPLICIT_KEY":
    case "BLOCK_IN_FLOW":
      return {
        message: "a map begins within a value",
        expected: "the keys of one map in one column, and quotes around a value that holds ': '",
      };
    case "MULTILINE_IMPLICIT_KEY":
      return { message: "a key goes over several lines", expected: "a ':' after the key" };
    case "MISSING_CHAR":
      return missing(error.message);
    case "BAD_SCALAR_START":
      return {
        message: "a value cannot begin with this character",
        expected: "quotes around the value",
      };
    case "BAD_DQ_ESCAPE":
      return {
        message: 'this \\ escape is not known within "…"',
        expected: "single quotes around text that holds \\",
      };
    case "BAD_ALIAS":
      return {
        message: "an alias needs a name after its *",
        expected: "quotes around text with a *",
      };
    case "TAB_AS_INDENT":
      return {
        message: "a tab indents here",
        expected: "spaces, which is all that YAML allows there",
      };
    case "TAG_RESOLVE_FAILED":
      return {
        message: "tags such as !name are not used here",
        expected: "quotes around text with a !",
      };
    case "RESOURCE_EXHAUSTION":
      return { message: "the file is nested too deeply" };
    default:
      return { message: /\S/.test(line) ? "this does not belong here" : "the text ends too early" };
  }
}

const SHIFTED = {
  message: "the indentation does not fit the lines above",
  expected: "the keys of one map, or the items of one list, in one column",
};

function missing(message: string): Hint & { message: string } {
  if (message.includes("quote")) return { message: "the text has no closing quote before this" };
  if (message.includes("map value") || message.includes("Implicit map")) {
    return {
      message: "this key has no value",
      expected: "KEY: VALUE with a space after the colon",
    };
  }
  return { message: "a [ or { is not closed before this" };
}
