import { z } from "zod";
import { parseDuration, SECOND } from "../../base/duration.ts";
import {
  DURATION_SCHEMA,
  durationMs,
  flag,
  oneOf,
  plainText,
  refuse,
} from "../../base/settings.ts";
import { cleanText } from "../../base/text.ts";
import { isTimezone, suggestTimezone } from "../../base/zone.ts";
import { isTemplate } from "../../notices/template/library.ts";
import { typeOf } from "../../rules/finding.ts";
import { RULE_SYNONYMS, SEVERITY_SYNONYMS } from "../synonyms.ts";
import { SCHEDULE_EXPECTED } from "./schedules.ts";

export const SEVERITIES = ["info", "warning", "critical"] as const;
/** What several values are made one by. */
export const ACROSS = ["sum", "min", "max"] as const;

const LONGEST_NAME = 128;
const LONGEST_TITLE = 200;
const LONGEST_NOTE = 2_000;
const MOST_LABELS = 32;
const MOST_GAPS = 20;

/** What stands under each key of a rule, by itself; what keys say together is checked after. */
export const RULE = z
  .strictObject({
    name: ruleName(),
    watch: z.unknown(),
    when: z.unknown(),
    across: oneOf(ACROSS),
    for: durationMs(),
    resolve_when: z.unknown(),
    resolve_after: durationMs(),
    schedule: plainText(SCHEDULE_EXPECTED),
    severity: oneOf(SEVERITIES, SEVERITY_SYNONYMS),
    labels: labels(),
    notify: z.unknown(),
    title: sentence(LONGEST_TITLE),
    note: sentence(LONGEST_NOTE),
    enabled: flag(),
    missing_after: durationMs(),
    timezone: timezone(),
    send_resolved: flag(),
    min_age: durationMs(),
    max_age: durationMs(),
    bucket: oneOf(["newest", "complete"]),
    remind: reminders(),
    worse_by: z.unknown(),
    cooldown: durationMs(SECOND),
    once: flag(),
    on_missing: oneOf(["keep", "fire"]),
    only_while: ruleNames(),
    unless: ruleNames(),
    any_chain: flag(),
  })
  .partial();

export type RuleKeys = z.infer<typeof RULE>;

export const RULE_WORDS = {
  what: "a rule",
  synonyms: RULE_SYNONYMS,
};

/** A name of IANA's time zone database. */
export function timezone(): z.ZodType<string> {
  return plainText("a time zone such as UTC or Europe/Berlin").transform((zone, context) => {
    if (isTimezone(zone)) return zone;
    const near = suggestTimezone(zone);
    return refuse(context, "unknown-word", `unknown time zone "${cleanText(zone)}"`, {
      expected: "a name such as UTC or Europe/Berlin",
      suggestion: near,
    });
  });
}

function ruleName(): z.ZodType<string> {
  const expected = `a name of 1 to ${LONGEST_NAME} characters`;
  return plainText(expected).transform((text, context) => {
    const name = cleanText(text, LONGEST_NAME + 1);
    if (name.startsWith("tickwatch:")) {
      return refuse(context, "bad-name", "is reserved for the daemon", "another name");
    }
    if (name === "") return refuse(context, "bad-name", "has no visible character", expected);
    if ([...name].length > LONGEST_NAME)
      return refuse(context, "too-long", "is too long", expected);
    return name;
  });
}

/** The JSON Schema of one thing or a list of some, `most` at most. */
export function oneOrMore(one: object, most?: number): { readonly anyOf: readonly object[] } {
  const limit = most === undefined ? {} : { maxItems: most };
  return { anyOf: [one, { type: "array", items: one, minItems: 1, ...limit }] };
}

/** A value that stands alone as a list of one. */
export function asList(value: unknown): unknown {
  return Array.isArray(value) ? value : [value];
}

/** One gap or several, the last of which goes on. */
function reminders(): z.ZodType<readonly number[]> {
  const expected = "gaps such as [1h, 6h, 1d]";
  return z
    .preprocess(
      (value, context) => {
        const meant = typeof value === "string" ? listedGaps(value) : null;
        if (meant === null) return asList(value);
        return refuse(context, "missing-brackets", "is text, not a list", {
          expected,
          suggestion: meant,
        });
      },
      z.array(durationMs(SECOND)),
    )
    .transform((gaps, context) => {
      if (gaps.length === 0) return refuse(context, "empty", "is empty", expected);
      return gaps.length > MOST_GAPS
        ? refuse(context, "too-long", "has too many gaps", expected)
        : gaps;
    })
    .meta({ ...oneOrMore(DURATION_SCHEMA, MOST_GAPS), description: expected });
}

/** `1h, 6h` with the brackets that make a list of it; null if it is no such text. */
function listedGaps(text: string): string | null {
  const parts = text.split(",", MOST_GAPS + 1).map((part) => part.trim());
  const gaps = parts.length > 1 && parts.every((part) => parseDuration(part) !== null);
  return gaps ? `[${parts.join(", ")}]` : null;
}

/** Names of rules, each once; whether they are there is checked when all files are read. */
function ruleNames(): z.ZodType<readonly string[]> {
  const expected = "the name of a rule, or a list of names";
  return z
    .preprocess(asList, z.array(plainText(expected)))
    .transform((names, context) => {
      if (names.length === 0) return refuse(context, "empty", "is empty", expected);
      return [...new Set(names.map((name) => cleanText(name, LONGEST_NAME + 1)))];
    })
    .meta({ ...oneOrMore({ type: ["string", "number"] }), description: expected });
}

function sentence(limit: number): z.ZodType<string> {
  return plainText("text").transform((text, context) => {
    // A template is cleaned when it has its facts.
    const clean = isTemplate(text) ? text : cleanText(text, limit + 1);
    return [...clean].length > limit
      ? refuse(context, "too-long", "is too long", `at most ${limit} characters`)
      : clean;
  });
}

/** Labels, each a text. */
export function labels(): z.ZodType<Readonly<Record<string, string>>> {
  return z
    .unknown()
    .transform((value, context) => {
      const expected = "a map of texts such as {team: lp}";
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return refuse(context, "wrong-type", typeOf(value), expected);
      }
      const found: Record<string, string> = {};
      for (const [key, text] of Object.entries(value)) {
        const label: unknown = text;
        if (typeof label === "string") found[cleanText(key)] = cleanText(label, LONGEST_NAME);
        else {
          const what = typeOf(label);
          const suggestion = typeof label === "boolean" ? { suggestion: `"${label}"` } : {};
          context.addIssue({
            code: "custom",
            message: what,
            path: [key],
            params: { expected: "text", ...suggestion },
          });
        }
      }
      if (Object.keys(found).length > MOST_LABELS) {
        return refuse(context, "too-long", "has too many labels", `at most ${MOST_LABELS}`);
      }
      return found;
    })
    .meta({
      type: "object",
      additionalProperties: { type: ["string", "number"] },
      maxProperties: MOST_LABELS,
      description: "a map of texts such as {team: lp}",
    });
}
