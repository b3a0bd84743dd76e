import { formatMoment } from "../base/clock.ts";
import { writtenDuration } from "../base/duration.ts";
import { cleanText, countOf } from "../base/text.ts";
import { isFiring } from "../decide/notification-state.ts";
import type { Explanation } from "../ops/explain-facts.ts";
import { clock, heldReason } from "../replay/explain/answer.ts";
import type { Situation } from "../replay/explain/situation.ts";
import type { PastDelivery } from "../store/operator-db/past.ts";

/** So many notices are listed, the last ones. */
const MOST_NOTICES = 8;
/** So many sends of one message are listed, the last ones. */
const MOST_SENDS = 5;

/** What people were told of it: the second sentence. */
export function toldSentence({ situation, notices, silences, mutes }: Explanation): string | null {
  const { alert, rule } = situation;
  if (alert === null || rule.event) return null;
  const fires = isFiring(alert.state);
  const believed = alert.lastNotified.state === "firing";
  if (!fires && believed) {
    const reason = heldReason(situation, alert);
    return `People were not told that it is over${reason === null ? "" : ` because ${reason}`}.`;
  }
  if (!fires) return null;
  if (!believed) {
    const reason = heldReason(situation, alert);
    return `Nobody was told${reason === null ? " yet" : ` because ${reason}`}.`;
  }
  if (rule.notify.length === 0)
    return "Nobody was told because no route leads to a channel: it notifies nobody.";
  const told = notices.findLast(
    ({ notice }) => FIRING_KINDS.has(notice.kind) && notice.at >= (alert.firedAt ?? 0),
  );
  if (told === undefined)
    return `People were told that it fires (${alert.lastNotified.channels.join(", ")}).`;
  const deliveries = told.deliveries.map((one) =>
    deliveryWords(one, situation, silences.length > 0, mutes),
  );
  return deliveries.length === 0
    ? "Its notice was dropped while it was suppressed."
    : `Its notice of ${clock(situation, told.notice.at)}: ${deliveries.join("; ")}.`;
}

const FIRING_KINDS: ReadonlySet<string> = new Set(["fired", "flapping", "steady"]);

function deliveryWords(
  { channel, state, until, settledAt, error, attempts }: PastDelivery,
  situation: Situation,
  isSilenced: boolean,
  mutes: Explanation["mutes"],
): string {
  const at = (time: number | null): string => (time === null ? "" : clock(situation, time));
  switch (state) {
    case "sent":
      return `${channel} got it at ${at(settledAt)}`;
    case "dead":
      return `${channel} never got it (${cleanText(error ?? "", 120)})`;
    case "retrying":
      return `${channel} has not got it: ${countOf(attempts.length, "send")} failed (${cleanText(error ?? "", 120)}), tried again at ${at(until)}`;
    case "suppressed": {
      const muted = mutes.some((one) => one.channel === channel);
      const by = isSilenced ? " by a silence" : muted ? " by a mute" : "";
      return `${channel}: suppressed${by} until at least ${at(until)}`;
    }
    case "queued":
      return `${channel}: queued`;
  }
}

export function noticeLines(found: Explanation, groupWaitMs: number, now: number): string[] {
  const { notices, situation } = found;
  if (notices.length === 0) return ["none in the 24 hours before"];
  const shown = notices.slice(-MOST_NOTICES);
  const more = notices.length - shown.length;
  const lines = shown.flatMap(({ notice, deliveries }) => [
    `${clock(situation, notice.at)} ${notice.kind}: ${notice.headline}`,
    ...(deliveries.length === 0 ? ["  for nobody, or dropped in a silence or mute"] : []),
    ...deliveries.flatMap((one) => {
      const isGrouped = groupWaitMs > 0 && now - notice.at < 2 * groupWaitMs;
      return deliveryLines(one, found, isGrouped ? writtenDuration(groupWaitMs) : null);
    }),
  ]);
  return more > 0 ? [`${more} more before these`, ...lines] : lines;
}

/** `grouped`: how long it may wait for others; null: it does not any more. */
function deliveryLines(one: PastDelivery, found: Explanation, grouped: string | null): string[] {
  const { channel, state, attempts } = one;
  const shown = attempts.slice(-MOST_SENDS);
  const more = attempts.length - shown.length;
  const isPlain = attempts.length === 1 && state === "sent" && attempts[0]?.answer === null;
  const sends = shown.map(({ number, at, outcome, answer: said }) => {
    const back = said === null ? "" : `: ${cleanText(said, LONGEST_ANSWER)}`;
    return `    send ${number} ${timeOfDay(at)} ${outcome}${back}`;
  });
  return [
    `  ${channel}: ${state}${deliveryTail(one, found, grouped)}`,
    ...(more > 0 ? [`    ${countOf(more, "send")} before these`] : []),
    ...(isPlain ? [] : sends),
  ];
}

const LONGEST_ANSWER = 120;

function timeOfDay(time: number | null): string {
  return time === null ? "" : (formatMoment(time).split(" ")[1] ?? "");
}

function deliveryTail(
  { channel, state, until, settledAt, error, message }: PastDelivery,
  { stuck }: Explanation,
  grouped: string | null,
): string {
  switch (state) {
    case "sent":
      return ` ${timeOfDay(settledAt)}`;
    case "dead":
      return ` since ${timeOfDay(settledAt)}: ${cleanText(error ?? "", LONGEST_ANSWER)}`;
    case "retrying":
      return `, next try ${timeOfDay(until)}`;
    case "suppressed":
      return ` until at least ${timeOfDay(until)}`;
    case "queued": {
      const before = stuck.get(channel);
      if (before !== undefined && before.id !== message) {
        const why = cleanText(before.error ?? "", LONGEST_ANSWER);
        return ` behind message ${before.id}, sent ${countOf(before.sends, "time")} in vain: ${why}`;
      }
      return grouped === null ? "" : `: it waits up to ${grouped} for others (group_wait)`;
    }
  }
}
