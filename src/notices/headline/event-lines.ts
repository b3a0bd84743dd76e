import { compare, Decimal } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import { formatBeside, formatValue, joinFigure } from "../../base/format.ts";
import { limitsOf } from "../../decide/condition-tree.ts";
import type { AlertEvent, EntryFacts } from "../../decide/event.ts";
import { booleanText, headlineAs, ownLimits } from "../../rules/describe/metric-words.ts";
import { bare, namedLimit } from "../compared-words.ts";
import { heldAmount } from "../notice-fields.ts";
import type { HeadlineContext, Line, Spoken } from "../wording.ts";
import { levelLines, shortText } from "./level-lines.ts";
import { edgeLines, firedRangeLine, isOfEdge } from "./range-lines.ts";

/**
 * What happened once: `Owner changed: Treasury ETH/USDC. 0x111111…1111 → 0x222222…2222`, or
 * `Price crossed 2,000 USDC/ETH upwards: ETH/USDC 0.05%, now 2,003`.
 */
export function eventLines(context: HeadlineContext, spoken: Spoken): readonly Line[] {
  const once = [...entryLines(context, spoken), ...onceLines(context, spoken)];
  return [...heldLines(context, spoken), ...countedLines(context.event, once)];
}

function onceLines(context: HeadlineContext, spoken: Spoken): readonly Line[] {
  switch (spoken.comparison.op) {
    case "changes":
      return changedLines(context, spoken);
    case "crosses":
      return crossedLines(context, spoken);
    default:
      // A level beside the event was the first of the condition's terms with a value.
      return levelLines(context, spoken, context.icon, [context.tail]);
  }
}

/** Several events in one line: `. 3 times in 1 h`. */
function countedLines({ more, at }: AlertEvent, lines: readonly Line[]): readonly Line[] {
  const held = more?.held ?? null;
  if (held === null || held.count < 2) return lines;
  const times = `. ${held.count} times${inTime(at - held.since)}`;
  return lines.map((line) => ({ ...line, tails: [times, ...line.tails] }));
}

/** ` in 1 h`; nothing of what came in one round. */
function inTime(ms: number): string {
  return ms > 0 ? ` in ${formatDuration(ms)}` : "";
}

function changedLines(context: HeadlineContext, spoken: Spoken): readonly Line[] {
  const { name, icon, tail } = context;
  const { metric, value, base, as, heading, tails } = spoken;
  if (typeof value === "boolean") {
    if (metric.name === "in_range") return [firedRangeLine(context, value)];
    const after = ` is now ${booleanText(metric.label, value)}`;
    return [{ before: `${icon} `, name, after, tails: [tail] }];
  }
  const before = `${icon} ${heading} changed: `;
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
  { event, name, icon, tail }: HeadlineContext,
  { metric, value, limits, comparison, as, heading, tails }: Spoken,
): readonly Line[] {
  const [limit] = limits;
  const [given] = limitsOf(comparison);
  if (!(value instanceof Decimal && limit instanceof Decimal) || given === undefined) return [];
  // Both sides of the event are on the new one: at the limit is above it.
  const way = compare(value, limit) >= 0 ? "upwards" : "downwards";
  const own = ownLimits([given], [limit], as);
  const [now, crossed] = formatBeside([value, limit], own.as, [null, ...own.figures]);
  if (now === undefined || crossed === undefined) return [];
  const start = `${icon} ${heading} crossed`;
  const number = joinFigure(crossed);
  const range = event.description?.range ?? null;
  const told = { value: joinFigure(now), limit: `, crossed ${crossed.number} ${way}` };
  const edge = { metric, value, range, back: " now", tails: [tail] };
  return [
    ...(range === null || !isOfEdge(metric)
      ? []
      : edgeLines(`${icon} `, name, told, { ...edge, range })),
    ...[namedLimit(given, number), number].map((limitText) => ({
      before: `${start} ${limitText} ${way}: `,
      name,
      after: `, now ${bare(now, crossed)}`,
      tails,
    })),
    { before: `${start} its limit ${way}: `, name, after: "", tails: [tail] },
  ];
}

/**
 * What an entry of a stream is, in the words of its kind and from the richest line to the plainest; none for
 * what is no entry: `🔵 Swap 1.2M USDC for 480 ETH: ETH/USDC 0.05%. Limit 1M. Ethereum`.
 */
function entryLines(context: HeadlineContext, spoken: Spoken): readonly Line[] {
  const { event, name, icon, tail } = context;
  const { entry, rule, subject } = event;
  if (entry === undefined) return [];
  const lines = rule.words.entry?.lines({
    ids: subject.ids,
    inUsd: spoken.metric.quantity === "usd",
    value: (metric) => entry.value(metric),
    text: (metric) => textOf(event, entry, spoken, metric),
  });
  return (lines ?? []).map(({ before, after = "", more = [], plain }) => ({
    before: `${icon} ${before}: `,
    name,
    after,
    tails: [...more, ...(plain === true ? [] : limitOf(spoken)), tail],
  }));
}

/** What was held back, in one line: `🔵 3 swaps in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M`. */
function heldLines({ event, name, tail, icon }: HeadlineContext, spoken: Spoken): readonly Line[] {
  const held = event.more?.held ?? null;
  const noun = event.rule.words.entry?.several(event.subject.ids);
  if (held === null || held.count < 2 || noun === undefined) return [];
  const before = `${icon} ${held.count} ${noun}${inTime(event.at - held.since)}: `;
  const tails = [...limitOf(spoken), tail];
  const amount = heldAmount(held, spoken.metric);
  return [
    ...(amount === null ? [] : [{ before, name, after: `, ${amount}`, tails }]),
    { before, name, after: "", tails },
  ];
}

/** A value of the entry for a headline; null where it is not known. */
function textOf(event: AlertEvent, entry: EntryFacts, spoken: Spoken, name: string): string | null {
  const value = entry.value(name);
  const metric = entry.metric(name);
  if (value === null || metric === undefined) return null;
  const decimals = event.decimals(name);
  // Raw units without decimals are no amount that anybody would recognise.
  if (metric.quantity.startsWith("raw") && decimals === null) return null;
  const as = headlineAs(metric, decimals, event.description);
  if (metric.name !== spoken.metric.name || !(value instanceof Decimal)) {
    return formatValue(value, as);
  }
  // What was compared gets the digits that show on which side of the limit it is.
  const limits = spoken.limits.filter((one) => one instanceof Decimal);
  const own = ownLimits(limitsOf(spoken.comparison), limits, as);
  const [mine] = formatBeside([value, ...limits], own.as, [null, ...own.figures]);
  return mine === undefined ? null : joinFigure(mine);
}

/** `. Limit 1M`, in the unit of the number that it was compared with. */
function limitOf({ metric, value, limits, comparison, as }: Spoken): string[] {
  const [limit] = limits;
  const [given] = limitsOf(comparison);
  if (limits.length !== 1 || !(limit instanceof Decimal) || !(value instanceof Decimal)) return [];
  if (comparison.op === "equals" || comparison.op === "not_equals") return [];
  // A block number or a tick is not what the line speaks of.
  if (!/^(?:raw|usd|ratio)/.test(metric.quantity)) return [];
  const own = ownLimits(given === undefined ? [] : [given], [limit], as).figures[0] ?? null;
  const [mine, other] = formatBeside([value, limit], as, [null, own]);
  if (mine === undefined || other === undefined) return [];
  const shown = metric.quantity === "usd" ? joinFigure(other) : bare(other, mine);
  return [`. Limit ${given === undefined ? shown : namedLimit(given, shown)}`];
}
