import { isScalar, Scalar, visit, type YAMLError, type Document as Yaml } from "yaml";

/** Of the parser's errors those that do not follow from a quote that nothing closes. */
export interface Unclosed {
  readonly errors: readonly YAMLError[];
  /** Where the quote stands; null: every quote is closed. */
  readonly at: number | null;
}

/**
 * The parser tells of an open quote where it gave up, often lines below, and then of all that it read as
 * something else: what helps is the place of the quote, and nothing of the rest.
 */
export function unclosedQuote(yaml: Yaml, errors: readonly YAMLError[]): Unclosed {
  const first = errors.find(isMissingQuote);
  const at = first === undefined ? null : lastQuoteBefore(yaml, first.pos[0]);
  if (at === null) return { errors, at };
  return { errors: errors.filter(({ pos }) => pos[0] < at), at };
}

function isMissingQuote({ code, message }: YAMLError): boolean {
  return code === "MISSING_CHAR" && message.includes("quote");
}

function lastQuoteBefore(yaml: Yaml, end: number): number | null {
  let last: number | null = null;
  const look = (node: unknown): void => {
    if (!isScalar(node)) return;
    const start = node.range?.[0];
    const isQuoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
    if (isQuoted && start !== undefined && start <= end) last = Math.max(start, last ?? 0);
  };
  visit(yaml, { Scalar: (_, node) => look(node) });
  return last;
}
