import { compare, Decimal } from "../../base/decimal.ts";
import { formatBeside, joinFigure } from "../../base/format.ts";
import type { AlertEvent } from "../../decide/event.ts";
import type { Evidence } from "../../decide/verdict.ts";
import type { RangeFacts } from "../../model/index.ts";
import { booleanText, headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { limitsOf, ownLimits } from "../../rules/describe/own-limit.ts";
import { bare, namedLimit } from "../compared-words.ts";
import {
  edgeLines,
  isOfEdge,
  onlyToken,
  outsideText,
  shortUnit,
  sideOfRange,
} from "../range-words.ts";
import { capital, GOOD_ICON, SEVERITY_ICONS } from "../wording.ts";
import type { Line } from "./fit.ts";
import { levelLines, shortText } from "./level-lines.ts";

/**
 * What happened once: `Owner changed: Treasury ETH/USDC. 0x111111…1111 → 0x222222…2222`, or
 * `Price crossed 2,000 USDC/ETH upwards: ETH/USDC 0.05%, now 2,003`.
 */
export function eventLines(
  event: AlertEvent,
  evidence: Evidence,
  name: string,
  tail: string,
): readonly Line[] {
  const icon = SEVERITY_ICONS[event.rule.severity];
  switch (evidence.comparison.op) {
    case "changes":
      return changedLines(event, evidence, { icon, name, tail });
    case "crosses":
      return crossedLines(event, evidence, { icon, name, tail });
    default:
      // A level beside the event was the first of the condition's terms with a value.
      return levelLines(event, evidence, name, icon, [tail]);
  }
}

interface Words {
  readonly icon: string;
  readonly name: string;
  readonly tail: string;
}

function changedLines(
  event: AlertEvent,
  { metric, value, base }: Evidence,
  { icon, name, tail }: Words,
): readonly Line[] {
  const { description, rule } = event;
  if (typeof value === "boolean") {
    if (metric.name === "in_range") {
      return [
        firedRangeLine({ name, inRange: value, range: description?.range ?? null }, icon, tail),
      ];
    }
    const after = ` is now ${booleanText(metric.label, value)}`;
    return [{ before: `${icon} `, name, after, tails: [tail] }];
  }
  const as = headlineAs(metric, event.decimals(metric.name), description);
  const { what, which } = headlineLabel(metric, as, rule.across);
  const before = `${icon} ${capital(what)} changed: `;
  const tails = which === null ? [tail] : [`. ${capital(which)}`, tail];
  if (typeof value === "string") {
    const was = typeof base === "string" ? `${shortText(base)} → ` : "";
    return [{ before, name, after: `. ${was}${shortText(value)}`, tails }];
  }
  const [now, was] = formatBeside(base instanceof Decimal ? [value, base] : [value], as);
  if (now === undefined) return [];
  const then = was === undefined ? "" : `${bare(was, now)} → `;
  return [
    { before, name, after: `. ${then}${joinFigure(now)}`, tails },
    { before, name, after: "", tails: [tail] },
  ];
}

function crossedLines(
  event: AlertEvent,
  { metric, value, limits, comparison }: Evidence,
  { icon, name, tail }: Words,
): readonly Line[] {
  const [limit] = limits;
  const [given] = limitsOf(comparison);
  if (!(value instanceof Decimal && limit instanceof Decimal) || given === undefined) return [];
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what, which } = headlineLabel(metric, as, event.rule.across);
  // Both sides of the event are on the new one: at the limit is above it.
  const way = compare(value, limit) >= 0 ? "upwards" : "downwards";
  const own = ownLimits([given], [limit], as);
  const [now, crossed] = formatBeside([value, limit], own.as, [null, ...own.figures]);
  if (now === undefined || crossed === undefined) return [];
  const start = `${icon} ${capital(what)} crossed`;
  const tails = which === null ? [tail] : [`. ${capital(which)}`, tail];
  const number = joinFigure(crossed);
  const range = event.description?.range ?? null;
  const told = { value: joinFigure(now), limit: `, crossed ${crossed.number} ${way}` };
  return [
    ...(isOfEdge(metric) && range !== null
      ? edgeLines(`${icon} `, name, told, { metric, value, range, back: " now", tails: [tail] })
      : []),
    ...[namedLimit(given, number), number].map((limitText) => ({
      before: `${start} ${limitText} ${way}: `,
      name,
      after: `, now ${bare(now, crossed)}`,
      tails,
    })),
    { before: `${start} its limit ${way}: `, name, after: "", tails: [tail] },
  ];
}

/** What became of a position's range; the range is null while prices are not known. */
export interface RangeNews {
  readonly name: string;
  readonly inRange: boolean;
  readonly range: RangeFacts | null;
}

/** `🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC` */
export function firedRangeLine(
  { name, inRange, range }: RangeNews,
  icon: string,
  tail: string,
): Line {
  if (inRange) return { before: `${icon} In range: `, name, after: atPrice(range), tails: [tail] };
  const before = `${icon} Out of range: `;
  if (range === null || sideOfRange(range) === "in") {
    return { before, name, after: "", tails: [tail] };
  }
  const token = onlyToken(range);
  const tails = token === null ? [] : [`. Now all ${token}`];
  return { before, name, after: `. ${outsideText(range)}`, tails };
}

/** `🟢 Back in range: Treasury ETH/USDC at 2,231 USDC/ETH. Was out 3 h 12 m` */
export function resolvedRangeLine(
  { name, inRange, range }: RangeNews,
  lasted: string | null,
): Line {
  const back = inRange ? "Back in range" : "Out of range again";
  const tails = lasted === null ? [] : [`. Was ${inRange ? "out" : "in"} ${lasted}`];
  return { before: `${GOOD_ICON} ${back}: `, name, after: atPrice(range), tails };
}

function atPrice(range: RangeFacts | null): string {
  if (range === null) return "";
  const unit = shortUnit(range);
  return unit === "" ? ` at ${range.price}` : ` at ${range.price} ${unit}`;
}
