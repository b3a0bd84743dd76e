import { Decimal } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import { formatValue, type Written } from "../../base/format.ts";
import { cleanText, cutText, shortId } from "../../base/text.ts";
import { formatBucket, formatSeconds } from "../../base/times.ts";
import { isNegated } from "../../decide/condition-tree.ts";
import type { AlertEvent } from "../../decide/event.ts";
import type { Evidence } from "../../decide/verdict.ts";
import type { Metric } from "../../kinds/kind.ts";
import type {
  Comparison,
  SilenceComparison,
  UnchangedComparison,
  Value,
} from "../../model/index.ts";
import {
  booleanText,
  headlineAs,
  headlineLabel,
  unitNames,
} from "../../rules/describe/metric-words.ts";
import { comparedWords } from "../compared-words.ts";
import { edgeLines, isOfEdge } from "../range-words.ts";
import { capital, chainOf, chainTail, GOOD_ICON, SEVERITY_ICONS } from "../wording.ts";
import { type Line, WHOLE_NAME } from "./fit.ts";

/**
 * What a value is and what limit it has crossed or left:
 * `Ethereum tip 7.4 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC`.
 * `ends` are what may follow what narrows the value down.
 */
export function levelLines(
  event: AlertEvent,
  evidence: Evidence,
  name: string,
  icon: string,
  ends: readonly string[],
): readonly Line[] {
  const { metric, value, comparison } = evidence;
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what, which } = headlineLabel(metric, as, event.rule.across);
  const before = `${icon} `;
  const tails = [...narrowed(event, evidence, which), ...ends].filter((text) => text !== "");
  const limits = evidence.limits.filter((limit) => limit instanceof Decimal);
  if (typeof value === "boolean") {
    const now = event.kind === "resolved" ? "now " : "";
    return [{ before, name, after: ` is ${now}${booleanText(metric.label, value)}`, tails }];
  }
  if (!(value instanceof Decimal) || limits.length !== evidence.limits.length) {
    const now = event.kind === "resolved" ? "is now" : "is";
    const text = typeof value === "string" ? shortText(value) : formatValue(value, as);
    return [{ before, name, after: `: ${what} ${now} ${text}`, tails }];
  }
  const negated = isNegated(event.rule.when, comparison);
  const told = event.kind === "resolved" ? LEFT : { how: "crossed" as const, negated };
  const back =
    event.kind !== "resolved" ? "" : isBack(event, comparison, icon) ? " back to" : " now";
  const ways = comparedWords(comparison, value, limits, as, told);
  const range = event.description?.range ?? null;
  return [
    ...(isOfEdge(metric) && range !== null
      ? ways.flatMap((way) => edgeLines(before, name, way, { metric, value, range, back, tails }))
      : []),
    ...ways.flatMap(({ value: shown, limit }, i) => {
      const number = `${back} ${shown}`;
      // What the limit is called is worth less than the subject's name.
      const isLast = i === ways.length - 1;
      const token = tokenLines(event, metric, { what, number, limit, before, name, tails });
      const usual = { before, name, after: ` ${what}${number}${limit}`, tails };
      const lines = token.length > 0 && !isLast ? token : [...token, usual];
      return lines.map((line) => ({ ...line, least: isLast ? 0 : WHOLE_NAME }));
    }),
    // Hundreds of digits that differ in the last one do not fit: the fields have them.
    { before, name, after: `: ${what}, ${comparison.op.replace("_", " ")} its limit`, tails: [] },
  ];
}

/** Whether a value that is over its limit no more was so before: what fired without one never was. */
function isBack({ before }: AlertEvent, { op }: Comparison, icon: string): boolean {
  const { state, value } = before.lastNotified;
  return op !== "inside" && icon === GOOD_ICON && (state !== "firing" || value !== null);
}

const LEFT = { how: "left" } as const;

/** `0x111111…1111`, or the beginning of a text. */
export function shortText(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? shortId(text) : cutText(cleanText(text), 24);
}

/** `. Top 10%, average of 14:00-15:00 UTC`. */
function narrowed(event: AlertEvent, evidence: Evidence, which: string | null): string[] {
  const parts = which === null ? [] : [which];
  if (event.bucket !== null) {
    const hours = formatBucket(event.bucket.start, event.bucket.ms);
    const { quantity } = evidence.metric;
    parts.push(quantity === "wei" || quantity === "ratio" ? `average of ${hours}` : hours);
  }
  return parts.length === 0 ? [] : [`. ${capital(parts.join(", "))}`];
}

export interface LevelWords {
  /** `🟠 ` */
  readonly before: string;
  readonly name: string;
  readonly what: string;
  /** ` 306M AUSD`, ` back to 290M AUSD` */
  readonly number: string;
  /** `, limit 300M` */
  readonly limit: string;
  readonly tails: readonly string[];
}

/**
 * `Balance of Treasury 1.2M AUSD, below 2.5M` for tokens and for several subjects together, and
 * `Supply 306M AUSD, six chains, limit 300M` where the unit says whose it is. None for others,
 * whose name stands first.
 */
function tokenLines(event: AlertEvent, metric: Metric, words: LevelWords): readonly Line[] {
  const { before, name, what, number, limit, tails } = words;
  const start = `${before}${capital(what)}`;
  const place = placeInstead(event, metric, name);
  if (place !== null) {
    const others = tails.filter((text) => text !== chainTail(event, name));
    return [{ before: `${start}${number}, `, name: place, after: limit, tails: others }];
  }
  const { rule } = event;
  if (rule.across === null && rule.words.metricFirst !== true) return [];
  return [{ before: `${start} of `, name, after: `${number}${limit}`, tails }];
}

/** Where the unit names the subject already, the line says where; null: it must say whose. */
export function placeInstead(event: AlertEvent, metric: Metric, name: string): string | null {
  const { description, subject } = event;
  const named = unitNames(name, metric, event.decimals(metric.name), description);
  return named ? chainOf(subject, description) : null;
}

export type LastingComparison = SilenceComparison | UnchangedComparison;

export function isLasting(comparison: { readonly op: string }): comparison is LastingComparison {
  return comparison.op === "unchanged" || comparison.op === "no_update_for";
}

/**
 * What has stood still: `Price unchanged for 2 h: ETH/USDC 0.05% at 2,086.04 USDC/ETH`, or
 * `No update for 1 h: ETH/USDC 0.05%. Last at 2026-11-28 12:00 UTC`.
 */
export function lastingLines(
  event: AlertEvent,
  { metric, value }: Evidence,
  { op, ms }: LastingComparison,
  name: string,
  tail: string,
): readonly Line[] {
  const icon = SEVERITY_ICONS[event.rule.severity];
  const time = formatDuration(ms);
  if (op === "no_update_for") {
    const before = `${icon} No update for ${time}: `;
    return [
      { before, name, after: `. Last at ${timeOf(value)}`, tails: [tail] },
      { before, name, after: "", tails: [tail] },
    ];
  }
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what, which } = headlineLabel(metric, as, event.rule.across);
  const tails = which === null ? [tail] : [`. ${capital(which)}`, tail];
  const before = `${icon} ${capital(what)} unchanged for ${time}: `;
  return [
    { before, name, after: ` ${atValue(value, metric.label, as)}`, tails },
    { before, name, after: "", tails },
  ];
}

/** How it went on: `Price moves again: ETH/USDC 0.05% at 2,090 USDC/ETH`. `ends`: where, for how long. */
export function goesOnLines(
  event: AlertEvent,
  { metric, value }: Evidence,
  { op }: LastingComparison,
  name: string,
  ends: readonly string[],
): readonly Line[] {
  if (op === "no_update_for") {
    return [{ before: `${GOOD_ICON} Updated again: `, name, after: "", tails: ends }];
  }
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what } = headlineLabel(metric, as, event.rule.across);
  const before = `${GOOD_ICON} ${capital(what)} changes again: `;
  return [
    { before, name, after: ` ${atValue(value, metric.label, as)}`, tails: ends },
    { before, name, after: "", tails: ends },
  ];
}

function atValue(value: Value, label: string, as: Written): string {
  if (typeof value === "boolean") return booleanText(label, value);
  return typeof value === "string" ? shortText(value) : `at ${formatValue(value, as)}`;
}

/** Unix seconds, or the text of a bucket's own time. */
function timeOf(value: Value): string {
  if (value instanceof Decimal) return formatSeconds(value) ?? "an unknown time";
  return shortText(String(value));
}
