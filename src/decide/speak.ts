import type { Alert, Rule } from "../model/index.ts";
import { withFlap, withoutStale, withTurn } from "./flapping.ts";
import type { GateView } from "./gates.ts";
import { isAtRest, isFiring, lifeOf, withLife } from "./life.ts";
import type { Moment } from "./moment.ts";
import type { Saying } from "./saying.ts";
import { speakOfData } from "./speak-of-data.ts";
import { speakOfEvent } from "./speak-of-events.ts";
import { speakOfFiring } from "./speak-of-firings.ts";
import { firesWithoutData, fireWithoutData } from "./transition.ts";

export interface Spoken {
  readonly alert: Alert;
  readonly sayings: readonly Saying[];
}

const NOTHING: readonly Saying[] = [];

/**
 * What people are to be told: the difference between what they were told and what is, as far as
 * nothing holds it back. That is all that holding back means: whatever keeps an alert quiet, its notices
 * wait, and once nothing does the difference that is left is told. `before`: the alert before the
 * round; `after`: as the round left it, nobody told yet. Pure.
 */
export function speak(rule: Rule, before: Alert, after: Alert, moment: Moment): Spoken {
  if (moment.happened === null && hasNothingToSay(rule, before, after)) {
    return { alert: after, sayings: NOTHING };
  }
  const sayings: Saying[] = [];
  const noted = note(rule, after, moment);
  const asked = withoutGap(speakOfData(rule, before, noted, moment, sayings));
  const heard = sayings.length > 0 ? reminded(asked, moment.date) : asked;
  const alert = rule.event
    ? speakOfEvent(rule, heard, moment, sayings)
    : speakOfFiring(rule, before, heard, moment, sayings);
  return { alert, sayings };
}

/** So it is of nearly all alerts in nearly all rounds, unless something happened in this one. */
export function hasNothingToSay(rule: Rule, before: Alert, after: Alert): boolean {
  if (!isAtRest(after)) return false;
  if (after.missing !== null || before.missing !== null) return false;
  if (isFiring(after.state) !== (after.told.state === "firing")) return false;
  return after.state !== "firing" || (rule.remind.length === 0 && rule.worse === null);
}

/** Whatever is told of an alert that fires says that it does: the next reminder counts from there. */
function reminded(alert: Alert, date: number): Alert {
  if (alert.told.state !== "firing") return alert;
  const { reminded: last } = lifeOf(alert);
  return withLife(alert, { reminded: { at: date, count: last?.count ?? 0 } });
}

/** What must be remembered whether or not anything is said: the firings, to know that it flaps. */
function note(rule: Rule, alert: Alert, { date, happened }: Moment): Alert {
  const { firings, gaps } = lifeOf(alert);
  const turned =
    happened === "fired"
      ? withFlap(firings, date, rule.flapping)
      : happened === "resolved"
        ? withTurn(firings, date)
        : firings;
  return withLife(alert, {
    firings: withoutStale(turned, date, rule.flapping),
    gaps: withoutStale(gaps, date, rule.flapping),
  });
}

/** Nobody believes any more that it has no data, once there is some and that was said. */
function withoutGap(alert: Alert): Alert {
  const { blindTo, blindSince, gaps } = lifeOf(alert);
  if (blindTo === null || blindSince !== null || alert.missing !== null) return alert;
  return gaps !== null && gaps.on !== null ? alert : withLife(alert, { blindTo: null });
}

/**
 * What is to be told of an alert whose request failed, once the end of the round has shown that its
 * source is not down: as if the answer had been without it.
 */
export function speakOfMissing(rule: Rule, alert: Alert, date: number, gates: GateView): Spoken {
  const fires = !rule.event && firesWithoutData(rule, alert, { date, closedBy: gates.closedBy });
  return speak(rule, alert, fires ? fireWithoutData(alert, date) : alert, {
    date,
    happened: fires ? "fired" : null,
    known: false,
    holds: false,
    unanswered: false,
    quiet: gates.quiet,
    scene: null,
  });
}
