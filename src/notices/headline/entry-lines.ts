import { Decimal } from "../../base/decimal.ts";
import { formatBeside, formatValue, joinFigure } from "../../base/format.ts";
import type { AlertEvent, EntryFacts } from "../../decide/event.ts";
import type { Evidence } from "../../decide/verdict.ts";
import { headlineAs } from "../../rules/describe/metric-words.ts";
import { limitsOf, ownLimits } from "../../rules/describe/own-limit.ts";
import { bare, namedLimit } from "../compared-words.ts";
import { heldAmount } from "../field-values.ts";
import { SEVERITY_ICONS } from "../wording.ts";
import { inTime } from "./again-lines.ts";
import type { Line } from "./fit.ts";

/**
 * What an entry of a stream is, from the richest line to the plainest; none for what is no entry:
 * `🔵 Swap 1.2M USDC for 480 ETH: ETH/USDC 0.05%. Limit 1M. Ethereum`,
 * `🟠 Liquidity removed: ETH/USDC 0.05%, 23% of the active, $1.2M. Ethereum`,
 * `🔵 Entered the top 10: AUSD. 0x111111…1111, rank 3, 1.2M AUSD. Ethereum`.
 */
export function entryLines(
  event: AlertEvent,
  evidence: Evidence,
  name: string,
  tail: string,
): readonly Line[] {
  const { entry, rule, subject } = event;
  if (entry === undefined) return [];
  const lines = rule.words.entry?.lines({
    ids: subject.ids,
    inUsd: evidence.metric.quantity === "usd",
    value: (metric) => entry.value(metric),
    text: (metric) => textOf(event, entry, evidence, metric),
  });
  const icon = SEVERITY_ICONS[rule.severity];
  return (lines ?? []).map(({ before, after = "", more = [], plain }) => ({
    before: `${icon} ${before}: `,
    name,
    after,
    tails: [...more, ...(plain === true ? [] : limitOf({ event, evidence })), tail],
  }));
}

/** What was held back, in one line: `🔵 3 swaps in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M`. */
export function heldLines(
  event: AlertEvent,
  evidence: Evidence,
  name: string,
  tail: string,
): readonly Line[] {
  const held = event.more?.held ?? null;
  const noun = event.rule.words.entry?.several(event.subject.ids);
  if (held === null || held.count < 2 || noun === undefined) return [];
  const icon = SEVERITY_ICONS[event.rule.severity];
  const before = `${icon} ${held.count} ${noun}${inTime(event.at - held.since)}: `;
  const tails = [...limitOf({ event, evidence }), tail];
  const amount = heldAmount(held, evidence.metric);
  return [
    ...(amount === null ? [] : [{ before, name, after: `, ${amount}`, tails }]),
    { before, name, after: "", tails },
  ];
}

/** A value of the entry for a headline; null where it is not known. */
function textOf(
  event: AlertEvent,
  entry: EntryFacts,
  evidence: Evidence,
  name: string,
): string | null {
  const value = entry.value(name);
  const metric = entry.metric(name);
  if (value === null || metric === undefined) return null;
  const decimals = event.decimals(name);
  // Raw units without decimals are no amount that anybody would recognise.
  if (metric.quantity.startsWith("raw") && decimals === null) return null;
  const as = headlineAs(metric, decimals, event.description);
  if (metric.name !== evidence.metric.name || !(value instanceof Decimal)) {
    return formatValue(value, as);
  }
  // What was compared gets the digits that show on which side of the limit it is.
  const limits = evidence.limits.filter((one) => one instanceof Decimal);
  const own = ownLimits(limitsOf(evidence.comparison), limits, as);
  const [mine] = formatBeside([value, ...limits], own.as, [null, ...own.figures]);
  return mine === undefined ? null : joinFigure(mine);
}

/** `. Limit 1M`, in the unit of the number that it was compared with. */
function limitOf({
  event,
  evidence,
}: {
  readonly event: AlertEvent;
  readonly evidence: Evidence;
}): string[] {
  const { metric, value, limits, comparison } = evidence;
  const [limit] = limits;
  const [given] = limitsOf(comparison);
  if (limits.length !== 1 || !(limit instanceof Decimal) || !(value instanceof Decimal)) return [];
  if (comparison.op === "equals" || comparison.op === "not_equals") return [];
  // A block number or a tick is not what the line speaks of.
  if (!/^(?:raw|usd|ratio)/.test(metric.quantity)) return [];
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const own = ownLimits(given === undefined ? [] : [given], [limit], as).figures[0] ?? null;
  const [mine, other] = formatBeside([value, limit], as, [null, own]);
  if (mine === undefined || other === undefined) return [];
  const shown = metric.quantity === "usd" ? joinFigure(other) : bare(other, mine);
  return [`. Limit ${given === undefined ? shown : namedLimit(given, shown)}`];
}
