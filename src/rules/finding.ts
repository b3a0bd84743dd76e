import type { ProblemCode } from "../base/problem-codes.ts";
import { type Hint, type Hinted, hintOf, kindOf } from "../base/settings.ts";
import { cleanText } from "../base/text.ts";

/** A way into a rule or a settings file: keys and list positions. */
export type Path = readonly (string | number)[];

/** Things of which one may stand without a list around it, each with its place. */
export function itemsAt(
  raw: unknown,
  path: Path,
): readonly { readonly item: unknown; readonly at: Path }[] {
  if (!Array.isArray(raw)) return [{ item: raw, at: path }];
  return raw.map((item: unknown, i) => ({ item, at: [...path, i] }));
}

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

/** `hint` as a text is what was expected. */
type Finder = (code: ProblemCode, path: Path, message: string, hint?: Hinted) => Finding;

function finder(level: Finding["level"], part: Finding["part"]): Finder {
  return (code, path, message, hint = {}) => {
    return { code, level, path, part, message, hint: hintOf(hint) };
  };
}

/** An error at the value that `path` leads to. */
export const errorAt = finder("error", "value");
/** An error at the key that `path` ends in. */
export const errorAtKey = finder("error", "key");
/** A warning at the value that `path` leads to. */
export const warningAt = finder("warning", "value");
/** A warning at the key that `path` ends in. */
export const warningAtKey = finder("warning", "key");

/** An error at a value that is nothing, or of another type than what is `expected`. */
export function wrongType(path: Path, raw: unknown, expected: string): Finding {
  return errorAt("wrong-type", path, typeOf(raw), expected);
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
