import { absolute, Decimal, parseDecimal, shift, subtract } from "../base/decimal.ts";
import { cleanText, shortId } from "../base/text.ts";
import { conditionOf, isCompound, isNegated } from "../decide/condition-tree.ts";
import { goneFar } from "../decide/evaluate.ts";
import type { AlertEvent } from "../decide/event.ts";
import { EARLIER, notificationStateOf, OTHER_SOURCE } from "../decide/notification-state.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { ChangeComparison, NoticeEnding } from "../model/index.ts";
import { firesOn } from "./wording.ts";

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
  return !goneFar(op === "moves" ? absolute(change) : change, base, by, amount);
}

/** The distance in the metric's own unit; null for percentages and while decimals are unknown. */
export function distanceLimit({ by }: ChangeComparison, decimals: number | null): Decimal | null {
  if (by.kind === "percent") return null;
  if (by.limit.kind === "value") return by.limit.value instanceof Decimal ? by.limit.value : null;
  return decimals === null ? null : shift(by.limit.amount, decimals);
}
