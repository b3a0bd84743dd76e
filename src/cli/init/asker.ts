import { nearest } from "../../base/nearest.ts";
import { cleanText } from "../../base/text.ts";
import type { Choice, Prompts } from "./prompts.ts";

/** The answers cannot be used; the message is one line with what to do. */
export class InitError extends Error {
  override readonly name = "InitError";
}

/** Asks, or takes what is given. */
export class Asker {
  constructor(private readonly prompts: Prompts | null) {}

  get canAsk(): boolean {
    return this.prompts !== null;
  }

  async choose<Value extends string>(
    flag: string,
    given: string | undefined,
    question: string,
    values: readonly Value[],
    { hints }: { readonly hints: Readonly<Record<string, string>> },
  ): Promise<Value> {
    if (given !== undefined) return oneOf(flag, given, values);
    if (this.prompts === null) throw missing(flag, listed(values));
    const choices = values.map((value): Choice<Value> => ({ value, hint: hints[value] ?? "" }));
    return await this.prompts.choose(question, choices);
  }

  /** `check` says what is wrong in a sentence, or null. */
  async text(
    flag: string,
    given: string | undefined,
    question: string,
    placeholder: string,
    check: (text: string) => string | null,
  ): Promise<string> {
    if (given !== undefined) return checked(flag, given, check);
    if (this.prompts === null) throw missing(flag, `such as ${placeholder}`);
    return await this.prompts.text(question, placeholder, check);
  }

  async several(question: string, labels: readonly string[]): Promise<readonly number[]> {
    return this.prompts === null
      ? labels.map((_, index) => index)
      : await this.prompts.several(question, labels);
  }
}

function missing(flag: string, choices: string): InitError {
  return new InitError(`--${flag} is missing, and there is no terminal to ask at: ${choices}`);
}

export function checked(
  flag: string,
  given: string,
  check: (text: string) => string | null,
): string {
  const text = given.trim();
  const trouble = check(text);
  if (trouble !== null)
    throw new InitError(`--${flag} "${cleanText(text, 80)}" cannot be used. ${trouble}`);
  return text;
}

export function oneOf<Value extends string>(
  flag: string,
  given: string,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  throw new InitError(refusal(flag, given, values));
}

export function refusal(
  flag: string,
  given: string,
  values: readonly string[],
  more?: string,
): string {
  const near = nearest(given, values);
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  const all = more === undefined ? values : [...values, more];
  return `--${flag} "${cleanText(given, 60)}" is unknown; it is ${listed(all)}.${meant}`;
}

function listed(values: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(values);
}
