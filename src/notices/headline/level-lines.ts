import { formatBucket, formatSeconds } from "../../base/clock.ts";
import { absolute, Decimal, subtract } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import {
  asDistance,
  formatBeside,
  formatPercentChange,
  formatValue,
  joinFigure,
  percentOf,
  signed,
  type Written,
} from "../../base/format.ts";
import { cleanText, cutText, shortId } from "../../base/text.ts";
import { isNegated, spanWords } from "../../decide/condition-tree.ts";
import type {
  ChangeComparison,
  Comparison,
  SilenceComparison,
  UnchangedComparison,
  Value,
} from "../../model/index.ts";
import { booleanText, ownLimits } from "../../rules/describe/metric-words.ts";
import { bare, comparedWords } from "../compared-words.ts";
import {
  capital,
  distanceLimit,
  GOOD_ICON,
  type HeadlineContext,
  type Line,
  type Spoken,
  WHOLE_NAME,
} from "../wording.ts";
import { edgeLines, isOfEdge } from "./range-lines.ts";

/**
 * What a value is and what limit it has crossed or left:
 * `Ethereum tip 7.4 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC`.
 * `ends` are what may follow what narrows the value down.
 */
export function levelLines(
  context: HeadlineContext,
  spoken: Spoken,
  icon: string,
  ends: readonly string[],
): readonly Line[] {
  const { event, name } = context;
  const { metric, value, comparison, as, what } = spoken;
  const before = `${icon} `;
  const tails = [...narrowed(context, spoken), ...ends].filter((text) => text !== "");
  const limits = spoken.limits.filter((limit) => limit instanceof Decimal);
  const isOver = event.kind === "resolved";
  const isNow = isOver || event.more?.past === true;
  if (typeof value === "boolean") {
    const now = isNow ? "now " : "";
    return [{ before, name, after: ` is ${now}${booleanText(metric.label, value)}`, tails }];
  }
  if (!(value instanceof Decimal) || limits.length !== spoken.limits.length) {
    const now = isNow ? "is now" : "is";
    const text = typeof value === "string" ? shortText(value) : formatValue(value, as);
    return [{ before, name, after: `: ${what} ${now} ${text}`, tails }];
  }
  const negated = isNegated(event.rule.when, comparison);
  const how = isNow ? "left" : "crossed";
  const back = !isNow ? "" : isBack(context, comparison, icon) ? " back to" : " now";
  const ways = comparedWords(comparison, value, limits, as, { how, negated });
  const range = event.description?.range ?? null;
  const edges =
    range === null || !isOfEdge(metric)
      ? []
      : ways.flatMap((way) => edgeLines(before, name, way, { metric, value, range, back, tails }));
  return [
    ...edges,
    ...ways.flatMap(({ value: shown, limit }, i) => {
      const number = `${back} ${shown}`;
      // What the limit is called is worth less than the subject's name.
      const isLast = i === ways.length - 1;
      const token = tokenLines(context, spoken, { number, limit, before, tails });
      const usual = { before, name, after: ` ${what}${number}${limit}`, tails };
      const lines = token.length > 0 && !isLast ? token : [...token, usual];
      return lines.map((line) => ({ ...line, least: isLast ? 0 : WHOLE_NAME }));
    }),
    // Hundreds of digits that differ in the last one do not fit: the fields have them.
    { before, name, after: `: ${what}, ${comparison.op.replace("_", " ")} its limit`, tails: [] },
  ];
}

/** Whether a value that is over its limit no more was so before: what fired without one never was. */
function isBack({ event }: HeadlineContext, { op }: Comparison, icon: string): boolean {
  const { state, value } = event.before.lastNotified;
  return op !== "inside" && icon === GOOD_ICON && (state !== "firing" || value !== null);
}

/** `0x111111…1111`, or the beginning of a text. */
export function shortText(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? shortId(text) : cutText(cleanText(text), 24);
}

/** `. Top 10%, average of 14:00-15:00 UTC`. */
function narrowed({ event }: HeadlineContext, { which, metric }: Spoken): string[] {
  const parts = which === null ? [] : [which];
  if (event.bucket !== null) {
    const hours = formatBucket(event.bucket.start, event.bucket.ms);
    const isMean = metric.quantity === "wei" || metric.quantity === "ratio";
    parts.push(isMean ? `average of ${hours}` : hours);
  }
  return parts.length === 0 ? [] : [`. ${capital(parts.join(", "))}`];
}

interface LevelWords {
  /** `🟠 ` */
  readonly before: string;
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
function tokenLines(
  { event, name, tail }: HeadlineContext,
  { heading, place }: Spoken,
  { before, number, limit, tails }: LevelWords,
): readonly Line[] {
  const start = `${before}${heading}`;
  if (place !== null) {
    const others = tails.filter((text) => text !== tail);
    return [{ before: `${start}${number}, `, name: place, after: limit, tails: others }];
  }
  const { rule } = event;
  if (rule.across === null && rule.words.metricFirst !== true) return [];
  return [{ before: `${start} of `, name, after: `${number}${limit}`, tails }];
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
  context: HeadlineContext,
  spoken: Spoken,
  comparison: LastingComparison,
): readonly Line[] {
  const { event, icon, name, tail } = context;
  const { op, ms } = comparison;
  if (event.more?.past === true) return goesOnLines(context, spoken, comparison, [tail], icon);
  const time = formatDuration(ms);
  if (op === "no_update_for") {
    const before = `${icon} No update for ${time}: `;
    return withAndWithout({
      before,
      name,
      after: `. Last at ${timeOf(spoken.value)}`,
      tails: [tail],
    });
  }
  const before = `${icon} ${spoken.heading} unchanged for ${time}: `;
  return withAndWithout({ before, name, after: ` ${atValue(spoken)}`, tails: spoken.tails });
}

/** How it went on: `Price changed again: ETH/USDC 0.05% at 2,090 USDC/ETH`. `ends`: where, for how long. */
export function goesOnLines(
  { name }: HeadlineContext,
  spoken: Spoken,
  { op }: LastingComparison,
  ends: readonly string[],
  icon = GOOD_ICON,
): readonly Line[] {
  if (op === "no_update_for") {
    return [{ before: `${icon} Updated again: `, name, after: "", tails: ends }];
  }
  const before = `${icon} ${spoken.heading} changed again: `;
  return withAndWithout({ before, name, after: ` ${atValue(spoken)}`, tails: ends });
}

/** A line, and the same without what comes after the name. */
export function withAndWithout(line: Line): readonly Line[] {
  return [line, { ...line, after: "" }];
}

function atValue({ value, metric, as }: Spoken): string {
  if (typeof value === "boolean") return booleanText(metric.label, value);
  return typeof value === "string" ? shortText(value) : `at ${formatValue(value, as)}`;
}

/** Unix seconds, or the text of a bucket's own time. */
function timeOf(value: Value): string {
  if (value instanceof Decimal) return formatSeconds(value) ?? "an unknown time";
  return shortText(String(value));
}

/**
 * How far a value went in how long: `TVL -18% in 1 h: ETH/USDC 0.05% lost $4.1M, now $18.7M. Limit 10%`
 * for a percentage, `Supply +6.2M AUSD in 24 h, six chains, limit 5M, now 306M AUSD` for an amount.
 */
export function changeLines(
  context: HeadlineContext,
  spoken: Spoken,
  comparison: ChangeComparison,
): readonly Line[] {
  const { event, name, icon } = context;
  const { metric, value, base, as, heading, tails, place } = spoken;
  if (!(value instanceof Decimal)) return [];
  const span = spanWords(comparison.span);
  const now = `now ${formatValue(value, as)}`;
  if (!(base instanceof Decimal)) {
    const before = `${icon} ${heading} ${comparison.op} ${span}: `;
    return [{ before, name, after: ` ${now}`, tails }];
  }
  const delta = subtract(value, base);
  const percent = percentOf(delta, base);
  const { by } = comparison;
  if (by.kind === "percent" && percent !== null) {
    const change = formatPercentChange(percent, by.percent);
    const before = `${icon} ${heading} ${change} ${span}`;
    const both = moved(value, base, as);
    const limit = `. Limit ${cleanText(by.text)}`;
    if (place !== null) {
      return [{ before: `${before}, `, name: place, after: `: ${both}`, tails: [limit] }];
    }
    return [
      {
        before: `${before}: `,
        name,
        after: ` ${both}`,
        tails: [limit, ...tails],
        least: WHOLE_NAME,
      },
      { before: `${before}: `, name, after: ` ${now}`, tails: [limit] },
    ];
  }
  const [mine, limit] = besideLimit(delta, comparison, as, event.decimals(metric.name));
  const before = `${icon} ${heading} ${mine} ${span}`;
  const against = limit === null ? "" : `, limit ${limit}`;
  if (place !== null) {
    return [{ before: `${before}, `, name: place, after: against, tails: [`, ${now}`] }];
  }
  return [
    { before: `${before}: `, name, after: `${against}, ${now}`, tails, least: WHOLE_NAME },
    { before: `${before}: `, name, after: against, tails: [] },
  ];
}

/** `lost $4.1M, now $18.7M` where there is something to lose, else `now 2,050 USDC/ETH, was 2,162`. */
function moved(value: Decimal, base: Decimal, as: Written): string {
  const delta = subtract(value, base);
  const owned = as.quantity === "usd" || as.quantity === "tokens" || as.quantity.startsWith("raw");
  if (owned && delta.digits !== 0n) {
    const word = delta.digits < 0n ? "lost" : "gained";
    return `${word} ${formatValue(absolute(delta), as)}, now ${formatValue(value, as)}`;
  }
  const [now, was] = formatBeside([value, base], as);
  if (now === undefined || was === undefined) return "";
  return `now ${joinFigure(now)}, was ${bare(was, now)}`;
}

/** The signed change and its limit, with the digits that show which is greater. */
function besideLimit(
  delta: Decimal,
  comparison: ChangeComparison,
  as: Written,
  decimals: number | null,
): [change: string, limit: string | null] {
  const limit = distanceLimit(comparison, decimals);
  const values = limit === null ? [] : [limit];
  const { by } = comparison;
  const own = ownLimits(by.kind === "absolute" ? [by.limit] : [], values, asDistance(as));
  const [mine, other] = formatBeside([absolute(delta), ...values], own.as, [null, ...own.figures]);
  if (mine === undefined) return [signed(delta, ""), null];
  return [signed(delta, joinFigure(mine)), other === undefined ? null : bare(other, mine)];
}
