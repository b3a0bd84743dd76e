import { formatPercentChange, percentOf } from "../../base/beside.ts";
import { Decimal, isZero, parseDecimal, subtract } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import { formatChange, formatValue, type Written } from "../../base/format.ts";
import { cleanText, cutText } from "../../base/text.ts";
import type { AlertEvent, Evidence } from "../event.ts";
import type { Line } from "./fit.ts";
import { goesOnLines, isLasting } from "./lasting-lines.ts";
import { levelLines } from "./level-lines.ts";
import { resolvedRangeLine } from "./range-lines.ts";
import { placeInstead } from "./token-lines.ts";
import {
  booleanText,
  capital,
  chainApart,
  firesOn,
  GOOD_ICON,
  headlineAs,
  headlineLabel,
  isCompound,
} from "./wording.ts";

/** The name of a rule that is a gate is cut to this in a headline. */
const GATE_LENGTH = 24;

/**
 * How long a position was on the other side of its range's edge: from the round in which `for` began to
 * the one in which `resolve_after` did. Null where that is not known, since a gate let it fire later.
 */
function outFor({ before, at, rule }: AlertEvent): string | null {
  if (before.firedAt === null || (rule.gates?.onlyWhile.length ?? 0) > 0) return null;
  // What a rule finds true as it starts fires without having held for so long.
  const since = Math.max(before.firedAt - rule.forMs, Math.min(before.createdAt, before.firedAt));
  const until = before.state === "recovering" ? before.since : at;
  return formatDuration(until - since);
}

/** How an alert ended, in what is true now; `tail` names the chain. */
export function resolvedLines(event: AlertEvent, name: string, tail: string): readonly Line[] {
  const { evidence, before, at, rule, description } = event;
  const lasted = before.firedAt === null ? null : formatDuration(at - before.firedAt);
  const fired = lasted === null ? "" : `. Fired for ${lasted}`;
  // Which of several alerts is over matters more than how long it fired.
  const ends = [...chainApart(event, tail), fired];
  const positional = evidence?.metric.name === "in_range";
  const out = positional ? outFor(event) : null;
  if (event.closed && (evidence === null || evidence.metric.range === true)) {
    const tails = [out === null ? fired : `. Was out ${out}`];
    return [{ before: `${GOOD_ICON} Closed: `, name, after: "", tails }];
  }
  const resolved = { before: `${GOOD_ICON} Resolved: `, name };
  const holds = event.more?.still ?? null;
  if (holds !== null) return stillTrueLines(holds.gate, name, ends);
  if (evidence === null) return [{ ...resolved, after: "", tails: ends }];
  const { metric, value, comparison } = evidence;
  if (typeof value === "boolean" && firesOn(comparison, rule.when, value)) {
    // Of several terms another one is over.
    const still = `. Still ${booleanText(metric.label, value)}`;
    return [{ ...resolved, after: still, tails: ends }];
  }
  if (positional && typeof value === "boolean") {
    const news = { name, inRange: value, range: description?.range ?? null };
    return [resolvedRangeLine(news, out)];
  }
  if (comparison.op === "rises" || comparison.op === "falls" || comparison.op === "moves") {
    return steadyLines(event, evidence, name, { fired, tail });
  }
  if (!isCompound(rule.when) && isLasting(comparison)) {
    return goesOnLines(event, evidence, comparison, name, ends);
  }
  if (!isCompound(rule.when)) return levelLines(event, evidence, name, GOOD_ICON, ends);
  // Which of its terms ended it is not known here, so no limit is called left.
  const as = headlineAs(metric, event.decimals(metric.name), description);
  const now =
    typeof value === "boolean"
      ? booleanText(metric.label, value)
      : `${headlineLabel(metric, as, rule.across).what} ${formatValue(value, as)}`;
  return [{ ...resolved, after: `. ${capital(now)}`, tails: ends }];
}

/** What it waits for is over, or it has begun anew: nothing here is back to normal. */
function stillTrueLines(
  gate: string | null,
  name: string,
  ends: readonly string[],
): readonly Line[] {
  const holds = ". The condition still holds";
  if (gate === null)
    return [{ before: `${GOOD_ICON} Resolved: `, name, after: holds, tails: ends }];
  const before = `${GOOD_ICON} ${cutText(cleanText(gate), GATE_LENGTH)} is over: `;
  return [{ before, name, after: holds, tails: ends }];
}

/** A window forgets: that a change is over does not mean that the value is what it was. */
function steadyLines(
  event: AlertEvent,
  { metric, value }: Evidence,
  name: string,
  { fired, tail }: { fired: string; tail: string },
): readonly Line[] {
  if (!(value instanceof Decimal)) return [];
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const told = event.before.told.value;
  const then = told === null ? null : parseDecimal(told);
  const since = then === null ? null : sinceFired(value, then, as);
  const word = event.rule.when.op === "all" ? "now" : "steady at";
  const what = capital(headlineLabel(metric, as, event.rule.across).what);
  const before = `${GOOD_ICON} ${what} ${word} ${formatValue(value, as)}: `;
  const place = placeInstead(event, metric, name);
  const end = place === null ? [tail] : [];
  const tails = since === null ? [fired, ...end] : [`, ${since} since it fired`, ...end];
  return [{ before, name: place ?? name, after: "", tails }];
}

/** `-44%`, `-430 ticks` (of ticks a percentage has no meaning), `unchanged`. */
function sinceFired(value: Decimal, then: Decimal, as: Written): string {
  const delta = subtract(value, then);
  if (isZero(delta)) return "unchanged";
  const percent = as.quantity === "tick" ? null : percentOf(delta, then);
  return percent === null ? formatChange(delta, as) : formatPercentChange(percent);
}
