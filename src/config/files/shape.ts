import type { z } from "zod";
import { isMap } from "../../base/json.ts";
import { isProblemCode, type ProblemCode } from "../../base/problem-codes.ts";
import { type Hint, kindOf } from "../../base/settings.ts";
import { isInCurlyQuotes, type Synonyms, suggest } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import { errorAt, errorAtKey, type Finding, type Path, type Report } from "../../rules/finding.ts";

type Issue = z.core.$ZodIssue;

export interface Words {
  /** What the keys belong to: `a rule`. */
  readonly what: string;
  /** The keys that are known, for suggestions. */
  readonly keys: readonly string[];
  /** What people write for the keys. */
  readonly synonyms?: Synonyms;
  /** Keys of the documents that this version does not have. */
  readonly notBuilt?: ReadonlySet<string>;
}

/** What the keys belong to, such as `service`; or more words, to which the keys of the schema are added. */
type About = string | Omit<Words, "keys">;

/**
 * Reads a map by a schema all of whose keys are optional. Everything that is wrong is reported, with
 * the place and in the user's words; the keys that are right are returned nevertheless, so that one
 * slip does not hide the next. Null if `raw` is no map.
 */
export function readKeys<T>(
  schema: z.ZodType<T> & { readonly shape: object },
  raw: unknown,
  path: Path,
  about: About,
  report: Report,
): T | null {
  const more = typeof about === "string" ? { what: about } : about;
  const words = { keys: Object.keys(schema.shape), ...more };
  if (!isMap(raw)) {
    const what = raw === null || raw === undefined ? "nothing" : kindOf(raw);
    const keys = words.keys.slice(0, 3).join(", ");
    report(
      errorAt("wrong-type", path, `${words.what} is ${what}`, `a map with keys such as ${keys}`),
    );
    return null;
  }
  const first = schema.safeParse(raw);
  if (first.success) return first.data;
  const bad = new Set<string>();
  for (const finding of findingsOf(first.error, path, words)) {
    report(finding);
    bad.add(String(finding.path[path.length]));
  }
  const rest = Object.fromEntries(Object.entries(raw).filter(([key]) => !bad.has(key)));
  const second = schema.safeParse(rest);
  return second.success ? second.data : null;
}

/** What zod refused, in the user's words. `base` leads to the value that was parsed. */
export function findingsOf(error: z.ZodError, base: Path, words: Words): readonly Finding[] {
  return error.issues.flatMap((issue) => explain(issue, base, words));
}

function explain(issue: Issue, base: Path, words: Words): readonly Finding[] {
  const path = [
    ...base,
    ...issue.path.map((step) => (typeof step === "number" ? step : String(step))),
  ];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, [...path, key], words));
    case "custom":
      return [
        errorAt(codeOf(issue.params), path, withKey(issue.message, path), hintOf(issue.params)),
      ];
    case "invalid_type": {
      const what = issue.input === undefined ? "is missing" : "has the wrong type";
      return [
        errorAt(
          issue.input === undefined ? "missing-key" : "wrong-type",
          path,
          what,
          TYPES[issue.expected] ?? issue.expected,
        ),
      ];
    }
    default:
      return [errorAt("wrong-type", path, `is not valid: ${issue.message}`)];
  }
}

/** `"5" has no unit` alone does not say whose unit. */
function withKey(message: string, path: Path): string {
  const key = path.at(-1);
  return message.startsWith('"') && typeof key === "string" ? `${key} ${message}` : message;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

/** Reports a key that is not there to be used: misspelt, or not built yet. */
export function unknownKey(key: string, path: Path, words: Words): Finding {
  if (words.notBuilt?.has(key) === true) {
    return errorAtKey("unknown-key", path, `${key} is not built yet in this version`);
  }
  const near = suggest(key, [...words.keys, ...(words.notBuilt ?? [])], words.synonyms);
  const hint: Hint = near === null ? { expected: words.keys.join(", ") } : { suggestion: near };
  const why = isInCurlyQuotes(key) ? ": the quotes are a part of it" : "";
  return errorAtKey(
    "unknown-key",
    path,
    `unknown key \`${cleanText(key, 60)}\` in ${words.what}${why}`,
    hint,
  );
}

function hintOf(params: Readonly<Record<string, unknown>> | undefined): Hint {
  const { expected, suggestion } = params ?? {};
  return {
    expected: typeof expected === "string" ? expected : null,
    suggestion: typeof suggestion === "string" ? suggestion : null,
  };
}

/** The code that `refuse` gave; what zod finds by itself is of the wrong type. */
function codeOf(params: Readonly<Record<string, unknown>> | undefined): ProblemCode {
  const code = params?.code;
  return typeof code === "string" && isProblemCode(code) ? code : "wrong-type";
}
