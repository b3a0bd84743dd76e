import type { Alert, AlertLife, Comparison, Rule, Way } from "../model/index.ts";
import { comparisonsOf, conditionOf } from "./condition-tree.ts";
import { findEvidence } from "./evidence.ts";
import { measure } from "./extent.ts";
import { flapTold, hasSettled, isFlapping, isRepeatDue } from "./flapping.ts";
import { isAcked, isFiring, lifeOf, withLife } from "./life.ts";
import { holdsAny, type Moment, type Saying, type SayingKind, saying } from "./saying.ts";
import { isCooling } from "./speak-of-events.ts";
import { valueToText } from "./watched.ts";
import type { Scene } from "./windows/sight.ts";
import { worseWay, worstAfter, worstOf, worstTold } from "./worse.ts";

/** Whether it fires: what people believe of it, and what is. */
export function speakOfFiring(
  rule: Rule,
  before: Alert,
  after: Alert,
  moment: Moment,
  sayings: Saying[],
): Alert {
  const { firings } = lifeOf(after);
  if (firings !== null && firings.on !== null) return speakOfFlapping(rule, after, moment, sayings);
  const fires = isFiring(after.state);
  const believed = after.told.state === "firing";
  if (fires === believed) {
    return fires
      ? speakOfGoingOn(rule, after, moment, sayings)
      : countUntold(rule, before, withoutAck(after, moment), moment);
  }
  if (moment.quiet || !isCertain(after, moment)) return after;
  if (!fires) {
    if (!mayEnd(after, moment)) return after;
    sayings.push(saying("resolved"));
    return tellOver(after);
  }
  if (isFlapping(firings, moment.date, rule.flapping)) {
    sayings.push(saying("flapping"));
    const told = tellFiring(rule, after, moment, { once: rule.once ? "fired" : null });
    return withLife(told, { firings: flapTold(firings, moment.date), worst: null });
  }
  if (isCooling(rule, after, moment.date)) return after;
  sayings.push(saying("fired", lifeOf(after).held));
  return tellFiring(rule, after, moment, {
    held: null,
    cooling: moment.date,
    once: rule.once ? "fired" : null,
  });
}

/** What was held back is told in a round that knows, or it would be told without its numbers. */
function isCertain(alert: Alert, { known, happened }: Moment): boolean {
  return known || happened !== null || lifeOf(alert).byMissing;
}

/**
 * An alert that somebody looks after is over only once its condition is known to be false: that a gate
 * has closed is no news to him, nor that it opens again.
 */
function mayEnd(alert: Alert, { known, holds }: Moment): boolean {
  return !isAcked(alert) || (known && !holds);
}

/** What came and went while nobody was told needs nobody to look after it any more. */
function withoutAck(alert: Alert, moment: Moment): Alert {
  return isAcked(alert) && mayEnd(alert, moment) ? withLife(alert, { acked: null }) : alert;
}

/** It came and went and nobody was told: the next `fired` counts it. */
function countUntold(rule: Rule, before: Alert, after: Alert, moment: Moment): Alert {
  if (moment.happened !== "resolved" || rule.cooldownMs === 0) return after;
  const { held } = lifeOf(after);
  const since = held?.since ?? before.firedAt ?? moment.date;
  const next = { count: (held?.count ?? 0) + 1, since, base: null, first: null, last: null };
  return withLife(after, { held: next });
}

function tellFiring(rule: Rule, alert: Alert, moment: Moment, parts: Partial<AlertLife>): Alert {
  const evidence = moment.scene === null ? null : findEvidence(rule.when, moment.scene);
  const value = valueToText(evidence?.value ?? null);
  const told = { ...alert, told: { state: "firing", value, channels: rule.notify } } as const;
  const unmeasured = evidence === null ? null : worstOf(evidence);
  return withLife(spokenUnder(rule, told, moment.scene), {
    worst: furthest(rule, told, moment, null) ?? unmeasured,
    reminded: { at: moment.date, count: 0 },
    ...parts,
  });
}

/** What is told of how far it has gone, beside what was told before. */
function furthest(
  rule: Rule,
  alert: Alert,
  { scene }: Pick<Moment, "scene">,
  way: Way | null,
): AlertLife["worst"] {
  const { worst: told } = lifeOf(alert);
  if (rule.worse === null || scene === null) return told;
  const worst = worstTold(rule, told, scene);
  const now = measure(rule, scene, worst);
  return now === null ? told : worstAfter(worst, now, way ?? worst?.way ?? now.way);
}

function tellOver(alert: Alert): Alert {
  const { value } = alert.told;
  const { once } = lifeOf(alert);
  const told = { ...alert, told: { state: "ok", value, channels: [] } } as const;
  return withLife(told, {
    worst: null,
    reminded: null,
    once: once === null ? null : "spent",
    when: null,
    spoke: null,
    acked: null,
  });
}

/** It fires, as people know: it may have become worse, or be time to say it again. */
function speakOfGoingOn(rule: Rule, alert: Alert, moment: Moment, sayings: Saying[]): Alert {
  if (alert.state !== "firing" || moment.quiet || !moment.known || isAcked(alert)) return alert;
  const { date, scene } = moment;
  const worst = scene === null ? null : worstTold(rule, lifeOf(alert).worst, scene);
  const now = scene === null ? null : measure(rule, scene, worst);
  const way = now === null || scene === null ? null : worseWay(rule, worst, now, scene);
  // What people were told of could not be measured: from here on it is.
  if (way === null && worst === null && now !== null) {
    return remindOf(rule, withLife(alert, { worst: worstAfter(null, now) }), moment, sayings);
  }
  if (way === null) return remindOf(rule, alert, moment, sayings);
  sayings.push(saying("worse"));
  const { reminded } = lifeOf(alert);
  return tellAgain(rule, alert, {
    worst: furthest(rule, alert, moment, way),
    reminded: { at: date, count: reminded?.count ?? 0 },
  });
}

function remindOf(rule: Rule, alert: Alert, moment: Moment, sayings: Saying[]): Alert {
  if (!isReminderDue(rule, alert, moment.date)) return alert;
  sayings.push(saying("reminder"));
  const count = (lifeOf(alert).reminded?.count ?? 0) + 1;
  return tellAgain(rule, alert, {
    worst: furthest(rule, alert, moment, null),
    reminded: { at: moment.date, count },
  });
}

/** Whoever hears of it now must hear that it ends, too. */
function tellAgain(rule: Rule, alert: Alert, parts: Partial<AlertLife>): Alert {
  const { told } = alert;
  const fresh = rule.notify.filter((name) => !told.channels.includes(name));
  const next =
    fresh.length === 0
      ? alert
      : { ...alert, told: { ...told, channels: [...told.channels, ...fresh] } };
  return withLife(next, parts);
}

/** It fires and resolves again and again, and people know: nothing more until it has settled. */
function speakOfFlapping(rule: Rule, alert: Alert, moment: Moment, sayings: Saying[]): Alert {
  const { firings } = lifeOf(alert);
  if (firings === null || moment.quiet || !moment.known) return alert;
  const say = (kind: SayingKind): void => void sayings.push(saying(kind));
  if (!hasSettled(firings, moment.date, rule.flapping)) {
    if (isAcked(alert) || !isRepeatDue(firings, moment.date)) return alert;
    say("flapping");
    return withLife(tellAgain(rule, alert, {}), { firings: flapTold(firings, moment.date) });
  }
  const settled = withLife(alert, { firings: { ...firings, on: null } });
  if (!isFiring(alert.state)) {
    if (!mayEnd(alert, moment)) return settled;
    say("resolved");
    return tellOver(settled);
  }
  if (isAcked(alert)) return settled;
  say("steady");
  return tellAgain(rule, settled, {
    worst: furthest(rule, settled, moment, null),
    reminded: { at: moment.date, count: 0 },
  });
}

/**
 * Whether people are to be reminded of a firing alert: the gap counts from what they were told last,
 * and the last gap of the list goes on. However much is overdue, that is one reminder.
 */
function isReminderDue({ remind }: Rule, alert: Alert, date: number): boolean {
  if (remind.length === 0 || alert.state !== "firing") return false;
  const { reminded } = lifeOf(alert);
  const last = reminded?.at ?? alert.firedAt;
  const gap = remind[Math.min(reminded?.count ?? 0, remind.length - 1)];
  return last !== null && gap !== undefined && date - last >= gap;
}

/** The alert with what it is known to fire for: its end speaks of the same, and no other term of `any`. */
export function spokenUnder(rule: Rule, alert: Alert, scene: Scene | null): Alert {
  const when = conditionOf(rule);
  if (!holdsAny(rule.when) || scene === null) {
    return lifeOf(alert).when === when ? alert : withLife(alert, { when });
  }
  const evidence = findEvidence(rule.when, scene, null, lastSpoken(rule, alert));
  const place = evidence === null ? -1 : comparisonsOf(rule.when).indexOf(evidence.comparison);
  return withLife(alert, { when, spoke: place > 0 ? place : null });
}

/** What it was last known to fire for; null: that is not known, or the rule was edited. */
export function lastSpoken(rule: Rule, alert: Alert): Comparison | null {
  const { when, spoke } = lifeOf(alert);
  if (spoke === null || spoke === undefined || when !== conditionOf(rule)) return null;
  return comparisonsOf(rule.when)[spoke] ?? null;
}
