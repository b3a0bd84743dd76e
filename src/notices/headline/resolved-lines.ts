import { Decimal, isZero, parseDecimal, subtract } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import {
  formatChange,
  formatPercentChange,
  formatValue,
  percentOf,
  type Written,
} from "../../base/format.ts";
import { cleanText, cutText } from "../../base/text.ts";
import { isCompound, isNegated } from "../../decide/condition-tree.ts";
import type { AlertEvent } from "../../decide/event.ts";
import { notificationStateOf } from "../../decide/notification-state.ts";
import type { Evidence } from "../../decide/verdict.ts";
import { booleanText, headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { type Ending, endingOf } from "../ending.ts";
import { capital, chainApart, firesOn, GOOD_ICON, OVER_ICON } from "../wording.ts";
import { dataBackLine } from "./again-lines.ts";
import { resolvedRangeLine } from "./event-lines.ts";
import type { Line } from "./fit.ts";
import { goesOnLines, isLasting, levelLines, placeInstead } from "./level-lines.ts";

/** The name of another rule is cut to this. */
const RULE_LENGTH = 24;

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

/** How an alert ended, in what is true now, green only if that is well; `tail` names the chain. */
export function resolvedLines(event: AlertEvent, name: string, tail: string): readonly Line[] {
  const { before, at, more } = event;
  const { how } = endingOf(event);
  const icon = endingIcon(how);
  const lasted = before.firedAt === null ? null : formatDuration(at - before.firedAt);
  const fired = lasted === null ? "" : `. Fired for ${lasted}`;
  // Which of several alerts is over matters more than how long it fired.
  const ends = [...chainApart(event, tail), fired];
  const gate = more?.still?.gate ?? more?.ended?.gate ?? null;
  const gateClosed = gate === null ? null : `Gate ${ruleName(gate)} closed`;
  switch (how) {
    case "gate": {
      const after = more?.still ? ". The condition still holds" : ". It had not recovered yet";
      return [{ before: `${icon} ${gateClosed ?? "Gate closed"}: `, name, after, tails: ends }];
    }
    case "again": {
      const after = ". The condition holds again";
      return [{ before: `${icon} Resolved: `, name, after, tails: ends }];
    }
    case "closed": {
      const out = event.evidence?.metric.name === "in_range" ? outFor(event) : null;
      const tails = [out === null ? fired : `. Was out ${out}`];
      return [{ before: `${icon} Closed: `, name, after: "", tails }];
    }
    case "edited": {
      const line = { before: `${icon} Rule edited, no longer firing: `, name, tails: ends };
      return [
        { ...line, after: nowText(event) },
        { ...line, after: "" },
      ];
    }
    default: {
      const other = how === "other_rule" ? (more?.ended?.other ?? null) : null;
      const besides = [
        ...(gateClosed === null ? [] : [`. ${gateClosed}`]),
        ...(other === null ? [] : [`. ${ruleName(other)} still fires`]),
      ];
      return valueLines(event, name, { tail, fired, icon, ends: [...besides, ...ends] });
    }
  }
}

/** Another rule's name, short enough for a headline. */
function ruleName(name: string): string {
  return cutText(cleanText(name), RULE_LENGTH);
}

export function endingIcon(how: Ending["how"]): string {
  return how === "recovered" ? GOOD_ICON : OVER_ICON;
}

interface Ends {
  readonly tail: string;
  readonly fired: string;
  readonly icon: string;
  readonly ends: readonly string[];
}

/** How an alert ended by its value. */
function valueLines(event: AlertEvent, name: string, said: Ends): readonly Line[] {
  const { evidence, rule, description, before } = event;
  const { icon, ends } = said;
  const resolved = { before: `${icon} Resolved: `, name };
  if (notificationStateOf(before).byMissing) return [dataBackLine(event, name, said.tail, icon)];
  if (evidence === null) return [{ ...resolved, after: "", tails: ends }];
  const { metric, value, comparison } = evidence;
  if (typeof value === "boolean" && firesOn(comparison, rule.when, value)) {
    // Of several terms another one is over.
    const still = `. Still ${booleanText(metric.label, value)}`;
    return [{ ...resolved, after: still, tails: ends }];
  }
  if (metric.name === "in_range" && typeof value === "boolean") {
    const news = { name, inRange: value, range: description?.range ?? null };
    return [resolvedRangeLine(news, outFor(event))];
  }
  const negated = isNegated(rule.when, comparison);
  if ("span" in comparison && !negated) return steadyLines(event, evidence, name, said);
  if (!isCompound(rule.when) && isLasting(comparison)) {
    return goesOnLines(event, evidence, comparison, name, ends);
  }
  if (!isCompound(rule.when)) return levelLines(event, evidence, name, icon, ends);
  // Which of its terms ended it is not known here, so no limit is called left.
  return [{ ...resolved, after: nowText(event), tails: ends }];
}

/** `. TVL $504` */
function nowText(event: AlertEvent): string {
  const { evidence, rule, description } = event;
  if (evidence === null) return "";
  const { metric, value } = evidence;
  const as = headlineAs(metric, event.decimals(metric.name), description);
  const now =
    typeof value === "boolean"
      ? booleanText(metric.label, value)
      : `${headlineLabel(metric, as, rule.across).what} ${formatValue(value, as)}`;
  return `. ${capital(now)}`;
}

/** A window forgets: that a change is over does not mean that the value is what it was. */
function steadyLines(
  event: AlertEvent,
  { metric, value }: Evidence,
  name: string,
  { fired, tail, icon }: Ends,
): readonly Line[] {
  if (!(value instanceof Decimal)) return [];
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const told = event.before.lastNotified.value;
  const then = told === null ? null : parseDecimal(told);
  const since = then === null ? null : sinceFired(value, then, as);
  const word = event.rule.when.op === "all" ? "now" : "steady at";
  const what = capital(headlineLabel(metric, as, event.rule.across).what);
  const before = `${icon} ${what} ${word} ${formatValue(value, as)}: `;
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
