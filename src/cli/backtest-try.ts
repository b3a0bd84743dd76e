import { isMap } from "../base/json.ts";
import { cleanText } from "../base/text.ts";
import { ConfigError } from "../config/files/text-file.ts";
import type { Rule } from "../model/index.ts";
import { lasted, rate } from "./backtest-page.ts";
import type { RuleSummary } from "./backtest-summary.ts";
import type { Io } from "./io.ts";
import { table } from "./report.ts";
import { readSetup } from "./setup.ts";

/** A rule with something else in it. */
export interface Variant {
  /** The rule's own name. */
  readonly rule: string;
  /** What it is called in the table: `above=3gwei`. */
  readonly label: string;
  /** Under a name of its own, beside the others. */
  readonly as: Rule;
}

/** `above=3gwei,5gwei`: the key of a rule or of its condition, and the values that it is to have. */
export interface Tried {
  readonly key: string;
  readonly values: readonly string[];
}

/** Throws Error for what is not written so. */
export function readTried(text: string): Tried {
  const at = text.indexOf("=");
  const values = text
    .slice(at + 1)
    .split(",")
    .map((value) => value.trim());
  const key = text.slice(0, Math.max(0, at)).trim();
  if (at > 0 && key !== "" && values.every((value) => value !== "")) return { key, values };
  throw new Error(
    `--try ${cleanText(text, 60)}: write it as KEY=VALUE,VALUE, such as above=3gwei,5gwei`,
  );
}

/** The rules with each of the values in place of what they say. Throws Error where that is no rule. */
export async function variantsOf(
  rules: readonly Rule[],
  { key, values }: Tried,
  config: string,
  io: Io,
): Promise<readonly Variant[]> {
  const names = new Set(rules.map(({ name }) => name));
  const variants: Variant[] = [];
  for (const value of values) {
    const edited = new Set<string>();
    const edit = (raw: unknown): unknown => {
      if (!isMap(raw) || typeof raw.name !== "string" || !names.has(raw.name)) return raw;
      const places = placesOf(raw.when, key);
      if (places > 1) {
        throw new Error(
          `--try ${cleanText(key, 40)}: ${places} parts of the condition of ${cleanText(raw.name)} have it: write the other versions to a file and use --compare`,
        );
      }
      if (places === 0 && !OWN_KEYS.has(key)) return raw;
      edited.add(raw.name);
      return places === 0
        ? { ...raw, [key]: value }
        : { ...raw, when: withKey(raw.when, key, value) };
    };
    const label = `${key}=${value}`;
    const { setup } = await readSetup(config, io, { edit }).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new Error(
        `--try ${cleanText(label, 60)}: ${error.problems[0]?.message ?? "is no rule"}`,
        { cause: error },
      );
    });
    if (edited.size === 0) {
      const known = [...OWN_KEYS].join(", ");
      throw new Error(
        `--try ${cleanText(key, 40)}: no condition of these rules has it; it may also be ${known}`,
      );
    }
    for (const rule of setup.rules) {
      if (!edited.has(rule.name)) continue;
      variants.push({ rule: rule.name, label, as: { ...rule, name: `${rule.name} [${label}]` } });
    }
  }
  return variants;
}

/** In how many parts of a condition a key is. */
function placesOf(when: unknown, key: string): number {
  if (Array.isArray(when)) return when.reduce<number>((sum, one) => sum + placesOf(one, key), 0);
  if (!isMap(when)) return 0;
  if (key in when) return 1;
  return PARTS.reduce((sum, part) => sum + placesOf(when[part], key), 0);
}

/** The condition with another value of a key, in the part that has it. */
function withKey(when: unknown, key: string, value: string): unknown {
  if (Array.isArray(when)) return when.map((one: unknown) => withKey(one, key, value));
  if (!isMap(when)) return when;
  if (key in when) return { ...when, [key]: value };
  const parts = PARTS.filter((part) => part in when);
  return {
    ...when,
    ...Object.fromEntries(parts.map((part) => [part, withKey(when[part], key, value)])),
  };
}

const PARTS = ["all", "any", "not"] as const;

/** Keys of a rule itself that may be tried. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  "for",
  "resolve_after",
  "cooldown",
  "schedule",
  "bucket",
  "min_age",
]);

/** One table: the rule as it is, and each of its variants. */
export function tryLines(
  name: string,
  base: RuleSummary | null,
  tried: readonly { readonly label: string; readonly summary: RuleSummary }[],
  mark: string | null = null,
): readonly string[] {
  const rows = [...(base === null ? [] : [{ label: "as it is", summary: base }]), ...tried].map(
    ({ label, summary }) => {
      const { support, firings, perWeek, firingMs, longestMs, told } = summary;
      if (support.rule === null) return [`  ${label}`, support.refusal ?? "", "", "", "", ""];
      const notices = [...told.values()].reduce((sum, count) => sum + count, 0);
      return [
        `  ${label}${label === mark ? "  ←" : ""}`,
        String(firings.length),
        rate(perWeek),
        lasted(firingMs),
        lasted(longestMs),
        String(notices),
      ];
    },
  );
  const head = [`  ${cleanText(name)}`, "alerts", "a week", "firing", "longest", "notices"];
  return table(head, rows).split("\n");
}
