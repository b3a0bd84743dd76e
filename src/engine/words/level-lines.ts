import { formatBeside } from "../../base/beside.ts";
import { Decimal } from "../../base/decimal.ts";
import { type Figure, formatValue, joinFigure } from "../../base/format.ts";
import { cleanText, cutText, shortId } from "../../base/text.ts";
import { formatBucket } from "../../base/times.ts";
import type { Comparison } from "../../model.ts";
import type { AlertEvent, Evidence } from "../event.ts";
import type { Line } from "./fit.ts";
import { tokenLines } from "./token-lines.ts";
import {
  booleanText,
  capital,
  GOOD_ICON,
  headlineAs,
  headlineLabel,
  isNegated,
} from "./wording.ts";

/**
 * What a value is and what limit it has crossed or left:
 * `Ethereum tip 7.4 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC`.
 * `ends` are what may follow what narrows the value down.
 */
export function levelLines(
  event: AlertEvent,
  evidence: Evidence,
  name: string,
  icon: string,
  ends: readonly string[],
): readonly Line[] {
  const { metric, value, comparison } = evidence;
  const as = headlineAs(metric, event.decimals(metric.name), event.description);
  const { what, which } = headlineLabel(metric, as, event.rule.across);
  const before = `${icon} `;
  const tails = [...narrowed(event, evidence, which), ...ends].filter((text) => text !== "");
  const limits = evidence.limits.filter((limit) => limit instanceof Decimal);
  if (typeof value === "boolean") {
    const now = event.kind === "resolved" ? "now " : "";
    return [{ before, name, after: ` is ${now}${booleanText(metric.label, value)}`, tails }];
  }
  if (!(value instanceof Decimal) || limits.length !== evidence.limits.length) {
    const now = event.kind === "resolved" ? "is now" : "is";
    const text = typeof value === "string" ? shortText(value) : formatValue(value, as);
    return [{ before, name, after: `: ${what} ${now} ${text}`, tails }];
  }
  const [mine, ...others] = formatBeside([value, ...limits], as);
  if (mine === undefined) return [];
  const texts = others.map((other) => bare(other, mine));
  const back =
    event.kind !== "resolved" ? "" : isBack(event, comparison, icon) ? " back to" : " now";
  const limit =
    event.kind === "resolved"
      ? leftLimit(comparison, texts)
      : crossedLimit(comparison, isNegated(event.rule.when, comparison), texts);
  const number = `${back} ${joinFigure(mine)}`;
  return [
    ...tokenLines(event, metric, { what, number, limit, before, name, tails }),
    { before, name, after: ` ${what}${number}${limit}`, tails },
    // Hundreds of digits that differ in the last one do not fit: the fields have them.
    { before, name, after: `: ${what}, ${comparison.op.replace("_", " ")} its limit`, tails: [] },
  ];
}

/** Whether a value that is over its limit no more was so before: what fired without one never was. */
function isBack({ before }: AlertEvent, { op }: Comparison, icon: string): boolean {
  const { state, value } = before.told;
  return op !== "inside" && icon === GOOD_ICON && (state !== "firing" || value !== null);
}

/** `0x111111…1111`, or the beginning of a text. */
export function shortText(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? shortId(text) : cutText(cleanText(text), 24);
}

/** `. Top 10%, average of 14:00-15:00 UTC`. */
function narrowed(event: AlertEvent, evidence: Evidence, which: string | null): string[] {
  const parts = which === null ? [] : [which];
  if (event.bucket !== null) {
    const hours = formatBucket(event.bucket.start, event.bucket.ms);
    const { quantity } = evidence.metric;
    parts.push(quantity === "wei" || quantity === "ratio" ? `average of ${hours}` : hours);
  }
  return parts.length === 0 ? [] : [`. ${capital(parts.join(", "))}`];
}

/** A number in the unit of the one beside it does not repeat it. */
export function bare(figure: Figure, beside: Figure): string {
  return figure.unit === beside.unit ? figure.number : joinFigure(figure);
}

function crossedLimit(comparison: Comparison, negated: boolean, limits: readonly string[]): string {
  const [first = "", second = ""] = limits;
  // It is not known by now.
  if (first === "") return "";
  switch (comparison.op) {
    case "above":
      return negated ? `, not above ${first}` : `, limit ${first}`;
    case "at_least":
      return negated ? `, below ${first}` : `, limit ${first}`;
    case "below":
      return `, ${negated ? "not below" : "below"} ${first}`;
    case "at_most":
      return `, ${negated ? "above" : "at most"} ${first}`;
    case "inside":
      return `, ${negated ? "outside" : "inside"} ${first} to ${second}`;
    case "outside":
      return `, ${negated ? "inside" : "outside"} ${first} to ${second}`;
    case "not_equals":
      return negated ? "" : `, not ${first}`;
    default:
      return negated ? `, not ${first}` : "";
  }
}

function leftLimit(comparison: Comparison, limits: readonly string[]): string {
  const [first = "", second = ""] = limits;
  if (first === "") return "";
  switch (comparison.op) {
    case "inside":
      return `, outside ${first} to ${second}`;
    case "outside":
      return `, inside ${first} to ${second}`;
    case "equals":
    case "not_equals":
      return "";
    default:
      return `, limit ${first}`;
  }
}
