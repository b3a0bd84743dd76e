import { absolute, Decimal, shift, subtract } from "../../base/decimal.ts";
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
import { spanWords } from "../../decide/condition-tree.ts";
import type { AlertEvent } from "../../decide/event.ts";
import type { Evidence } from "../../decide/verdict.ts";
import type { ChangeComparison } from "../../model/index.ts";
import { headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { ownLimits } from "../../rules/describe/own-limit.ts";
import { bare } from "../compared-words.ts";
import { capital, SEVERITY_ICONS } from "../wording.ts";
import { type Line, WHOLE_NAME } from "./fit.ts";
import { placeInstead } from "./level-lines.ts";

/**
 * How far a value went in how long: `TVL -18% in 1 h: ETH/USDC 0.05% lost $4.1M, now $18.7M` for
 * a percentage, `Supply +6.2M AUSD in 24 h, six chains, limit 5M, now 306M AUSD` for an amount.
 */
export function changeLines(
  event: AlertEvent,
  evidence: Evidence,
  comparison: ChangeComparison,
  name: string,
  tail: string,
): readonly Line[] {
  const { metric, value, base } = evidence;
  if (!(value instanceof Decimal)) return [];
  const decimals = event.decimals(metric.name);
  const as = headlineAs(metric, decimals, event.description);
  const icon = SEVERITY_ICONS[event.rule.severity];
  const { what, which } = headlineLabel(metric, as, event.rule.across);
  const span = spanWords(comparison.span);
  const now = `now ${formatValue(value, as)}`;
  const tails = which === null ? [tail] : [`. ${capital(which)}`, tail];
  const place = placeInstead(event, metric, name);
  if (!(base instanceof Decimal)) {
    const before = `${icon} ${capital(what)} ${comparison.op} ${span}: `;
    return [{ before, name, after: ` ${now}`, tails }];
  }
  const delta = subtract(value, base);
  const percent = percentOf(delta, base);
  const { by } = comparison;
  if (by.kind === "percent" && percent !== null) {
    const change = formatPercentChange(percent, by.percent);
    const before = `${icon} ${capital(what)} ${change} ${span}`;
    if (place !== null) {
      return [
        { before: `${before}, `, name: place, after: `: ${moved(value, base, as)}`, tails: [] },
      ];
    }
    return [
      {
        before: `${before}: `,
        name,
        after: ` ${moved(value, base, as)}`,
        tails,
        least: WHOLE_NAME,
      },
      { before: `${before}: `, name, after: ` ${now}`, tails: [] },
    ];
  }
  const [mine, limit] = besideLimit(delta, comparison, as, decimals);
  const before = `${icon} ${capital(what)} ${mine} ${span}`;
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

/** The distance in the metric's own unit; null for percentages and while decimals are unknown. */
export function distanceLimit({ by }: ChangeComparison, decimals: number | null): Decimal | null {
  if (by.kind === "percent") return null;
  if (by.limit.kind === "value") return by.limit.value instanceof Decimal ? by.limit.value : null;
  return decimals === null ? null : shift(by.limit.amount, decimals);
}
