import { cleanText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import type { Notice, NoticeKind, Severity } from "../model.ts";

/** So many notices are listed one by one; the others are counted. */
const MOST_LISTED = 19;
/** A headline stands alone on a lock screen. */
const HEADLINE = 80;

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/**
 * Several notices as one: a first line that counts them, and each with its own time, worst first.
 * Those of one alert keep their order, so that what fired and was over before anybody heard of it is
 * told with both its times. `id` is the message's. Throws RangeError for no notices.
 */
export function digestOf(notices: readonly Notice[], id: string): Notice {
  const sorted = notices
    .map((notice, place) => ({ notice, place }))
    .toSorted((a, b) => order(a.notice, b.notice) || a.place - b.place)
    .map(({ notice }) => notice);
  const [first] = sorted;
  if (first === undefined) throw new RangeError("a digest is of one notice at least");
  const rules = new Set(notices.map(({ rule }) => rule));
  const newest = notices.reduce((most, { at }) => Math.max(most, at), first.at);
  const left = sorted.length - MOST_LISTED;
  return {
    id,
    kind: first.kind,
    severity: first.severity,
    rule: rules.size === 1 ? first.rule : null,
    subject: null,
    at: newest,
    headline: headlineOf(sorted, first, rules.size),
    title: null,
    note: null,
    fields: [
      ...sorted.slice(0, MOST_LISTED).map((notice) => ({
        name: formatTime(notice.at),
        value: rules.size === 1 ? notice.headline : withRule(notice),
      })),
      ...(left > 0 ? [{ name: "More", value: `and ${left} more notices` }] : []),
    ],
    link: null,
    range: null,
    recent: [],
    values: [],
    labels: rules.size === 1 ? first.labels : {},
  };
}

function order(a: Notice, b: Notice): number {
  const byRank = RANK[a.severity] - RANK[b.severity];
  if (byRank !== 0) return byRank;
  const [one, other] = [a.rule ?? "", b.rule ?? ""];
  return one < other ? -1 : Number(one > other);
}

function withRule({ headline, rule }: Notice): string {
  return rule === null ? headline : `${headline} (${cleanText(rule)})`;
}

/** `🟠 7 notices of my-range: 5 fired, 2 resolved. First: Out of range: Treasury ETH/USDC`. */
function headlineOf(sorted: readonly Notice[], first: Notice, rules: number): string {
  const { icon, text } = splitIcon(first.headline);
  const whose = rules === 1 && first.rule !== null ? cleanText(first.rule, 24) : `${rules} rules`;
  const counts = countsOf(sorted).join(", ");
  const heads = [
    `${icon}${sorted.length} notices of ${whose}: ${counts}`,
    `${icon}${sorted.length} notices: ${counts}`,
    `${icon}${sorted.length} notices`,
  ];
  const head = heads.find((line) => [...line].length <= HEADLINE) ?? heads[2] ?? "";
  // Cut within a sentence it might lose a digit: the whole of it, or nothing.
  const [sentence = ""] = text.split(". ");
  const whole = `${head}. First: ${sentence}`;
  return [...whole].length <= HEADLINE ? whole : head;
}

/** The sign that a headline begins with, if there is one. */
function splitIcon(headline: string): { readonly icon: string; readonly text: string } {
  const match = /^(\p{Extended_Pictographic}\ufe0f? )/u.exec(headline);
  const icon = match?.[1] ?? "";
  return { icon, text: headline.slice(icon.length) };
}

function countsOf(notices: readonly Notice[]): string[] {
  const counts = new Map<NoticeKind, number>();
  for (const { kind } of notices) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind.replace("_", " ")}`);
}
