import { z } from "zod";
import { parseDuration, suggestDuration } from "./duration.ts";
import type { ProblemCode } from "./problem-codes.ts";
import { addressTrouble, headerTrouble, lineTrouble } from "./slips.ts";
import { type Synonyms, suggest } from "./suggest.ts";
import { cleanText, Secret } from "./text.ts";

/**
 * Building blocks for the schemas of settings (config.yaml, the channels' own settings). What comes
 * in is text, a boolean, a list or a map: the reader of YAML keeps numbers as the text that stands
 * in the file. A value that held `${env:…}` or `${file:…}` comes as a Secret. A refusal never
 * repeats a value that came as a Secret. Each block carries, as zod's metadata, the JSON Schema of what
 * an editor sees in the file, where numbers are numbers.
 */

/** What a problem says beside what is wrong; null and undefined are nothing. */
export interface Hint {
  readonly expected?: string | null | undefined;
  readonly suggestion?: string | null | undefined;
}

/** A hint, or as a text what was expected. */
export type Hinted = Hint | string;

export function hintOf(given: Hinted): Hint {
  return typeof given === "string" ? { expected: given } : given;
}

/** Refuses a value in the user's words; for transforms: `return refuse(context, CODE, "…", HINT)`. */
export function refuse(
  context: z.RefinementCtx,
  code: ProblemCode,
  message: string,
  hint: Hinted = {},
): never {
  context.addIssue({ code: "custom", message, params: { ...hintOf(hint), code } });
  return z.NEVER;
}

/** A secret: text or a Secret becomes a Secret. Empty text is refused. */
export function secretText(expected = "text"): z.ZodType<Secret> {
  return z
    .unknown()
    .transform((value, context) => {
      const read = readText(value);
      return read === null
        ? refuseOther(context, value, expected)
        : value instanceof Secret
          ? value
          : new Secret(read.text);
    })
    .meta({ type: ["string", "number"], description: expected });
}

/** A secret that goes into a header. */
export function headerText(expected: string): z.ZodType<Secret> {
  return sendable(expected, headerTrouble);
}

/** A secret of one line that is not sent itself, such as the key of a signature. */
export function lineText(expected: string): z.ZodType<Secret> {
  return sendable(expected, lineTrouble);
}

function sendable(expected: string, troubleOf: (text: string) => string | null): z.ZodType<Secret> {
  return secretText(expected).superRefine((value, context) => {
    const trouble = troubleOf(value.reveal());
    if (trouble !== null) refuse(context, "strange-character", trouble, expected);
  });
}

/** Text that is no secret; one that came as a Secret is revealed. Empty text is refused. */
export function plainText(expected = "text"): z.ZodType<string> {
  return z
    .unknown()
    .transform((value, context) => readText(value)?.text ?? refuseOther(context, value, expected))
    .meta({ type: ["string", "number"], description: expected });
}

/** What `parseDuration` reads, for editors. */
export const DURATION_SCHEMA = {
  type: "string",
  pattern: "^\\s*(?=\\d)(?:\\d+ ?w ?)?(?:\\d+ ?d ?)?(?:\\d+ ?h ?)?(?:\\d+ ?m ?)?(?:\\d+ ?s)?\\s*$",
} as const;

/** A duration such as `30s`, in milliseconds, from `min` to `max` (milliseconds, both included). */
export function durationMs(min = 0, max = Number.POSITIVE_INFINITY): z.ZodType<number> {
  const expected = "a duration such as 30s, 5m or 1h30m";
  return z
    .unknown()
    .transform((value, context) => {
      const read = readText(value);
      if (read === null) return refuseOther(context, value, expected);
      const { text, shown } = read;
      const ms = parseDuration(text);
      if (ms === null) {
        const bare = /^\d{1,9}$/.test(text);
        // A text that came as a Secret is never repeated, in other words neither.
        const suggestion =
          value instanceof Secret ? null : bare ? `${text}m` : suggestDuration(text);
        return refuse(
          context,
          "bad-duration",
          `${shown} ${bare ? "has no unit" : "is not a duration"}`,
          {
            expected,
            ...(suggestion === null ? {} : { suggestion }),
          },
        );
      }
      if (ms < min) return refuse(context, "out-of-range", `${shown} is too short`, atLeast(min));
      if (ms > max) return refuse(context, "out-of-range", `${shown} is too long`, atMost(max));
      return ms;
    })
    .meta({ ...DURATION_SCHEMA, description: expected });
}

/** A whole number from `min` to `max`, both included. */
export function wholeNumber(min: number, max: number): z.ZodType<number> {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .unknown()
    .transform((value, context) => {
      const read = readText(typeof value === "number" ? String(value) : value);
      if (read === null) return refuseOther(context, value, expected);
      const number = /^\d{1,15}$/.test(read.text) ? Number(read.text) : Number.NaN;
      return number >= min && number <= max
        ? number
        : refuse(context, "out-of-range", `${read.shown} does not fit`, expected);
    })
    .meta({
      type: ["integer", "string"],
      minimum: min,
      maximum: max,
      pattern: "^\\d{1,15}$",
      description: expected,
    });
}

const YES: ReadonlySet<string> = new Set(["yes", "on", "y"]);
const NO: ReadonlySet<string> = new Set(["no", "off", "n"]);

/** `true` or `false`; YAML 1.2 reads `yes`, `no`, `on` and `off` as text. */
export function flag(): z.ZodType<boolean> {
  return z
    .unknown()
    .transform((value, context) => {
      if (typeof value === "boolean") return value;
      const read = readText(value);
      if (read === null) return refuseOther(context, value, "true or false");
      const text = read.text.toLowerCase();
      if (text === "true" || text === "false") return text === "true";
      const flagged = YES.has(text) ? "true" : NO.has(text) ? "false" : undefined;
      return refuse(context, "wrong-type", `${read.shown} is text to YAML`, {
        expected: "true or false",
        ...(flagged === undefined ? {} : { suggestion: flagged }),
      });
    })
    .meta({ enum: [true, false, "true", "false"], description: "true or false" });
}

/** One of a few words; `synonyms` are what people write for them. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  synonyms: Synonyms = {},
): z.ZodType<Word> {
  return z
    .unknown()
    .transform((value, context) => {
      const expected = alternatives(words);
      const read = readText(value);
      if (read === null) return refuseOther(context, value, expected);
      const found = words.find((word) => word === read.text);
      if (found !== undefined) return found;
      const suggestion = suggest(read.text, words, synonyms);
      return refuse(context, "unknown-word", `${read.shown} is not known`, {
        expected,
        ...(suggestion === null ? {} : { suggestion }),
      });
    })
    .meta({ enum: [...words], description: alternatives(words) });
}

/**
 * The address of a service: http or https, a host and perhaps a path, without credentials, query
 * and fragment; trailing slashes are taken off.
 */
export function httpUrl(): z.ZodType<string> {
  const expected = "an address such as https://data.example.org";
  return z
    .unknown()
    .transform((value, context) => {
      const read = readText(value);
      if (read === null) return refuseOther(context, value, expected);
      const slip = addressTrouble(read.text);
      if (slip !== null) return refuse(context, "strange-character", slip, expected);
      const url = URL.canParse(read.text) ? new URL(read.text) : null;
      if (url === null || url.host === "" || !/^https?:\/\//i.test(read.text)) {
        return refuse(context, "bad-url", "the value is not an http or https address", expected);
      }
      if (url.username !== "" || url.password !== "") {
        return refuse(context, "bad-url", "the address holds a user name or password", expected);
      }
      if (/[?#]/.test(read.text)) {
        return refuse(context, "bad-url", "the address has a query or fragment", expected);
      }
      return url.href.replace(/\/+$/, "");
    })
    .meta({ type: "string", pattern: "^[hH][tT][tT][pP][sS]?://", description: expected });
}

/** `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** The same of names that may be many: the first of them. */
export function someOf(names: readonly string[]): string {
  const some = names.slice(0, MOST_NAMES);
  return some.length < names.length ? `${some.join(", ")}, …` : alternatives(some);
}

const MOST_NAMES = 8;

/** What kind of thing stands there, for a person: `a list`, `a map`, `true`. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  return typeof value === "object" ? "a map" : "text";
}

/** The text and how a message may show it; null if the value is no text or empty. */
function readText(value: unknown): { text: string; shown: string } | null {
  if (value instanceof Secret) {
    const text = value.reveal();
    return text.trim() === "" ? null : { text, shown: "the value" };
  }
  if (typeof value !== "string" || value.trim() === "") return null;
  return { text: value, shown: `"${cleanText(value, 60)}"` };
}

function refuseOther(context: z.RefinementCtx, value: unknown, expected: string): never {
  if (value === undefined) return refuse(context, "missing-key", "is missing", expected);
  if (value === null) return refuse(context, "wrong-type", "has no value", expected);
  if (typeof value === "string" || value instanceof Secret) {
    return refuse(context, "empty", "is empty", expected);
  }
  return refuse(context, "wrong-type", `is ${kindOf(value)}`, expected);
}

function atLeast(ms: number): string {
  return `at least ${ms / 1_000}s`;
}

function atMost(ms: number): string {
  return ms % 86_400_000 === 0 ? `at most ${ms / 86_400_000}d` : `at most ${ms / 1_000}s`;
}
