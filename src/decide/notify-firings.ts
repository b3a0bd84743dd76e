import { valueToText } from "../base/decimal.ts";
import type { Alert, Condition, NotificationState, Rule, Suppressed, Way } from "../model/index.ts";
import { comparisonsOf, conditionOf } from "./condition-tree.ts";
import {
  flapTold,
  hasSettled,
  isAcked,
  isCooling,
  isFiring,
  isFlapping,
  isRepeatDue,
  lastNotifiedFor,
  notificationStateOf,
  withNotificationState,
} from "./notification-state.ts";
import type { Happening } from "./transition.ts";
import type { Verdict } from "./verdict.ts";
import { worseWay, worstAfter, worstOf, worstTold } from "./worse.ts";

/** A notice of one alert in one round. */
export type IntentKind =
  | "fired"
  | "worse"
  | "reminder"
  | "resolved"
  | "changed"
  | "no_data"
  | "data_back"
  | "flapping"
  | "steady";

export interface NotificationIntent {
  readonly kind: IntentKind;
  /** `flapping` and its end: whether the firings flap or the data. */
  readonly about: "firings" | "gaps";
  /** What was held back before; an event includes itself. */
  readonly held: Suppressed | null;
}

/** What notifying needs of a round beside the alert. */
export interface NotifyMoment {
  readonly date: number;
  readonly happened: Happening | null;
  /** The truth of `when` is known: reminders and the like wait for that. */
  readonly known: boolean;
  /** `when` is true; only if that is known. */
  readonly holds: boolean;
  /** Its request failed: the end of the round decides whether to notify. */
  readonly unanswered: boolean;
  /** Something holds its notices back. */
  readonly quiet: boolean;
  /** Null: nothing was read. */
  readonly verdict: Verdict | null;
}

export interface Notified {
  readonly alert: Alert;
  readonly intents: readonly NotificationIntent[];
}

/** One alert in one round, while its notices are collected. */
export class Turn implements Notified {
  readonly intents: NotificationIntent[] = [];

  constructor(
    readonly rule: Rule,
    /** The alert so far, with its notices. */
    public alert: Alert,
    readonly moment: NotifyMoment,
  ) {}

  /** What the alert remembers. */
  get state(): NotificationState {
    return notificationStateOf(this.alert);
  }

  keep(parts: Partial<NotificationState>): void {
    this.alert = withNotificationState(this.alert, parts);
  }

  say(kind: IntentKind, held: Suppressed | null = null): void {
    this.intents.push({ kind, about: "firings", held });
  }

  sayOfGaps(kind: IntentKind): void {
    this.intents.push({ kind, about: "gaps", held: null });
  }
}

/** Notifies of firings: what people were told is compared with the real state. `firedBefore`: the firing before this round. */
export function notifyOfFiring(turn: Turn, firedBefore: number | null): void {
  const { rule, alert, moment } = turn;
  const { firings, held } = turn.state;
  if (firings !== null && firings.on !== null) return notifyOfFlapping(turn, firings);
  const fires = isFiring(alert.state);
  const believed = alert.lastNotified.state === "firing";
  if (fires && believed) return notifyOfGoingOn(turn);
  if (!fires && !believed) return noteUntold(turn, firedBefore);
  if (moment.quiet || !isCertain(turn)) return;
  if (!fires) {
    if (!mayEnd(turn)) return;
    turn.say("resolved");
    tellOver(turn);
  } else if (isFlapping(firings, moment.date, rule.flapping)) {
    turn.say("flapping");
    // Its count has those that were held back.
    tellFiring(turn, { firings: flapTold(firings, moment.date), worst: null, held: null });
  } else if (!isCooling(rule, alert, moment.date)) {
    turn.say("fired", held);
    tellFiring(turn, { held: null, cooling: moment.date });
  }
}

/** A withheld notice waits for a round with values, so that it has its numbers. */
function isCertain({ moment, state }: Turn): boolean {
  return moment.known || state.byMissing;
}

/**
 * An acknowledged alert resolves only when its condition is known to be false: a gate that closes or opens again
 * is no news to whoever acknowledged it.
 */
function mayEnd({ alert, moment }: Turn): boolean {
  return !isAcked(alert) || (moment.known && !moment.holds);
}

/** It fired and resolved without a notice: the next `fired` counts it, and its acknowledgement ends. */
function noteUntold(turn: Turn, firedBefore: number | null): void {
  const { rule, moment } = turn;
  turn.keep({ when: null, spoke: null });
  if (isAcked(turn.alert) && mayEnd(turn)) turn.keep({ acked: null });
  if (moment.happened !== "resolved" || rule.cooldownMs === 0) return;
  const { held } = turn.state;
  const since = held?.since ?? firedBefore ?? moment.date;
  turn.keep({
    held: { count: (held?.count ?? 0) + 1, since, base: null, first: null, last: null },
  });
}

function tellFiring(turn: Turn, parts: Partial<NotificationState>): void {
  const { rule, moment } = turn;
  const evidence = moment.verdict?.evidence() ?? null;
  const value = valueToText(evidence?.value ?? null);
  const { notify: channels } = rule;
  const told = { ...turn.alert, lastNotified: { state: "firing", value, channels } } as const;
  turn.alert = notifiedUnder(rule, told, moment.verdict);
  const unmeasured =
    evidence === null ? null : worstOf(evidence.comparison, evidence.value, evidence.base);
  turn.keep({
    worst: furthest(turn, null) ?? unmeasured,
    reminded: { at: moment.date, count: 0 },
    once: rule.once ? "fired" : null,
    metric: value === null ? null : (evidence?.metric.name ?? null),
    ...parts,
  });
}

/** The extent to notify, beside the one last notified. */
function furthest({ rule, moment, state }: Turn, way: Way | null): NotificationState["worst"] {
  const { verdict } = moment;
  const { worst: told } = state;
  if (rule.worse === null || verdict === null) return told;
  const worst = worstTold(rule, told, verdict.context);
  const now = verdict.extent(worst);
  return now === null ? told : worstAfter(worst, now, way ?? worst?.way ?? now.way);
}

function tellOver(turn: Turn): void {
  const { value } = turn.alert.lastNotified;
  const { once } = turn.state;
  turn.alert = { ...turn.alert, lastNotified: { state: "ok", value, channels: [] } };
  turn.keep({
    worst: null,
    reminded: null,
    once: once === null ? null : "spent",
    when: null,
    spoke: null,
    metric: null,
    acked: null,
  });
}

/** It fires and people know: it may have become worse, or a reminder may be due. */
function notifyOfGoingOn(turn: Turn): void {
  const { rule, alert, moment } = turn;
  const { verdict } = moment;
  if (alert.state !== "firing" || moment.quiet || !moment.known || isAcked(alert)) return;
  const { worst: told, reminded } = turn.state;
  const worst = verdict === null ? null : worstTold(rule, told, verdict.context);
  const now = verdict?.extent(worst) ?? null;
  const way = now && verdict ? worseWay(rule, worst, now, verdict.context) : null;
  if (way !== null) {
    turn.say("worse");
    tellAgain(turn, way, reminded?.count ?? 0);
    return;
  }
  // The notified extent could not be measured; from now on it can. What is over does not say in which direction.
  if (worst === null && now !== null && moment.holds) turn.keep({ worst: worstAfter(null, now) });
  if (!isReminderDue(turn)) return;
  turn.say("reminder");
  tellAgain(turn, null, (reminded?.count ?? 0) + 1);
}

/** `reminders`: how many were sent since the last other notice. */
function tellAgain(turn: Turn, way: Way | null, reminders: number): void {
  addChannels(turn);
  turn.keep({
    worst: furthest(turn, way),
    reminded: { at: turn.moment.date, count: reminders },
  });
}

/** Whoever is notified now must be notified of the end, too. */
function addChannels(turn: Turn): void {
  const { lastNotified } = turn.alert;
  const { channels } = lastNotified;
  const fresh = turn.rule.notify.filter((name) => !channels.includes(name));
  if (fresh.length === 0) return;
  turn.alert = {
    ...turn.alert,
    lastNotified: { ...lastNotified, channels: [...channels, ...fresh] },
  };
}

/** It flaps and people know: no more notices until it has settled. */
function notifyOfFlapping(turn: Turn, firings: NonNullable<NotificationState["firings"]>): void {
  const { rule, alert, moment } = turn;
  if (moment.quiet || !moment.known) return;
  if (!hasSettled(firings, moment.date, rule.flapping)) {
    if (isAcked(alert) || !isRepeatDue(firings, moment.date)) return;
    turn.say("flapping");
    addChannels(turn);
    turn.keep({ firings: flapTold(firings, moment.date) });
    return;
  }
  turn.keep({ firings: { ...firings, on: null } });
  if (!isFiring(alert.state)) {
    if (!mayEnd(turn)) return;
    turn.say("resolved");
    tellOver(turn);
  } else if (!isAcked(alert)) {
    turn.say("steady");
    tellAgain(turn, null, 0);
  }
}

/**
 * Whether a reminder of a firing alert is due: each gap counts from the last notice, and the last gap of the list
 * repeats. However much is overdue, only one reminder is sent.
 */
function isReminderDue({ rule, alert, moment, state }: Turn): boolean {
  const { remind } = rule;
  const { reminded } = state;
  const last = reminded?.at ?? alert.firedAt;
  const gap = remind[Math.min(reminded?.count ?? 0, remind.length - 1)];
  return last !== null && gap !== undefined && moment.date - last >= gap;
}

/** The alert with the comparison it fires for: its end is about the same one, not another term of `any`. */
export function notifiedUnder(rule: Rule, alert: Alert, verdict: Verdict | null): Alert {
  const when = conditionOf(rule);
  if (!holdsAny(rule.when) || verdict === null) {
    const known = notificationStateOf(alert).when === when;
    return known ? alert : withNotificationState(alert, { when });
  }
  const evidence = verdict.evidence(null, lastNotifiedFor(rule, alert));
  const place = evidence === null ? -1 : comparisonsOf(rule.when).indexOf(evidence.comparison);
  return withNotificationState(alert, { when, spoke: place > 0 ? place : null });
}

function holdsAny(condition: Condition, negated = false): boolean {
  switch (condition.op) {
    case "any":
      return true;
    case "all":
      return negated || condition.terms.some((term) => holdsAny(term, negated));
    case "not":
      return holdsAny(condition.term, !negated);
    default:
      return false;
  }
}
