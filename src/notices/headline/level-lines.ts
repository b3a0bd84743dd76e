import { Decimal } from "../../base/decimal.ts";
import { formatValue } from "../../base/format.ts";
import { cleanText, cutText, shortId } from "../../base/text.ts";
import { formatBucket } from "../../base/times.ts";
import { isNegated } from "../../decide/condition-tree.ts";
import type { AlertEvent, Evidence } from "../../decide/event.ts";
import type { Comparison } from "../../model/index.ts";
import { booleanText, headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { comparedWords } from "../compared-words.ts";
import { edgeLines, isOfEdge } from "../edge-lines.ts";
import { capital, GOOD_ICON } from "../wording.ts";
import { type Line, WHOLE_NAME } from "./fit.ts";
import { tokenLines } from "./token-lines.ts";

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
  const negated = isNegated(event.rule.when, comparison);
  const told = event.kind === "resolved" ? LEFT : { how: "crossed" as const, negated };
  const back =
    event.kind !== "resolved" ? "" : isBack(event, comparison, icon) ? " back to" : " now";
  const ways = comparedWords(comparison, value, limits, as, told);
  const range = event.description?.range ?? null;
  return [
    ...(isOfEdge(metric) && range !== null
      ? ways.flatMap((way) => edgeLines(before, name, way, { metric, value, range, back, tails }))
      : []),
    ...ways.flatMap(({ value: shown, limit }, i) => {
      const number = `${back} ${shown}`;
      // What the limit is called is worth less than the subject's name.
      const isLast = i === ways.length - 1;
      const token = tokenLines(event, metric, { what, number, limit, before, name, tails });
      const usual = { before, name, after: ` ${what}${number}${limit}`, tails };
      const lines = token.length > 0 && !isLast ? token : [...token, usual];
      return lines.map((line) => ({ ...line, least: isLast ? 0 : WHOLE_NAME }));
    }),
    // Hundreds of digits that differ in the last one do not fit: the fields have them.
    { before, name, after: `: ${what}, ${comparison.op.replace("_", " ")} its limit`, tails: [] },
  ];
}

/** Whether a value that is over its limit no more was so before: what fired without one never was. */
function isBack({ before }: AlertEvent, { op }: Comparison, icon: string): boolean {
  const { state, value } = before.told;
  return op !== "inside" && icon === GOOD_ICON && (state !== "firing" || value !== null);
}

const LEFT = { how: "left" } as const;

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
