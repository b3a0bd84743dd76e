import { chainName } from "../base/chains.ts";
import { absolute, Decimal, parseDecimal, shift, subtract } from "../base/decimal.ts";
import type { Written } from "../base/format.ts";
import { cleanText, cutText, shortId } from "../base/text.ts";
import { chainsInWords } from "../decide/across.ts";
import { conditionOf, isCompound, isNegated } from "../decide/condition-tree.ts";
import { reachesDistance } from "../decide/evaluate.ts";
import { type AlertEvent, knownLabel } from "../decide/event.ts";
import { EARLIER, notificationStateOf, OTHER_SOURCE } from "../decide/notification-state.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { Description } from "../kinds/kind.ts";
import type {
  ChangeComparison,
  Comparison,
  Condition,
  NoticeEnding,
  Severity,
  Subject,
} from "../model/index.ts";
import { headlineAs, headlineLabel, unitNames } from "../rules/describe/metric-words.ts";

/** The words that headlines and fields share. */

export const SEVERITY_ICONS: Readonly<Record<Severity, string>> = {
  critical: "🔴",
  warning: "🟠",
  info: "🔵",
};

export const GOOD_ICON = "🟢";
export const NEUTRAL_ICON = "⚪";
/** It is over, and not well again. */
export const OVER_ICON = "⚪";

/** A subject's name: what the chain or the rule says, else an id that tells it from others. */
export function subjectName(
  subject: Subject,
  description: Description | null,
  label: string | null,
): string {
  const { ids, chainId, name } = subject;
  const known = cleanText(knownLabel(description?.label ?? null, label) ?? name ?? "");
  if (known !== "") return known;
  if (ids.pool !== undefined) return cleanText(shortId(ids.pool));
  if (ids.nft !== undefined) return cleanText(`#${shortId(ids.nft)}`);
  const { wallet, token = wallet } = ids;
  return token === undefined ? chainName(chainId) : cleanText(shortId(wallet ?? token));
}

/** `Ethereum`, `two chains`; `description`: null where nothing was answered. */
export function chainOf({ subject, description, rule }: ChainParts): string {
  const members = rule.across === null ? [subject] : rule.subjects;
  return cleanText(description?.chain ?? chainsInWords(members));
}

type ChainParts = Pick<AlertEvent, "subject" | "description" | "rule">;

/** `. Ethereum`, `. Six chains`; nothing where the name says it already. */
export function chainTail(parts: ChainParts, name: string): string {
  const chain = chainOf(parts);
  if (name === chain) return "";
  return `. ${parts.rule.across === null ? chain : capital(chain)}`;
}

/** The chain where it tells subjects of one rule apart; nothing where all of them are on one. */
export function chainApart({ subject, rule }: AlertEvent, tail: string): readonly string[] {
  const apart = rule.subjects.some(({ chainId }) => chainId !== subject.chainId);
  return apart && rule.across === null && tail !== "" ? [tail] : [];
}

export function capital(text: string): string {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("");
}

/** Whether a comparison with a yes or no fires on that value. */
export function firesOn(comparison: Comparison, when: Condition, value: boolean): boolean {
  if (comparison.op !== "equals" && comparison.op !== "not_equals") return false;
  const limit = comparison.limit.kind === "value" ? comparison.limit.value : null;
  const holds = (limit === value) === (comparison.op === "equals");
  return holds !== isNegated(when, comparison);
}

/**
 * The names of subjects that are shown beside each other: those that would read alike say their
 * chain as well, `AUSD on Polygon`.
 */
export function labelsApart(
  subjects: readonly { readonly subject: Pick<Subject, "chainId">; readonly label: string }[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { label } of subjects) counts.set(label, (counts.get(label) ?? 0) + 1);
  return subjects.map(({ label, subject }) => {
    const name = cleanText(label);
    return (counts.get(label) ?? 0) > 1 ? `${name} on ${chainName(subject.chainId)}` : name;
  });
}

/** How an alert ended: `recovered` alone is good news, and green. */
export interface Ending {
  readonly how: "recovered" | NoticeEnding;
  /** Why, in clean words; null: what was wrong is well again, and there is nothing to add. */
  readonly why: string | null;
}

const LONGEST_CONDITION = 240;

const RECOVERED: Ending = { how: "recovered", why: null };

/** Why an alert is over. Whatever is not known to be well again is not called so. */
export function endingOf(event: AlertEvent): Ending {
  const { more, before, closed, evidence, rule } = event;
  const still = more?.still ?? null;
  const ended = more?.ended;
  if (still !== null) {
    return still.gate === null
      ? { how: "again", why: "it was over meanwhile, and the condition holds again" }
      : { how: "gate", why: `gate ${cleanText(still.gate)} closed; the condition still holds` };
  }
  if (closed) return { how: "closed", why: "the position has no liquidity any more" };
  const { when = null, byMissing } = notificationStateOf(before);
  if (when === OTHER_SOURCE) {
    return { how: "edited", why: "the source was changed; it fired on values of the earlier one" };
  }
  if (when !== null && when !== conditionOf(rule)) {
    const short = when.replaceAll(/(?<=:)0x[0-9a-f]{12,}/gi, (id) => shortId(id));
    const was =
      when === EARLIER
        ? "another condition or on other values"
        : cleanText(short, LONGEST_CONDITION);
    return { how: "edited", why: `the rule was edited; it fired under: ${was}` };
  }
  if (ended !== undefined && ended.gate !== null) {
    const gate = `gate ${cleanText(ended.gate)} closed`;
    return ended.settled
      ? { how: "recovered", why: `${gate}; the condition no longer holds` }
      : { how: "gate", why: `${gate}; it had not recovered yet` };
  }
  if (byMissing || evidence === null) return RECOVERED;
  return endingBy(event, evidence);
}

function endingBy(event: AlertEvent, evidence: Evidence): Ending {
  const { rule, more } = event;
  const { comparison, value } = evidence;
  const isHeld = typeof value === "boolean" && firesOn(comparison, rule.when, value);
  if (isHeld || (isCompound(rule.when) && more?.ended?.holds === true)) {
    return { how: "partly", why: "another part of the condition no longer holds" };
  }
  if ("span" in comparison && !isNegated(rule.when, comparison)) {
    return isUndone(event, evidence, comparison)
      ? RECOVERED
      : { how: "steady", why: "the window has moved on; the change was not undone" };
  }
  const other = more?.ended?.other ?? null;
  return other === null
    ? RECOVERED
    : { how: "other_rule", why: `rule ${cleanText(other)} still fires on it` };
}

/**
 * Whether the value is back from where the change that people were told took it; what moves must not have
 * gone as far the other way meanwhile.
 */
function isUndone(event: AlertEvent, { value }: Evidence, comparison: ChangeComparison): boolean {
  const { worst } = notificationStateOf(event.before);
  const { metric, op, by } = comparison;
  const base = parseDecimal(worst?.base ?? "");
  if (worst === null || base === null || !(value instanceof Decimal)) return false;
  if (worst.on?.startsWith(`${metric} ${op}`) !== true) return false;
  const amount = distanceLimit(comparison, event.decimals(metric));
  if (by.kind === "absolute" && amount === null) return false;
  const change = worst.way === "up" ? subtract(value, base) : subtract(base, value);
  return !reachesDistance(op === "moves" ? absolute(change) : change, base, by, amount);
}

/** The distance in the metric's own unit; null for percentages and while decimals are unknown. */
export function distanceLimit({ by }: ChangeComparison, decimals: number | null): Decimal | null {
  if (by.kind === "percent") return null;
  if (by.limit.kind === "value") return by.limit.value instanceof Decimal ? by.limit.value : null;
  return decimals === null ? null : shift(by.limit.amount, decimals);
}

/** What the headline of an alert is made of, found out once for all of its lines. */
export interface HeadlineContext {
  readonly event: AlertEvent;
  /** What the subject is called. */
  readonly name: string;
  /** `. Ethereum`; nothing where the name says it. */
  readonly tail: string;
  /** That of the rule's severity. */
  readonly icon: string;
  /** Null without a value. */
  readonly spoken: Spoken | null;
}

/** What speaks for the alert, and how a headline writes it. */
export interface Spoken extends Evidence {
  readonly as: Written;
  /** `tip` */
  readonly what: string;
  /** `Tip`, as a line begins with it. */
  readonly heading: string;
  /** `. Top 10%`: what narrows it down, and then the chain. */
  readonly tails: readonly string[];
  /** `top 10%` */
  readonly which: string | null;
  /** Where the unit names the subject already, the line says where; null: it must say whose. */
  readonly place: string | null;
}

export function headlineContext(event: AlertEvent): HeadlineContext {
  const { subject, description, after, rule, evidence } = event;
  const name = subjectName(subject, description, after.label);
  const tail = chainTail(event, name);
  const icon = SEVERITY_ICONS[rule.severity];
  if (evidence === null) return { event, name, tail, icon, spoken: null };
  const { metric } = evidence;
  const decimals = event.decimals(metric.name);
  const as = headlineAs(metric, decimals, description);
  const { what, which } = headlineLabel(metric, as, rule.across);
  const named = unitNames(name, metric, decimals, description);
  const spoken = {
    ...evidence,
    as,
    what,
    heading: capital(what),
    which,
    tails: which === null ? [tail] : [`. ${capital(which)}`, tail],
    place: named ? chainOf(event) : null,
  };
  return { event, name, tail, icon, spoken };
}

/** A lock screen shows so many characters. */
export const HEADLINE_LENGTH = 80;
/** A tail goes before a name has to be shorter than this. */
const READABLE_NAME = 16;
/** Shorter than this a name says nothing, so a plainer line is tried. */
const SHORTEST_NAME = 8;

/** For what may be left out a name is not cut below this. */
export const WHOLE_NAME = 24;

/** A headline around a name: only the name is ever cut, and tails are left out from the last. */
export interface Line {
  readonly before: string;
  readonly name: string;
  readonly after: string;
  readonly tails: readonly string[];
  /** The name is not cut below this: a plainer line is tried before. */
  readonly least?: number;
}

/**
 * The first of the lines that fits into 80 characters. The last one must be free of numbers: it
 * is cut where even that does not fit.
 */
export function fitLine(lines: readonly Line[]): string {
  for (const { before, name, after, tails, least = 0 } of lines) {
    for (let kept = tails.length; kept >= 0; kept -= 1) {
      const rest = after + tails.slice(0, kept).join("");
      const room = HEADLINE_LENGTH - characters(before) - characters(rest);
      const needed = Math.max(least, kept > 0 ? READABLE_NAME : SHORTEST_NAME);
      if (room >= Math.min(characters(name), needed)) return before + shortened(name, room) + rest;
    }
  }
  const last = lines.at(-1);
  return cutText(last === undefined ? "" : last.before + last.name + last.after, HEADLINE_LENGTH);
}

/** A name that is too long loses what stands in brackets at its end first. */
function shortened(name: string, room: number): string {
  if (characters(name) <= room) return name;
  const plain = name.replace(/ \([^()]*\)$/, "");
  return cutText(plain === "" ? name : plain, room);
}

/** Characters as people count them: code points. */
export function characters(text: string): number {
  return [...text].length;
}
