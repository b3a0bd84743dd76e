import { isMap, listOf } from "../../base/json.ts";
import type { RangeFacts, SubjectFacts } from "../../model/index.ts";

/** A subject may have had several sources, each with a generation behind its key: `KEY`, `KEY@1`, `KEY~2`. */
export function keyOf(subject: string): string {
  return subject.split(/[@~]/)[0] ?? subject;
}

/** Facts as they are stored. */
export function factsFrom(subject: string, at: number, text: string): SubjectFacts {
  const read: unknown = JSON.parse(text);
  const facts = isMap(read) ? read : {};
  const { label, link } = facts;
  const [one, other] = listOf(facts.rangeDecimals);
  return {
    subject,
    at,
    decimals: entriesOf(facts.decimals, isNumber),
    units: entriesOf(facts.units, isText),
    closed: facts.closed === true,
    ...(isText(label) ? { label } : {}),
    link: isText(link) ? link : null,
    range: rangeFrom(facts.range),
    ...(isNumber(one) && isNumber(other) ? { rangeDecimals: [one, other] } : {}),
  };
}

function rangeFrom(value: unknown): RangeFacts | null {
  if (!isMap(value)) return null;
  const { lower, upper, price, unit, lowerTick, upperTick, tick } = value;
  if (!isText(lower) || !isText(upper) || !isText(price) || !isText(unit)) return null;
  if (!isNumber(lowerTick) || !isNumber(upperTick) || !isNumber(tick)) return null;
  const inverted = value.inverted === true;
  return { lower, upper, price, unit, lowerTick, upperTick, tick, inverted };
}

/** The entries of a map whose values are good. */
function entriesOf<T>(map: unknown, isGood: (value: unknown) => value is T): Record<string, T> {
  const good: Record<string, T> = {};
  for (const [key, value] of Object.entries(isMap(map) ? map : {})) {
    if (isGood(value)) good[key] = value;
  }
  return good;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
