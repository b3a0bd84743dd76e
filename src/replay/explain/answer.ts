import { formatBucket, formatMoment, formatTime, timeBeside } from "../../base/clock.ts";
import { formatDuration, writtenDuration } from "../../base/duration.ts";
import { comparisonsOf, lookBackOf } from "../../decide/condition-tree.ts";
import {
  hasSettled,
  isCompleted,
  isCooling,
  isFiring,
  notificationStateOf,
} from "../../decide/notification-state.ts";
import type { Alert, Condition } from "../../model/index.ts";
import type { RoundFound, Situation } from "./situation.ts";

/** The sentence on top: why the alert is, or was, in its state. */
export function answer(situation: Situation): string {
  const { rule, unwatched, rounds, lastRound, alert, at } = situation;
  if (unwatched !== null) return notWatched(situation, unwatched);
  if (lastRound === null)
    return `Nothing is known: no round of ${rule.name} is recorded ${byThen(situation)}.`;
  if (at > rule.schedule.third(lastRound)) return notRunning(situation, lastRound);
  const round = rounds.at(-1);
  if (situation.isOfEntries && alert !== null) return ofEntries(situation, alert, lastRound);
  if (alert === null)
    return `Nothing is known of it at ${clock(situation, lastRound)}: that is not kept.`;
  if (round === undefined || round.date !== lastRound)
    return withoutRound(situation, alert, lastRound);
  if (rule.event) return ofEvents(situation, round, alert);
  if (isCompleted(alert)) {
    return `It ${tense(situation, "cannot", "could not")} fire: it has completed (once: true). \`tickwatch rearm\` lets it fire again.`;
  }
  return isFiring(alert.state)
    ? whyFiring(situation, round, alert)
    : whyNot(situation, round, alert);
}

/** A time of the day that is asked about, or with its date another one. */
export function clock({ at }: Pick<Situation, "at">, time: number): string {
  return timeBeside(time, at);
}

function tense({ isNow }: Situation, now: string, then: string): string {
  return isNow ? now : then;
}

function byThen({ isNow, at }: Situation): string {
  return isNow ? "yet" : `by ${formatTime(at)}`;
}

function notWatched(
  situation: Situation,
  { since, until }: NonNullable<Situation["unwatched"]>,
): string {
  const { rule, name, at } = situation;
  const what = `${rule.name} did not watch ${name} at ${formatMoment(at)}`;
  if (since !== null) return `${what}: it began at ${formatMoment(since)}.`;
  return until === null ? `${what}.` : `${what}: it was removed at ${formatMoment(until)}.`;
}

/** The daemon had no round of the rule for more than three intervals. */
function notRunning(situation: Situation, lastRound: number): string {
  const { rule, nextRound, alert, isNow, at } = situation;
  const last = clock(situation, lastRound);
  const next = nextRound === null ? "" : ` and the next at ${clock(situation, nextRound)}`;
  const state = alert === null ? "" : ` It was ${stateWord(alert)} then.`;
  return isNow
    ? `Nothing is decided: the last round of ${rule.name} was at ${last}, ${formatDuration(at - lastRound)} ago. Is the daemon running?${state}`
    : `Nothing was decided at ${clock(situation, at)}: the last round of ${rule.name} before it was at ${last}${next}.${state}`;
}

/** What it told last, and what waits: of the entries themselves nothing is kept. */
function ofEntries(situation: Situation, alert: Alert, lastRound: number): string {
  const { cooling, held } = notificationStateOf(alert);
  const when = clock(situation, lastRound);
  const last =
    cooling === null
      ? "It has told of nothing yet"
      : `It told last at ${clock(situation, cooling)}`;
  if (held !== null) return `${last}.${waitingWords(situation, alert)}`;
  if (alert.missing !== null) return `${last}; at ${when} its list could not be read.`;
  return cooling === lastRound
    ? `It told at ${when} of what was new.`
    : `${last}: until ${when} nothing new met its condition.`;
}

/** The round left no sample of it: there was no value, or what there was is not kept. */
function withoutRound(situation: Situation, alert: Alert, lastRound: number): string {
  const when = clock(situation, lastRound);
  const head = isFiring(alert.state)
    ? `It ${tense(situation, "has been", "was")} firing since ${clock(situation, alert.firedAt ?? alert.since)}`
    : tense(situation, "It is not firing", `It did not fire at ${when}`);
  return `${head}; of the round of ${when} no value is recorded.`;
}

export function stateWord({ state }: Alert): string {
  return state === "ok" ? "not firing" : state;
}

function ofEvents(situation: Situation, round: RoundFound, alert: Alert): string {
  const when = clock(situation, round.date);
  const waits = waitingWords(situation, alert);
  if (round.truth === "true") {
    return situation.closedBy === null
      ? `It reported an event at ${when}: ${round.when.found}.${waits}`
      : `It reported no event at ${when} because ${gateWords(situation)}.${waits}`;
  }
  if (round.truth === "unknown")
    return `It could not tell at ${when}: ${unknownWords(round)}.${waits}`;
  return `It reported no event at ${when}: ${round.when.found}.${waits}`;
}

/** ` 3 events since 12:04 wait to be told because …`; empty: none do. */
function waitingWords(situation: Situation, alert: Alert): string {
  const { held } = notificationStateOf(alert);
  if (held === null) return "";
  const events = held.count === 1 ? "One event" : `${held.count} events`;
  const wait = held.count === 1 ? "waits" : "wait";
  return ` ${events} since ${clock(situation, held.since)} ${wait} to be told${heldBack(situation, alert)}.`;
}

function gateWords({ closedBy }: Situation): string {
  return `its gate ${closedBy ?? ""} (only_while) was closed: it did not fire there`;
}

function unknownWords({ when, trouble }: RoundFound): string {
  return when.found.includes("had no value") || trouble === null
    ? when.found
    : `${when.found} (${trouble})`;
}

/** What keeps notices of a firing alert from people, as ` because …`; empty: nothing does. */
function heldBack(situation: Situation, alert: Alert): string {
  const reason = heldReason(situation, alert);
  return reason === null ? "" : ` because ${reason}`;
}

/** Why people are not told of what there is to tell; null: no reason of the alert's own. */
export function heldReason(situation: Situation, alert: Alert): string | null {
  const { rule, quietBy, lastRound } = situation;
  const date = lastRound ?? situation.at;
  const { cooling, firings } = notificationStateOf(alert);
  if (rule.notify.length === 0) return "no route leads to a channel: it notifies nobody";
  if (quietBy !== null) return `${quietBy} (unless) ${tense(situation, "is", "was")} firing`;
  if (firings !== null && firings.on !== null && !hasSettled(firings, date, rule.flapping)) {
    return `it ${tense(situation, "is", "was")} flapping: that was told at ${clock(situation, firings.on.told)}, and nothing more until it settles`;
  }
  if (cooling !== null && isCooling(rule, alert, date)) {
    const end = cooling + rule.cooldownMs;
    return `its cooldown of ${writtenDuration(rule.cooldownMs)} ${tense(situation, "lasts", "lasted")} until ${clock(situation, end)}`;
  }
  return null;
}

function whyFiring(situation: Situation, round: RoundFound, alert: Alert): string {
  const fired = alert.firedAt ?? alert.since;
  const isFresh = fired === round.date;
  const { byMissing } = notificationStateOf(alert);
  const when = clock(situation, round.date);
  if (byMissing) {
    const since = alert.missing === null ? "" : ` since ${clock(situation, alert.missing.since)}`;
    return `It ${tense(situation, "is", "was")} firing since ${clock(situation, fired)} because it had no data${since} (on_missing: fire).`;
  }
  const head = isFresh
    ? `It fired at ${when}`
    : `It ${tense(situation, "has been", "was")} firing since ${clock(situation, fired)}`;
  if (alert.state === "recovering") return recovering(situation, round, alert, head);
  if (round.truth === "true") {
    const { forMs } = situation.rule;
    const held =
      isFresh && forMs > 0 && alert.createdAt < fired
        ? `, for ${writtenDuration(forMs)} by then`
        : "";
    return isFresh
      ? `${head} because ${round.when.found}${held}.`
      : `${head}, and goes on because at ${when} ${round.when.found}.`.replace(
          "goes on",
          tense(situation, "goes on", "went on"),
        );
  }
  if (round.truth === "unknown") {
    return `${head}; at ${when} nothing was known (${unknownWords(round)}), which changes no state.`;
  }
  if (round.resolveWhen !== null && round.resolveWhen.truth !== "true") {
    return `${head}: its condition is over (${round.when.found}), but \`resolve_when\` is not true: ${round.resolveWhen.found}.`;
  }
  return `${head}; at ${when} ${round.when.found}.`;
}

function recovering(situation: Situation, round: RoundFound, alert: Alert, head: string): string {
  const { resolveAfterMs } = situation.rule;
  const wait = writtenDuration(resolveAfterMs);
  if (round.bucket !== null) {
    return `${head} and recovers: ${round.when.found}; \`resolve_after: ${wait}\` is not over.`;
  }
  const end = clock(situation, alert.since + resolveAfterMs);
  return `${head} and recovers since ${clock(situation, alert.since)}: ${round.when.found}. \`resolve_after: ${wait}\` ends at ${end}.`;
}

function whyNot(situation: Situation, round: RoundFound, alert: Alert): string {
  const when = clock(situation, round.date);
  const { change, closedBy } = situation;
  const not = tense(situation, "It is not firing", `It did not fire at ${when}`);
  const because = `because ${situation.isNow ? `at ${when} ` : ""}`;
  if (
    change !== null &&
    change.at === round.date &&
    change.alert.state !== "pending" &&
    hadFired(situation)
  ) {
    return `It resolved at ${when} because ${endWords(situation, round)}.`;
  }
  const { backfilledAt, rule } = situation;
  if (backfilledAt !== null && round.date < backfilledAt && holdsWindow(rule.when)) {
    return `${not} because${situation.isNow ? ` at ${when}` : ""} its window was not known yet: it was filled from the service's history at ${clock(situation, backfilledAt)}.`;
  }
  if (round.truth === "unknown") {
    return `${not} because nothing could be decided${situation.isNow ? ` at ${when}` : ""}: ${unknownWords(round)}.`;
  }
  if (round.truth === "true" && closedBy !== null) return `${not} because ${gateWords(situation)}.`;
  const timer = forWords(situation, round, alert);
  if (timer !== null) return `${not} ${because}${timer}.`;
  if (round.truth === "true") {
    return `${not}, though at ${when} ${round.when.found}.`;
  }
  return `${not} ${because}${round.when.found}.`;
}

/** Whether a condition looks at the past over a window. */
function holdsWindow(condition: Condition): boolean {
  return comparisonsOf(condition).some((comparison) => lookBackOf(comparison) > 0);
}

/** The alert fired until this round. */
function hadFired({ change, alert }: Situation): boolean {
  return change !== null && alert !== null && change.alert.firedAt === null && wasEnd(change.alert);
}

/** A state that was entered from firing keeps what people were told of that. */
function wasEnd({ lastNotified, state }: Alert): boolean {
  return state === "ok" && lastNotified.state === "ok" && lastNotified.value !== null;
}

function endWords(situation: Situation, round: RoundFound): string {
  if (situation.closedBy !== null) return gateWords(situation);
  const { resolveWhen } = round;
  return resolveWhen === null || resolveWhen.truth !== "true"
    ? round.when.found
    : `${round.when.found}, and \`resolve_when\` was true: ${resolveWhen.found}`;
}

/** How far `for` had come; null: it is no reason. */
function forWords(situation: Situation, round: RoundFound, alert: Alert): string | null {
  const { rule, rounds } = situation;
  if (rule.forMs === 0) return null;
  const wait = writtenDuration(rule.forMs);
  if (round.bucket !== null) {
    if (round.truth !== "true") return null;
    const { start, ms, trueMs } = round.bucket;
    return `up to ${formatBucket(start, ms)} it was true for ${writtenDuration(trueMs)} of the ${wait} that \`for\` needs: ${round.when.found}`;
  }
  const needed = rounds.filter(({ date }) => date >= round.date - rule.forMs);
  const failing = needed.filter(({ truth }) => truth === "false");
  const last = failing.at(-1);
  const holds = needed.length - failing.length;
  if (last !== undefined && holds > 0) {
    const dates =
      failing.length <= MOST_DATES
        ? ` (${failing.map(({ date }) => clock(situation, date)).join(", ")})`
        : "";
    return `${last.when.found}, in ${failing.length} of the ${needed.length} rounds that \`for: ${wait}\` needs${dates}`;
  }
  if (round.truth !== "true") return null;
  const since =
    alert.state === "pending"
      ? alert.since
      : (needed.find(({ truth }) => truth === "true")?.date ?? round.date);
  const end = clock(situation, since + rule.forMs);
  return `\`for: ${wait}\` was not over: ${round.when.found} since ${clock(situation, since)}, for ${formatDuration(round.date - since)}. It fires at ${end} if that lasts`;
}

const MOST_DATES = 3;
