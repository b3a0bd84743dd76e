import type { Alert, Rule } from "../model/index.ts";
import { flapTold, hasSettled, isFlapping, isRepeatDue, withFlap, withTurn } from "./flapping.ts";
import { isFiring, lifeOf, withLife } from "./life.ts";
import { hasBeenMissing, isDueAsMissing } from "./missing.ts";
import type { Moment } from "./moment.ts";
import { type Saying, saying, sayingOfGaps } from "./saying.ts";

type DataMoment = Pick<Moment, "date" | "unanswered" | "quiet">;

/** Whether there is data: what people believe of it, and what is. */
export function speakOfData(
  rule: Rule,
  before: Alert,
  after: Alert,
  moment: DataMoment,
  sayings: Saying[],
): Alert {
  const came = before.missing?.told === true && after.missing === null;
  const gone =
    !moment.unanswered &&
    isDueAsMissing(rule, after, moment.date) &&
    // It fires instead, as soon as its gates let it.
    (rule.onMissing === "keep" || isFiring(after.state));
  const { gaps, blindSince } = lifeOf(after);
  if (gaps !== null && gaps.on !== null) {
    const turned = gone || came ? turnGaps(rule, after, gone, moment.date) : after;
    return speakOfGaps(rule, turned, moment, sayings);
  }
  if (came) return speakOfReturn(before, after, moment, sayings);
  if (blindSince !== null) return speakOfOldGap(rule, after, moment, sayings);
  if (!gone || moment.quiet) return after;
  const counted = withFlap(gaps, moment.date, rule.flapping);
  const flaps = isFlapping(counted, moment.date, rule.flapping);
  sayings.push(flaps ? sayingOfGaps("flapping") : saying("no_data"));
  const next = flaps ? flapTold(counted, moment.date) : counted;
  return withLife(knownMissing(after), { gaps: next, blindTo: rule.notify });
}

/** People know, or will not be told apart, that it has no data. */
function knownMissing(alert: Alert): Alert {
  return alert.missing === null ? alert : { ...alert, missing: { ...alert.missing, told: true } };
}

function turnGaps(rule: Rule, alert: Alert, gone: boolean, date: number): Alert {
  const { gaps } = lifeOf(alert);
  if (!gone) return withLife(alert, { gaps: withTurn(gaps, date) });
  return withLife(knownMissing(alert), { gaps: withFlap(gaps, date, rule.flapping) });
}

/** Its data comes and goes, and people know. */
function speakOfGaps(rule: Rule, alert: Alert, moment: DataMoment, sayings: Saying[]): Alert {
  const { gaps } = lifeOf(alert);
  if (moment.quiet || gaps === null) return alert;
  if (hasSettled(gaps, moment.date, rule.flapping)) {
    // Missing for a moment only it may yet come back: that will be said then.
    if (alert.missing !== null && !alert.missing.told) return alert;
    sayings.push(sayingOfGaps(alert.missing === null ? "data_back" : "steady"));
    return withLife(alert, { gaps: { ...gaps, on: null } });
  }
  if (!isRepeatDue(gaps, moment.date)) return alert;
  sayings.push(sayingOfGaps("flapping"));
  return withLife(alert, { gaps: flapTold(gaps, moment.date) });
}

/** There is data again, and people believe that there is none. */
function speakOfReturn(
  before: Alert,
  after: Alert,
  { quiet }: DataMoment,
  sayings: Saying[],
): Alert {
  if (lifeOf(before).byMissing) {
    // People were told that it fires; if that is over they hear of that.
    if (isFiring(after.state) && after.told.state === "firing" && !quiet) {
      sayings.push(saying("data_back"));
    }
    return after;
  }
  if (quiet) return withLife(after, { blindSince: before.missing?.since ?? null });
  sayings.push(saying("data_back"));
  return after;
}

/** There was data again while nothing could be said of it. */
function speakOfOldGap(rule: Rule, after: Alert, moment: DataMoment, sayings: Saying[]): Alert {
  if (after.missing !== null) {
    // It is gone anew: what people believe has become true again.
    const gone = hasBeenMissing(rule, after, moment.date);
    return gone ? withLife(knownMissing(after), { blindSince: null }) : after;
  }
  if (moment.quiet) return after;
  sayings.push(saying("data_back"));
  return withLife(after, { blindSince: null });
}
