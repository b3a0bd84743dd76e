import type { YAMLError } from "yaml";
import type { ProblemCode } from "../../base/problem-codes.ts";
import type { Hint } from "../../base/settings.ts";
import { byPlace, type Problem, type TextFile } from "./text-file.ts";

/** What is wrong with a line, in words for the person who wrote it. */
interface Told extends Hint {
  readonly code: ProblemCode;
  readonly message: string;
}

interface Finding extends Told {
  /** The column of the place, from 0. */
  readonly column: number;
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
  let pitfallLine = -1;
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
        else problems.push(file.problem(CLOSED.code, hidden.offset, CLOSED.message, CLOSED));
      }
      seen.add(-hidden.line);
      continue;
    }
    const pitfall = pitfallIn(text);
    if (pitfall !== null) pitfallLine = line;
    else if (line === pitfallLine + 1 && beginsLine(error, text, column)) continue;
    const finding = pitfall ?? { column: column - 1, ...explain(error, text) };
    const start = error.pos[0] - (column - 1);
    if (problems.length >= most) unlisted++;
    else
      problems.push(file.problem(finding.code, start + finding.column, finding.message, finding));
  }
  return { problems: problems.toSorted(byPlace), unlisted };
}

/** Whether a `[` or `{` before the place is open. */
function isUnclosed({ code, message }: YAMLError): boolean {
  if (code === "BAD_INDENT") return message.startsWith("Flow");
  return code === "MISSING_CHAR" && !/quote|map value|Implicit map|Sequence item/.test(message);
}

const CLOSED: Told = {
  code: "comment-cuts-value",
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
const SWALLOWED = new RegExp(String.raw`${BEFORE}[\s,[{](#[^\s#].*[\]}]\s*)$`);
/** So much of a line is searched for slips. */
const SEARCHED = 1_000;

/** The group of a pattern is the slip, which stands for `%` in the message. */
type Pitfall = Told & {
  readonly pattern: RegExp;
  readonly suggest?: (slip: string) => string;
};

const SPACES = "spaces, which is all that YAML allows there";

/** The slips that are so common that they have messages of their own. */
const PITFALLS: readonly Pitfall[] = [
  { code: "bad-yaml", pattern: /^ *(\t)/, message: "a tab indents this line", expected: SPACES },
  {
    // Five or six fields of a cron expression, the first being a star.
    code: "needs-quotes",
    pattern: new RegExp(String.raw`${BEFORE}[:,[{-]\s+(\*(?:\/\d+)?(?:[ \t]+[\d*/,-]+){4,5})`),
    message: "an unquoted * begins an alias",
    expected: "quotes around a cron expression",
    suggest: (cron) => `"${cron.trim()}"`,
  },
  {
    code: "needs-quotes",
    pattern: new RegExp(String.raw`${BEFORE}(\$\{(?:env|file):[^}]*\})`),
    message: "an unquoted % cannot stand within { } or [ ]",
    expected: "quotes around it",
    suggest: (reference) => `"${reference}"`,
  },
  {
    // `>: 5` begins a folded text to YAML.
    code: "unknown-key",
    pattern: new RegExp(String.raw`${BEFORE}(?:^\s*|[{,-]\s*)(>=?)(?=\s*:\s)`),
    message: "unknown key `%` in a condition",
    expected: "a word such as above or at_least",
    suggest: (sign) => (sign === ">" ? "above" : "at_least"),
  },
  {
    code: "curly-quotes",
    pattern: new RegExp(String.raw`${BEFORE}[:,[{-]\s+([\u2018-\u201f\u00ab\u00bb].*)$`),
    message: "curly quotes are a part of the text",
    expected: "straight quotes, \" or '",
  },
  {
    code: "needs-quotes",
    pattern: new RegExp(String.raw`${BEFORE}[:,[-]\s+(\{\{[^}]*\}\}.*)$`),
    message: "an unquoted {{ begins a map",
    expected: "quotes around the text",
  },
];

function pitfallIn(whole: string): Finding | null {
  const line = whole.slice(0, SEARCHED);
  for (const { pattern, suggest, message, ...told } of PITFALLS) {
    const slip = pattern.exec(line)?.[1];
    if (slip === undefined) continue;
    return {
      ...told,
      message: message.replace("%", () => slip),
      suggestion: suggest?.(slip),
      column: placeOf(pattern, line, slip),
    };
  }
  return null;
}

/** The column of what a pattern found at its end; the same text may stand in quotes before. */
function placeOf(pattern: RegExp, line: string, found: string): number {
  return (pattern.exec(line)?.[0].length ?? found.length) - found.length;
}

const OPEN = "a [ or { before this is not closed, or this line is indented too little";

/** By the code of the parser. */
const ERRORS: Readonly<Record<string, Told>> = {
  MULTIPLE_DOCS: yaml("a second document begins here", "one document in a file"),
  BLOCK_AS_IMPLICIT_KEY: yaml(
    "a map begins within a value",
    "the keys of one map in one column, and quotes around a value that holds ': '",
  ),
  MULTILINE_IMPLICIT_KEY: yaml("a key goes over several lines", "a ':' after the key"),
  BAD_SCALAR_START: {
    code: "needs-quotes",
    message: "a value cannot begin with this character",
    expected: "quotes around the value",
  },
  BAD_DQ_ESCAPE: yaml(
    'this \\ escape is not known within "…"',
    "single quotes around text that holds \\",
  ),
  BAD_ALIAS: {
    code: "needs-quotes",
    message: "an alias needs a name after its *",
    expected: "quotes around text with a *",
  },
  TAB_AS_INDENT: yaml("a tab indents here", SPACES),
  TAG_RESOLVE_FAILED: {
    code: "needs-quotes",
    message: "tags such as !name are not used here",
    expected: "quotes around text with a !",
  },
  RESOURCE_EXHAUSTION: { code: "too-large", message: "the file is nested too deeply" },
};

function yaml(message: string, expected?: string): Told {
  return { code: "bad-yaml", message, expected };
}

function explain({ code, message }: YAMLError, line: string): Told {
  if (isStrayKey(code, message)) return SHIFTED;
  if (code === "BAD_INDENT") return message.startsWith("Flow") ? yaml(OPEN) : SHIFTED;
  if (code === "MISSING_CHAR") return missing(message);
  const told = ERRORS[code === "BLOCK_IN_FLOW" ? "BLOCK_AS_IMPLICIT_KEY" : code];
  return told ?? yaml(/\S/.test(line) ? "this does not belong here" : "the text ends too early");
}

const SHIFTED = yaml(
  "the indentation does not fit the lines above",
  "the keys of one map, or the items of one list, in one column",
);

function missing(message: string): Told {
  if (message.includes("quote")) return yaml("the text has no closing quote before this");
  return message.includes("map value") || message.includes("Implicit map")
    ? yaml("this key has no value", "KEY: VALUE with a space after the colon")
    : yaml("a [ or { is not closed before this");
}
