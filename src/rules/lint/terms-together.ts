import { Decimal, decimalFromInteger } from "../../base/decimal.ts";
import { groupBy } from "../../base/group-by.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Condition, Value } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../finding.ts";
import { isComparison } from "./overlap.ts";
import {
  covers,
  type Interval,
  intervalsOf,
  isLevel,
  type Level,
  limitKind,
  meets,
  possibleOf,
  textOf,
} from "./regions.ts";

/** A term of a group that looks at the value now, and its place in the list. */
interface Term {
  readonly level: Level;
  readonly index: number;
}

/**
 * Reports terms of one `all` that are never true at once, and terms of one `any` of which one is always
 * true, as far as it is seen from limits of one metric. `path` leads to the list. False if it cannot
 * stay so.
 */
export function checkTogether(
  op: "all" | "any",
  terms: readonly Condition[],
  path: Path,
  metrics: ReadonlyMap<string, Metric>,
  report: Report,
): boolean {
  let good = true;
  for (const group of groupsOf(op, terms)) {
    const [first] = group;
    const metric = first === undefined ? undefined : metrics.get(first.level.metric);
    if (first === undefined || metric === undefined) continue;
    if (op === "any") {
      if (!isCovered(group, possibleOf(metric))) continue;
      const message = `one of these is true for every value of ${metric.name}`;
      report(warningAt("always-true", path, message, "limits that leave a gap, or all"));
      continue;
    }
    const second = excluded(group, possibleOf(metric));
    if (second === undefined) continue;
    good = false;
    reportNever(group, second, path, report);
  }
  if (op === "any" || !good) return good;
  const ranges = levelsOf(op, terms).filter(({ level }) => zonesOf(level) !== null);
  const apart = excludedZones(ranges);
  if (apart !== undefined) reportNever(ranges, apart, path, report);
  return apart === undefined;
}

function reportNever(group: readonly Term[], second: Term, path: Path, report: Report): void {
  const others = group.slice(0, group.indexOf(second));
  const beside = others.map(({ level }) => textOf(level)).join(" and ");
  const message = `this is never true together with ${beside}: the rule could never fire`;
  report(errorAt("never-true", [...path, second.index], message, "limits that meet, or any"));
}

/** The first term about a position's range that leaves no place for the price. */
function excludedZones(ranges: readonly Term[]): Term | undefined {
  let common = ZONES;
  return ranges.find(({ level }, i) => {
    const zones = zonesOf(level) ?? ZONES;
    // One that is never true by itself was told of.
    if (zones.length === 0) return false;
    common = common.filter((zone) => zones.includes(zone));
    return i > 0 && common.length === 0;
  });
}

/** Levels of one metric with limits of one kind, of groups within groups as well. */
function groupsOf(op: "all" | "any", terms: readonly Condition[]): readonly (readonly Term[])[] {
  const groups = groupBy(levelsOf(op, terms), ({ level }) => `${level.metric} ${limitKind(level)}`);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** The levels of a group, and of groups within it that mean the same. */
function levelsOf(op: "all" | "any", terms: readonly Condition[]): readonly Term[] {
  const levels: Term[] = [];
  const visit = (condition: Condition, index: number): void => {
    if (isComparison(condition)) {
      if (isLevel(condition)) levels.push({ level: condition, index });
    } else if (condition.op === op) for (const term of condition.terms) visit(term, index);
  };
  for (const [index, term] of terms.entries()) visit(term, index);
  return levels;
}

/** The first term that leaves nothing of what the terms before it have in common. */
function excluded(group: readonly Term[], possible: readonly Interval[]): Term | undefined {
  let common: readonly Interval[] | null = null;
  for (const [i, term] of group.entries()) {
    const next = intervalsOf(term.level);
    if (next === null) {
      const before = group.slice(0, i);
      if (before.some(({ level }) => areOpposite(level, term.level))) return term;
      continue;
    }
    common = common === null ? next : meets(common, next);
    // What only one of them excludes, and no value has either, was told of with that one.
    if (common.length === 0 || (i > 0 && isImpossible(common, group, possible))) return term;
  }
  return undefined;
}

/** Whether no value lies where they meet, though for each by itself there are some. */
function isImpossible(
  common: readonly Interval[],
  group: readonly Term[],
  possible: readonly Interval[],
): boolean {
  if (meets(common, possible).length > 0) return false;
  return group.every(({ level }) => meets(intervalsOf(level) ?? possible, possible).length > 0);
}

function isCovered(group: readonly Term[], possible: readonly Interval[]): boolean {
  const intervals = group.flatMap(({ level }) => intervalsOf(level) ?? []);
  if (intervals.length > 0) {
    return possible.every((part) => covers(intervals, part));
  }
  return group.some(({ level }, i) =>
    group.slice(i + 1).some((other) => areComplete(level, other.level)),
  );
}

/** `equals: a` beside `equals: b` or `not_equals: a`. */
function areOpposite(a: Level, b: Level): boolean {
  const [first, second] = [plainOf(a), plainOf(b)];
  if (first === null || second === null) return false;
  if (a.op === "not_equals" && b.op === "not_equals") return isAll(first, second);
  return (a.op === b.op) === (first !== second);
}

/** `equals: a` or `not_equals: a`, and both sides of a boolean. */
function areComplete(a: Level, b: Level): boolean {
  const [first, second] = [plainOf(a), plainOf(b)];
  if (first === null || second === null) return false;
  if (a.op === "equals" && b.op === "equals") return isAll(first, second);
  return (a.op === b.op) === (first !== second);
}

/** Whether there is nothing but these two. */
function isAll(a: Value, b: Value): boolean {
  return typeof a === "boolean" && typeof b === "boolean" && a !== b;
}

/** The text or boolean of an `equals` or `not_equals`; null of anything else. */
function plainOf(level: Level): string | boolean | null {
  if (!("limit" in level) || level.limit.kind !== "value") return null;
  const { value } = level.limit;
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

/** Where a price can be, seen from a position's range; what is closed has no range. */
export type Zone = "below" | "in" | "above" | "closed";

const ZONES: readonly Zone[] = ["below", "in", "above", "closed"];
const OUTSIDE: readonly Zone[] = ["below", "above"];
const INSIDE: readonly Zone[] = ["in"];
const OPEN: readonly Zone[] = ["below", "in", "above"];

const ZERO = Decimal.ZERO;
const ONE = decimalFromInteger(1);
const above = (low: Decimal, lowIn: boolean): Interval => ({
  low,
  lowIn,
  high: null,
  highIn: false,
});

const BELOW_ZERO: Interval = { low: null, lowIn: false, high: ZERO, highIn: false };
const WITHIN: Interval = { low: ZERO, lowIn: true, high: ONE, highIn: true };

/**
 * The zones in which a comparison of a position's range can be true, none left out; null if it is about
 * something else, or its limits are not known beforehand.
 */
function zonesOf(level: Level): readonly Zone[] | null {
  switch (level.metric) {
    case "side":
      return plainZones(level, OPEN, (zone) => zone);
    case "in_range":
      return plainZones(level, OPEN, (zone) => zone === "in");
    case "closed":
      return plainZones(level, ZONES, (zone) => zone === "closed");
    case "ticks_to_edge":
    case "pct_to_edge":
      return numberZones(level, [
        [above(ZERO, false), INSIDE],
        [BELOW_ZERO, OUTSIDE],
      ]);
    case "range_position":
      return numberZones(level, [
        [BELOW_ZERO, ["below"]],
        [WITHIN, INSIDE],
        [above(ONE, true), ["above"]],
      ]);
    default:
      return null;
  }
}

/** The zones of which `valueOf` is what the comparison wants. */
function plainZones(
  level: Level,
  zones: readonly Zone[],
  valueOf: (zone: Zone) => string | boolean,
): readonly Zone[] | null {
  if (!("limit" in level) || level.limit.kind !== "value") return null;
  const { value } = level.limit;
  if (level.op === "equals") return zones.filter((zone) => valueOf(zone) === value);
  return level.op === "not_equals" ? zones.filter((zone) => valueOf(zone) !== value) : null;
}

function numberZones(
  level: Level,
  parts: readonly (readonly [Interval, readonly Zone[]])[],
): readonly Zone[] | null {
  const intervals = intervalsOf(level);
  if (intervals === null) return null;
  return parts.flatMap(([part, zones]) => (meets(intervals, [part]).length > 0 ? zones : []));
}
