import { formatTime } from "../../base/clock.ts";
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
import { isFiring, notificationStateOf, OTHER_SOURCE } from "../../decide/notification-state.ts";
import { booleanText } from "../../rules/describe/metric-words.ts";
import {
  capital,
  chainApart,
  type Ending,
  endingOf,
  firesOn,
  GOOD_ICON,
  type HeadlineContext,
  type Line,
  NEUTRAL_ICON,
  OVER_ICON,
  type Spoken,
} from "../wording.ts";
import { goesOnLines, isLasting, levelLines, withAndWithout } from "./level-lines.ts";
import { resolvedRangeLine } from "./range-lines.ts";

/** The lines of what comes after an alert has fired. */

/** `🟠 Worse: Ethereum tip 12.4 gwei, limit 5` */
export function worseLines({ icon }: HeadlineContext, lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => {
    return { ...line, before: `${icon} Worse: ${line.before.slice(icon.length + 1)}` };
  });
}

/** What goes on after "still"; a number or a name does not. */
const STATES = /^(?:Out of range|In range|No update)/;

/** `🟠 Still: Ethereum tip 7.4 gwei, limit 5`, `🟠 Still out of range: Treasury. 2,310 > 2,250 USDC/ETH. For 3 h` */
export function stillLines(
  { event, icon }: HeadlineContext,
  lines: readonly Line[],
): readonly Line[] {
  const { firedAt } = event.after;
  const isPast = event.more?.past === true;
  const lasts = firedAt === null ? [] : [`. For ${formatDuration(event.at - firedAt)}`];
  return lines.map((line) => {
    const rest = line.before.slice(icon.length + 1);
    const states = STATES.test(rest);
    const before = isPast
      ? `${icon} Still firing${states ? `, ${small(rest)}` : `: ${rest}`}`
      : `${icon} Still${states ? ` ${small(rest)}` : `: ${rest}`}`;
    return { ...line, before, tails: [...lasts, ...line.tails] };
  });
}

/** `Out of range` goes on in a sentence as `out of range`; `TVL` stays. */
function small(text: string): string {
  const [first = "", second = ""] = text;
  return /\p{Ll}/u.test(second) ? first.toLowerCase() + text.slice(first.length) : text;
}

/**
 * `🟠 Flapping: Treasury ETH/USDC fired 6 times in 1 h. Quiet until it settles`, and once a day
 * `🟠 Still flapping after 1 d: Treasury ETH/USDC`.
 */
export function flappingLine(context: HeadlineContext): Line {
  const { event, name, tail } = context;
  const { at, after, rule, more } = event;
  const gaps = more?.about === "gaps";
  const { firings, gaps: missing } = notificationStateOf(after);
  const flaps = gaps ? missing : firings;
  const since = flaps?.on?.since ?? at;
  const icon = gaps ? NEUTRAL_ICON : context.icon;
  if (since < at) {
    const what = gaps ? "Data still comes and goes" : "Still flapping";
    const before = `${icon} ${what} after ${formatDuration(at - since)}: `;
    return { before, name, after: "", tails: [tail] };
  }
  const { moreThan, withinMs } = rule.flapping;
  const often = `${moreThan + 1} times in ${formatDuration(withinMs)}`;
  const quiet = ". Quiet until it settles";
  return gaps
    ? { before: `${icon} Data comes and goes: `, name, after: `, gone ${often}`, tails: [quiet] }
    : { before: `${icon} Flapping: `, name, after: ` fired ${often}`, tails: [quiet] };
}

/** `🟠 Steady, still firing since 2026-11-28 14:05 UTC: Treasury ETH/USDC` */
export function steadyLine({ event, name, icon: own }: HeadlineContext): Line {
  const { at, after, more } = event;
  const gaps = more?.about === "gaps";
  const icon = gaps ? NEUTRAL_ICON : own;
  const since = (gaps ? after.missing?.since : after.firedAt) ?? at;
  const what = gaps ? "still no data since" : "still firing since";
  return { before: `${icon} Steady, ${what} ${formatTime(since)}: `, name, after: "", tails: [] };
}

/** `⚪ No data 15 min: Treasury ETH/USDC. Fires for that` */
export function firedWithoutDataLine({ event, name, icon }: HeadlineContext): Line {
  const { at, after } = event;
  const since = after.missing?.since ?? at;
  const before = `${icon} No data ${formatDuration(at - since)}: `;
  return { before, name, after: "", tails: [". Fires for that"] };
}

/** `⚪ No data 15 min: Avalanche. Still firing, its state is kept` */
export function noDataLine({ event, name, tail }: HeadlineContext): Line {
  const { at, before, after } = event;
  const since = after.missing?.since ?? before.missing?.since ?? null;
  const length = since === null ? "" : ` ${formatDuration(at - since)}`;
  const state = isFiring(after.state) ? "Still firing" : "Was quiet";
  const tails = [`. ${state}, its state is kept`, tail];
  return { before: `${NEUTRAL_ICON} No data${length}: `, name, after: "", tails };
}

/** `⚪ Data back after 15 min: ETH/USDC 0.05%. Quiet: TVL $4M` */
export function dataBackLine(
  { event, name, tail, spoken }: HeadlineContext,
  icon = NEUTRAL_ICON,
): Line {
  const { before, after, at } = event;
  const lasted = before.missing === null ? null : formatDuration(at - before.missing.since);
  const length = lasted === null ? "" : ` after ${lasted}`;
  const tails = [
    ...chainApart(event, tail),
    isFiring(after.state) ? ". Firing" : ". Quiet",
    ...(spoken === null ? [] : [`: ${nowWords(spoken)}`]),
  ];
  return { before: `${icon} Data back${length}: `, name, after: "", tails };
}

/** `TVL $504`, `in range` */
function nowWords({ metric, value, what, as }: Spoken): string {
  return typeof value === "boolean"
    ? booleanText(metric.label, value)
    : `${what} ${formatValue(value, as)}`;
}

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
export function resolvedLines(context: HeadlineContext): readonly Line[] {
  const { event, name, tail, spoken } = context;
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
      const out = spoken?.metric.name === "in_range" ? outFor(event) : null;
      const tails = [out === null ? fired : `. Was out ${out}`];
      return [{ before: `${icon} Closed: `, name, after: "", tails }];
    }
    case "edited": {
      const isMoved = notificationStateOf(before).when === OTHER_SOURCE;
      const what = isMoved ? "Source changed" : "Rule edited";
      const line = { before: `${icon} ${what}, no longer firing: `, name, tails: ends };
      return withAndWithout({ ...line, after: nowText(spoken) });
    }
    default: {
      const other = how === "other_rule" ? (more?.ended?.other ?? null) : null;
      const besides = [
        ...(gateClosed === null ? [] : [`. ${gateClosed}`]),
        ...(other === null ? [] : [`. ${ruleName(other)} still fires`]),
      ];
      return valueLines(context, { fired, icon, ends: [...besides, ...ends] });
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
  readonly fired: string;
  readonly icon: string;
  readonly ends: readonly string[];
}

/** How an alert ended by its value. */
function valueLines(context: HeadlineContext, ending: Ends): readonly Line[] {
  const { event, name, spoken } = context;
  const { rule, before } = event;
  const { icon, ends } = ending;
  const resolved = { before: `${icon} Resolved: `, name, tails: ends };
  if (notificationStateOf(before).byMissing) return [dataBackLine(context, icon)];
  if (spoken === null) return [{ ...resolved, after: "" }];
  const { metric, value, comparison } = spoken;
  if (typeof value === "boolean" && firesOn(comparison, rule.when, value)) {
    // Of several terms another one is over.
    return [{ ...resolved, after: `. Still ${booleanText(metric.label, value)}` }];
  }
  if (metric.name === "in_range" && typeof value === "boolean") {
    return [resolvedRangeLine(context, value, outFor(event))];
  }
  if ("span" in comparison && !isNegated(rule.when, comparison)) {
    return steadyLines(context, spoken, ending);
  }
  // Which of several terms ended it is not known here, so no limit is called left.
  if (isCompound(rule.when)) return [{ ...resolved, after: nowText(spoken) }];
  return isLasting(comparison)
    ? goesOnLines(context, spoken, comparison, ends)
    : levelLines(context, spoken, icon, ends);
}

/** `. TVL $504` */
function nowText(spoken: Spoken | null): string {
  return spoken === null ? "" : `. ${capital(nowWords(spoken))}`;
}

/** A window forgets: that a change is over does not mean that the value is what it was. */
function steadyLines(
  { event, name, tail }: HeadlineContext,
  { metric, value, as, heading, place }: Spoken,
  { fired, icon }: Ends,
): readonly Line[] {
  if (!(value instanceof Decimal)) return [];
  const { before: alert } = event;
  // Of several terms another one may have fired, and the rule may have been edited since.
  const isSame = notificationStateOf(alert).metric === metric.name;
  const then = isSame ? parseDecimal(alert.lastNotified.value ?? "") : null;
  const since = then === null ? null : sinceFired(value, then, as);
  const word = event.rule.when.op === "all" ? "now" : "steady at";
  const before = `${icon} ${heading} ${word} ${formatValue(value, as)}: `;
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
