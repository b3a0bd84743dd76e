import { Decimal, isZero } from "../../base/decimal.ts";
import { formatBeside, formatValue, joinFigure } from "../../base/format.ts";
import { cleanText, shortId } from "../../base/text.ts";
import type { AlertEvent, EntryFacts } from "../../decide/event.ts";
import type { Evidence } from "../../decide/verdict.ts";
import { headlineAs } from "../../rules/describe/metric-words.ts";
import { limitsOf, ownLimits } from "../../rules/describe/own-limit.ts";
import { bare, namedLimit } from "../compared-words.ts";
import { heldAmount } from "../field-values.ts";
import { SEVERITY_ICONS } from "../wording.ts";
import { inTime } from "./again-lines.ts";
import type { Line } from "./fit.ts";

interface Words {
  readonly event: AlertEvent;
  readonly entry: EntryFacts;
  readonly evidence: Evidence;
  readonly icon: string;
  readonly name: string;
  readonly tail: string;
}

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
  const { entry, rule } = event;
  if (entry === undefined) return [];
  const words: Words = { event, entry, evidence, icon: SEVERITY_ICONS[rule.severity], name, tail };
  switch (rule.kind) {
    case "v4_swaps":
    case "v3_swaps":
      return swapLines(words);
    case "v4_liquidity":
      return liquidityLines(words);
    case "holders":
      return holderLines(words);
    default:
      return [];
  }
}

/** What several entries are called that are told together. */
export function nounOf({ rule, subject }: AlertEvent): string | null {
  switch (rule.kind) {
    case "v4_swaps":
    case "v3_swaps":
      return "swaps";
    case "v4_liquidity":
      return "liquidity changes";
    case "holders":
      return subject.ids.top === undefined
        ? "changes among the holders"
        : `changes in the top ${subject.ids.top}`;
    default:
      return null;
  }
}

/** What was held back, in one line: `🔵 3 swaps in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M`. */
export function heldLines(
  event: AlertEvent,
  evidence: Evidence,
  name: string,
  tail: string,
): readonly Line[] {
  const held = event.more?.held ?? null;
  const noun = nounOf(event);
  if (held === null || held.count < 2 || noun === null) return [];
  const icon = SEVERITY_ICONS[event.rule.severity];
  const before = `${icon} ${held.count} ${noun}${inTime(event.at - held.since)}: `;
  const tails = [...limitOf({ event, evidence }), tail];
  const amount = heldAmount(held, evidence.metric);
  return [
    ...(amount === null ? [] : [{ before, name, after: `, ${amount}`, tails }]),
    { before, name, after: "", tails },
  ];
}

function swapLines(words: Words): readonly Line[] {
  const { icon, name, tail, entry, evidence } = words;
  const sides = ["amount0_abs", "amount1_abs"].map((one) => text(words, one));
  const [came, went] = entry.value("direction") === "token1_in" ? sides.toReversed() : sides;
  const worth = text(words, "amount_usd");
  const tails = [...limitOf(words), tail];
  const both = came && went ? `${came} for ${went}` : null;
  const lines: Line[] = [];
  if (worth !== null && evidence.metric.quantity === "usd") {
    const before = `${icon} Swap of ${worth}: `;
    const also = both === null ? [] : [`, ${both}`];
    lines.push({ before, name, after: "", tails: [...also, ...tails] });
  }
  if (both !== null) lines.push({ before: `${icon} Swap ${both}: `, name, after: "", tails });
  lines.push({ before: `${icon} Swap: `, name, after: "", tails: [tail] });
  return lines;
}

function liquidityLines(words: Words): readonly Line[] {
  const { icon, name, tail, entry } = words;
  const delta = entry.value("liquidity_delta");
  if (!(delta instanceof Decimal)) return [];
  const what =
    delta.digits < 0n
      ? "Liquidity removed"
      : isZero(delta)
        ? "Liquidity touched"
        : "Liquidity added";
  const share = some(entry, "removed_share")
    ? `, ${text(words, "removed_share")} of the active`
    : "";
  const usd = some(entry, "removed_usd") ? `, ${text(words, "removed_usd")}` : "";
  const before = `${icon} ${what}: `;
  return [
    { before, name, after: share + usd, tails: [...limitOf(words), tail] },
    { before, name, after: "", tails: [tail] },
  ];
}

function holderLines(words: Words): readonly Line[] {
  const { icon, name, tail, entry, event } = words;
  const { top } = event.subject.ids;
  const wallet = entry.value("wallet");
  const list = top === undefined ? "the largest holders" : `the top ${top}`;
  const before = `${icon} ${entry.value("left") === true ? "Left" : "Entered"} ${list}: `;
  const whose = typeof wallet === "string" ? [`. ${shortId(cleanText(wallet))}`] : [];
  const rank = text(words, "rank");
  const balance = text(words, "balance");
  const was = entry.value("left") === true ? "was rank" : "rank";
  const held = [
    rank === null ? null : `, ${was} ${rank}`,
    balance === null ? null : `, ${balance}`,
  ];
  const more = held.filter((one) => one !== null);
  return [{ before, name, after: "", tails: [...whose, ...more, tail] }];
}

function some(entry: EntryFacts, name: string): boolean {
  const value = entry.value(name);
  return value instanceof Decimal && !isZero(value);
}

/** A value of the entry for a headline; null where it is not known. */
function text({ event, entry, evidence }: Words, name: string): string | null {
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
function limitOf({ event, evidence }: Pick<Words, "event" | "evidence">): string[] {
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
