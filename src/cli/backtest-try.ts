import { compare, Decimal, parseDecimal } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import { cleanText } from "../base/text.ts";
import { ConfigError } from "../config/files/text-file.ts";
import type { Rule } from "../model/index.ts";
import type { Track } from "../replay/past/backtest.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";
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
    `--try ${cleanText(text, 60)} is not written KEY=VALUE,VALUE, such as above=3gwei,5gwei`,
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
    let isThere = false;
    const edit = (raw: unknown): unknown => {
      if (!isMap(raw) || typeof raw.name !== "string" || !names.has(raw.name)) return raw;
      const { when } = raw;
      const inWhen = isMap(when) && key in when;
      if (!inWhen && !OWN_KEYS.has(key)) return raw;
      isThere = true;
      return inWhen ? { ...raw, when: { ...when, [key]: value } } : { ...raw, [key]: value };
    };
    const label = `${key}=${value}`;
    const { setup } = await readSetup(config, io, { edit }).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new Error(
        `--try ${cleanText(label, 60)}: ${error.problems[0]?.message ?? "is no rule"}`,
        { cause: error },
      );
    });
    if (!isThere) {
      const known = [...OWN_KEYS].join(", ");
      throw new Error(
        `--try ${cleanText(key, 40)}: no condition of these rules has it; it may also be ${known}`,
      );
    }
    for (const rule of setup.rules) {
      if (!names.has(rule.name)) continue;
      variants.push({ rule: rule.name, label, as: { ...rule, name: `${rule.name} [${label}]` } });
    }
  }
  return variants;
}

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

/** `2/week`, `1/day`, `0.5/month` as alerts in a week. Throws Error. */
export function readWish(text: string): number {
  const [count = "", unit = ""] = text.split("/").map((part) => part.trim());
  const per = PER_WEEK.get(unit.toLowerCase());
  const number = /^\d+(?:\.\d+)?$/.test(count) ? Number(count) : 0;
  if (per !== undefined && number > 0) return number * per;
  throw new Error(`--suggest ${cleanText(text, 40)} is not written like 2/week, 1/day or 1/month`);
}

const PER_WEEK: ReadonlyMap<string, number> = new Map([
  ["day", 7],
  ["d", 7],
  ["week", 1],
  ["w", 1],
  ["month", 7 / 30.44],
]);

/** So many limits are tried at once, and so many values are looked at to choose them. */
const CANDIDATES = 40;
const MOST_VALUES = 20_000;

/**
 * The rule with other limits, from ones that nearly no value reaches to ones that most do. Throws Error for a rule whose
 * condition is no single limit with an order.
 */
export function limitVariants(
  rule: Rule,
  tracks: ReadonlyMap<string, Track>,
  recorded: Recorded | null,
  from: number,
  to: number,
  write: (value: Decimal) => string,
): readonly Variant[] {
  const { when } = rule;
  const isLevel =
    when.op === "above" || when.op === "below" || when.op === "at_least" || when.op === "at_most";
  if (!isLevel || when.limit.kind === "reference" || when.limit.kind === "percentile") {
    throw new Error(
      `--suggest: the condition of ${cleanText(rule.name)} is not one limit such as above or below a number`,
    );
  }
  const values: Decimal[] = [];
  for (const { key } of rule.subjects) {
    for (const value of valuesOf(tracks.get(key), when.metric, recorded, from, to))
      values.push(value);
  }
  if (values.length === 0)
    throw new Error(`--suggest: ${when.metric} has no order, or nothing is known of it`);
  const sorted = values.toSorted(compare);
  const isHigh = when.op === "above" || when.op === "at_least";
  const limits: Decimal[] = [];
  for (let i = 0; i < CANDIDATES; i += 1) {
    // Half of what is tried lies in the last hundredth, where alerts are rare.
    const share = 0.5 * (i / CANDIDATES) ** 4;
    const at = Math.floor(share * (sorted.length - 1));
    const value = sorted[isHigh ? sorted.length - 1 - at : at];
    // Two that are written alike are one to whoever chooses.
    if (value !== undefined && !limits.some((one) => write(one) === write(value)))
      limits.push(value);
  }
  return limits.map((value): Variant => {
    const label = `${when.op} ${write(value)}`;
    const limit = { kind: "value", value, text: write(value) } as const;
    const as: Rule = {
      ...rule,
      name: `${rule.name} [${value.toString()}]`,
      when: { ...when, limit },
      resolveWhen: null,
    };
    return { rule: rule.name, label, as };
  });
}

function* valuesOf(
  track: Track | undefined,
  metric: string,
  recorded: Recorded | null,
  from: number,
  to: number,
): Generator<Decimal> {
  if (track === undefined) return;
  let count = 0;
  const ids = track.recordedSeries.get(metric) ?? [];
  if (recorded !== null && ids.length > 0) {
    for (const page of recorded.runs(ids, from, to)) {
      // Of many every other page says as much.
      for (const { value } of page) {
        const number = value === null ? null : parseDecimal(value);
        count += 1;
        if (number !== null && (count < MOST_VALUES || count % 16 === 0)) yield number;
      }
    }
  }
  for (const [, value] of track.past.entries?.values(metric, from, to) ?? []) {
    if (value instanceof Decimal) yield value;
  }
  for (const [date, value] of track.points.get(metric) ?? []) {
    if (value instanceof Decimal && from <= date && date <= to) yield value;
  }
}
