import { addAmounts } from "../base/amount.ts";
import { parseDecimal, valueToText } from "../base/decimal.ts";
import type { Alert, Amount, Rule, Suppressed } from "../model/index.ts";
import {
  flapTold,
  type GateView,
  hasBeenMissing,
  hasSettled,
  isAtRest,
  isCompleted,
  isCooling,
  isDueAsMissing,
  isFiring,
  isFlapping,
  isRepeatDue,
  notificationStateOf,
  withFlap,
  withoutStale,
  withTurn,
} from "./notification-state.ts";
import { type Notified, type NotifyMoment, notifyOfFiring, Turn } from "./notify-firings.ts";
import { firesWithoutData, fireWithoutData } from "./transition.ts";

/**
 * The notices of one alert: the difference between what people were told and the real state, unless something holds
 * it back. Whatever keeps an alert quiet, its notices wait; once nothing does, the remaining difference is
 * notified. `before`: the alert before the round; `after`: the alert after it, not notified yet. Pure.
 */
export function notify(rule: Rule, before: Alert, after: Alert, moment: NotifyMoment): Notified {
  const turn = new Turn(rule, after, moment);
  if (moment.happened === null && hasNothingToNotify(rule, before, after)) return turn;
  noteFlaps(turn);
  notifyOfData(turn, before);
  forgetGap(turn);
  if (turn.intents.length > 0 && turn.alert.lastNotified.state === "firing") {
    // Every notice of a firing alert says that it fires, so the next reminder counts from it.
    turn.keep({ reminded: { at: moment.date, count: turn.state.reminded?.count ?? 0 } });
  }
  if (rule.event) notifyOfEvent(turn);
  else notifyOfFiring(turn, before.firedAt);
  return turn;
}

/** The usual case: nothing happened in this round. */
export function hasNothingToNotify(rule: Rule, before: Alert, after: Alert): boolean {
  if (!isAtRest(after)) return false;
  // After its first round without a value nothing is due yet.
  if (before.missing !== null) return false;
  if (isFiring(after.state) !== (after.lastNotified.state === "firing")) return false;
  return after.state !== "firing" || (rule.remind.length === 0 && rule.worse === null);
}

/** Counts the firings, notified or not, to know whether the alert flaps. */
function noteFlaps(turn: Turn): void {
  const { date, happened } = turn.moment;
  const { flapping } = turn.rule;
  const { firings, gaps } = turn.state;
  const turned =
    happened === "fired"
      ? withFlap(firings, date, flapping)
      : happened === "resolved"
        ? withTurn(firings, date)
        : firings;
  const counted = withoutStale(turned, date, flapping);
  const missed = withoutStale(gaps, date, flapping);
  if (counted !== firings || missed !== gaps) turn.keep({ firings: counted, gaps: missed });
}

/** Ends the notified `no_data` once data is back and that was notified. */
function forgetGap(turn: Turn): void {
  const { blindTo, blindSince, gaps } = turn.state;
  if (blindTo === null || blindSince !== null || turn.alert.missing !== null) return;
  if (gaps === null || gaps.on === null) turn.keep({ blindTo: null });
}

/**
 * The notices of an alert whose request failed, once the end of the round has shown that its source is not down: as
 * if the answer had not contained it.
 */
export function notifyOfMissing(rule: Rule, alert: Alert, date: number, gates: GateView): Notified {
  const fires = firesWithoutData(rule, alert, { date, closedBy: gates.closedBy });
  return notify(rule, alert, fires ? fireWithoutData(alert, date) : alert, {
    date,
    happened: fires ? "fired" : null,
    known: false,
    holds: false,
    unanswered: false,
    quiet: gates.quiet,
    verdict: null,
  });
}

/** Notifies of missing data: compares what people were told with the real state. */
function notifyOfData(turn: Turn, before: Alert): void {
  const { rule, alert, moment } = turn;
  const { date, quiet } = moment;
  const came = before.missing?.told === true && alert.missing === null;
  const gone =
    !moment.unanswered &&
    isDueAsMissing(rule, alert, date) &&
    // It fires instead, as soon as its gates allow it.
    (rule.onMissing === "keep" || isFiring(alert.state));
  const { gaps, blindSince } = turn.state;
  if (gaps !== null && gaps.on !== null) {
    if (gone) {
      knowMissing(turn);
      turn.keep({ gaps: withFlap(gaps, date, rule.flapping) });
    } else if (came) turn.keep({ gaps: withTurn(gaps, date) });
    notifyOfGaps(turn);
  } else if (came) notifyOfReturn(turn, before);
  else if (blindSince !== null) notifyOfOldGap(turn);
  else if (gone && !quiet) {
    const counted = withFlap(gaps, date, rule.flapping);
    const flaps = isFlapping(counted, date, rule.flapping);
    if (flaps) turn.sayOfGaps("flapping");
    else turn.say("no_data");
    knowMissing(turn);
    turn.keep({ gaps: flaps ? flapTold(counted, date) : counted, blindTo: rule.notify });
  }
}

/** People know that it has no data, or are told by another notice. */
function knowMissing(turn: Turn): void {
  const { missing } = turn.alert;
  if (missing !== null) turn.alert = { ...turn.alert, missing: { ...missing, told: true } };
}

/** Its data comes and goes, and people know. */
function notifyOfGaps(turn: Turn): void {
  const { rule, alert, moment } = turn;
  const { gaps } = turn.state;
  if (moment.quiet || gaps === null) return;
  if (hasSettled(gaps, moment.date, rule.flapping)) {
    // It is missing only for a moment: if it comes back, that is notified then.
    if (alert.missing !== null && !alert.missing.told) return;
    turn.sayOfGaps(alert.missing === null ? "data_back" : "steady");
    turn.keep({ gaps: { ...gaps, on: null } });
  } else if (isRepeatDue(gaps, moment.date)) {
    turn.sayOfGaps("flapping");
    turn.keep({ gaps: flapTold(gaps, moment.date) });
  }
}

/** Data is back, and people were told that there is none. */
function notifyOfReturn(turn: Turn, before: Alert): void {
  const { alert, moment } = turn;
  const goesOn = isFiring(alert.state) && alert.lastNotified.state === "firing";
  // People were told that it fires for that: if it is over, or they were not, that is what they are told.
  if (notificationStateOf(before).byMissing && !goesOn) return;
  if (moment.quiet) turn.keep({ blindSince: before.missing?.since ?? null });
  else turn.say("data_back");
}

/** Data came back while notices were held back. */
function notifyOfOldGap(turn: Turn): void {
  const { rule, alert, moment } = turn;
  if (alert.missing !== null) {
    // Data is missing again, as people were told.
    if (!hasBeenMissing(rule, alert, moment.date)) return;
    knowMissing(turn);
  } else {
    if (moment.quiet) return;
    turn.say("data_back");
  }
  turn.keep({ blindSince: null });
}

/** An event: the value before it and its own, as exact text. */
export interface EventValues {
  /** Null: there is no value. */
  readonly metric: string | null;
  readonly base: string | null;
  readonly value: string | null;
  /** For an entry: its source, and how its value is written. */
  readonly of?: Pick<Amount, "metric" | "decimals" | "unit">;
}

/** Notifies of an event, with those held back before it. */
function notifyOfEvent(turn: Turn): void {
  const { rule, moment } = turn;
  if (moment.happened === "changed") {
    const evidence = moment.verdict?.evidence() ?? null;
    const [base, value] = [evidence?.base ?? null, evidence?.value ?? null];
    const metric = evidence?.metric.name ?? null;
    notifyEvent(turn, { metric, base: valueToText(base), value: valueToText(value) });
    return;
  }
  const { held } = turn.state;
  const isHeldBack = moment.quiet || isCooling(rule, turn.alert, moment.date);
  // The notice shows current values beside the event: it waits until there are some.
  if (held !== null && moment.known && !isHeldBack) tellEvent(turn, held);
}

/** Notifies of one event, or counts it until that is possible. */
export function notifyEvent(turn: Turn, values: EventValues): void {
  const { rule, alert, moment } = turn;
  // Several may happen in one round, and the first may have been the only one.
  if (isCompleted(alert)) return;
  const before = turn.state.held;
  const held = heldWith(before, values, moment.date);
  if (moment.quiet || isCooling(rule, alert, moment.date)) turn.keep({ held });
  else tellEvent(turn, before === null ? null : held);
}

function tellEvent(turn: Turn, held: Suppressed | null): void {
  turn.say("changed", held);
  const once = turn.rule.once ? "spent" : null;
  turn.keep({ held: null, cooling: turn.moment.date, once });
}

function heldWith(held: Suppressed | null, values: EventValues, date: number): Suppressed {
  const { metric, base, value } = values;
  const own = amountOf(values);
  const amount = held === null ? own : addAmounts(held.amount, own);
  const more = amount === undefined ? {} : { amount };
  if (held === null) {
    return { count: 1, since: date, metric, base, first: value, last: value, ...more };
  }
  const { amount: _, ...before } = held;
  // What the values of one metric were says nothing of another.
  const anew = before.metric === metric ? {} : { metric, base, first: null };
  return { ...before, count: held.count + 1, ...anew, last: value, ...more };
}

/** The values of one entry; undefined: its value is no number. */
function amountOf({ of, value }: EventValues): Amount | undefined {
  const size = parseDecimal(value ?? "")?.toString();
  return of === undefined || size === undefined ? undefined : { ...of, largest: size, sum: size };
}
