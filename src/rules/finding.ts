import type { ProblemCode } from "../base/problem-codes.ts";
import { type Hint, kindOf } from "../base/settings.ts";
import { cleanText } from "../base/text.ts";

/** A way into a rule or a settings file: keys and list positions. */
export type Path = readonly (string | number)[];

/** Something that is wrong, or looks wrong, at one place of a rule or a settings file. */
export interface Finding {
  readonly code: ProblemCode;
  readonly level: "error" | "warning";
  readonly path: Path;
  /** Which side of a map's entry the place is. */
  readonly part: "key" | "value";
  readonly message: string;
  readonly hint: Hint;
}

export type Report = (finding: Finding) => void;

/** An error at the value that `path` leads to. */
export function errorAt(code: ProblemCode, path: Path, message: string, hint: Hint = {}): Finding {
  return { code, level: "error", path, part: "value", message, hint };
}

/** An error at the key that `path` ends in. */
export function errorAtKey(
  code: ProblemCode,
  path: Path,
  message: string,
  hint: Hint = {},
): Finding {
  return { code, level: "error", path, part: "key", message, hint };
}

export function warningAt(
  code: ProblemCode,
  path: Path,
  message: string,
  hint: Hint = {},
): Finding {
  return { code, level: "warning", path, part: "value", message, hint };
}

/** A warning at the key that `path` ends in. */
export function warningAtKey(
  code: ProblemCode,
  path: Path,
  message: string,
  hint: Hint = {},
): Finding {
  return { code, level: "warning", path, part: "key", message, hint };
}

/** An error at a value that is nothing, or of another type than what is `expected`. */
export function wrongType(path: Path, raw: unknown, expected: string): Finding {
  return errorAt("wrong-type", path, typeOf(raw), { expected });
}

/** `has no value` or `is a list`, for a message whose subject is the key. */
export function typeOf(raw: unknown): string {
  return raw === null ? "has no value" : `is ${kindOf(raw)}`;
}

/** A quantity that does not say what the metric needs; `hint` is what does. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
  constructor(
    readonly code: ProblemCode,
    message: string,
    readonly hint: Hint = {},
  ) {
    super(message);
  }
}

/** A text from the user's file as a message may show it. */
export function shown(text: string): string {
  return `"${cleanText(text, 60)}"`;
}
