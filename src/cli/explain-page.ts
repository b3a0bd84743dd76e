import { formatBucket, formatTime } from "../base/clock.ts";
import { formatDuration, writtenDuration } from "../base/duration.ts";
import { cleanText, countOf } from "../base/text.ts";
import type { Routing } from "../config/routes/routing.ts";
import { conditionText } from "../decide/condition-tree.ts";
import { hasSettled, isCooling, notificationStateOf } from "../decide/notification-state.ts";
import type { Alert, Rule, Setup } from "../model/index.ts";
import { type Explanation, isOfEntries } from "../ops/explain-facts.ts";
import { answer, clock, heldReason, stateWord } from "../replay/explain/answer.ts";
import type { Part } from "../replay/explain/part.ts";
import type { GateFound, RoundFound, Situation } from "../replay/explain/situation.ts";
import { noticeLines, toldSentence } from "./explain-told.ts";
import { routeLines } from "./routes.ts";

/** So many of its rounds are listed. */
const MOST_ROUNDS = 10;

/** An explanation for people: the sentence, and below it all that it rests on. */
export function explanationPage(
  found: Explanation,
  routing: Routing,
  { groupWaitMs }: Setup,
  now: number,
): string {
  const { situation } = found;
  const { rule, name, at, rounds } = situation;
  const round = rounds.at(-1) ?? null;
  if (situation.unwatched !== null) return answer(situation);
  const sections: (readonly [title: string, lines: readonly string[]])[] = [
    ["Condition", round === null ? [conditionText(rule.when)] : conditionLines(round, situation)],
    ["Rounds", rounds.length > 1 ? roundLines(rounds, situation) : []],
    ["State", stateLines(situation)],
    ["Held back", holdLines(found)],
    ["Routes", routeLines(rule, routing, at)],
    ["Notices", noticeLines(found, groupWaitMs, now)],
    ["Remarks", remarks(found)],
  ];
  return [
    `${rule.name} on ${name} at ${formatTime(at)}`,
    "",
    answer(situation),
    toldSentence(found),
    ...sections.flatMap(([title, lines]) =>
      lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)],
    ),
  ]
    .filter((line) => line !== null)
    .join("\n");
}

function conditionLines(round: RoundFound, situation: Situation): string[] {
  const lines = partLines(round.when, 0);
  const more =
    round.resolveWhen === null ? [] : ["resolve_when:", ...partLines(round.resolveWhen, 1)];
  return [
    `when, in the round of ${clock(situation, round.date)}:`,
    ...lines.map((line) => `  ${line}`),
    ...more,
  ];
}

function partLines(part: Part, depth: number): string[] {
  const indent = "  ".repeat(depth);
  const mark = part.truth.padEnd(7);
  if (part.parts.length > 0) {
    return [
      `${mark} ${indent}${part.text}`,
      ...part.parts.flatMap((one) => partLines(one, depth + 1)),
    ];
  }
  const lines = [`${mark} ${indent}${part.text}`, `        ${indent}  ${part.found}`];
  if (part.window !== null && part.truth !== "unknown") {
    const { ms, knownMs } = part.window;
    lines.push(
      `        ${indent}  ${formatDuration(Math.min(ms, knownMs))} of the last ${formatDuration(ms)} known`,
    );
  }
  return lines;
}

function roundLines(rounds: readonly RoundFound[], situation: Situation): string[] {
  const shown = rounds.slice(-MOST_ROUNDS);
  const more = rounds.length - shown.length;
  const width = Math.max(...shown.map(({ date }) => clock(situation, date).length));
  return [
    ...(more > 0 ? [`${more} more before these`] : []),
    ...shown.map(
      ({ date, truth, when }) =>
        `${clock(situation, date).padEnd(width)}  ${truth.padEnd(7)}  ${when.found}`,
    ),
  ];
}

function stateLines(situation: Situation): string[] {
  const { alert, rule, rounds, lastRound } = situation;
  if (alert === null) return ["not kept"];
  const date = lastRound ?? situation.at;
  const at = (time: number): string => clock(situation, time);
  const { acked, cooling, firings, gaps, once, reminded, held } = notificationStateOf(alert);
  const bucketed = rounds.at(-1)?.bucket ?? null;
  const lines = [
    rule.event
      ? "reports events and has no lasting state"
      : // Before its first bucket an alert counts from the start of the daemon.
        bucketed === null || alert.since % bucketed.ms !== 0
        ? `${stateWord(alert)} since ${at(alert.since)}`
        : `${stateWord(alert)}, counted from ${formatBucket(alert.since, bucketed.ms)}`,
  ];
  if (alert.firedAt !== null)
    lines.push(`fired ${at(alert.firedAt)}, ${formatDuration(date - alert.firedAt)} before`);
  if (alert.state === "pending" && bucketed === null) {
    lines.push(`for: ${writtenDuration(rule.forMs)} ends at ${at(alert.since + rule.forMs)}`);
  }
  if (alert.state === "recovering" && bucketed === null) {
    lines.push(
      `resolve_after: ${writtenDuration(rule.resolveAfterMs)} ends at ${at(alert.since + rule.resolveAfterMs)}`,
    );
  }
  if (alert.missing !== null) {
    const { since, told } = alert.missing;
    const end = told
      ? "people were told"
      : `missing_after: ${writtenDuration(rule.missingAfterMs)} ends at ${at(since + rule.missingAfterMs)}`;
    lines.push(`no value since ${at(since)}; ${end}`);
  }
  lines.push(
    alert.lastNotified.state === "firing"
      ? `people were told that it fires: ${alert.lastNotified.channels.join(", ") || "no channel"}`
      : "people were told of nothing that still goes on",
  );
  if (acked !== null)
    lines.push(
      `acknowledged by ${cleanText(acked.by)} at ${at(acked.at)}: no reminders until it resolves`,
    );
  if (once !== null)
    lines.push(
      once === "spent" ? "completed (once: true)" : "completes when it resolves (once: true)",
    );
  if (cooling !== null && rule.cooldownMs > 0) {
    const end = cooling + rule.cooldownMs;
    lines.push(
      isCooling(rule, alert, date)
        ? `cooldown: ${writtenDuration(rule.cooldownMs)} ends at ${at(end)}`
        : `cooldown: over since ${at(end)}`,
    );
  }
  for (const [what, flaps] of [
    ["fires and resolves", firings],
    ["has data and has none", gaps],
  ] as const) {
    if (flaps === null || flaps.on === null) continue;
    const settled = hasSettled(flaps, date, rule.flapping) ? ", settled by now" : "";
    lines.push(`flapping since ${at(flaps.on.since)}: it ${what} again and again${settled}`);
  }
  if (held !== null) {
    const noun = rule.event ? "event" : "firing";
    lines.push(`${countOf(held.count, noun)} held back since ${at(held.since)}`);
  }
  if (acked === null) lines.push(...remindLines(rule, alert, reminded, at));
  return lines;
}

function remindLines(
  { remind }: Rule,
  alert: Alert,
  reminded: { readonly at: number; readonly count: number } | null,
  at: (time: number) => string,
): string[] {
  const gap = remind[Math.min(reminded?.count ?? 0, remind.length - 1)];
  const last = reminded?.at ?? alert.firedAt;
  if (gap === undefined || last === null || alert.state !== "firing") return [];
  return [`the next reminder is due at ${at(last + gap)}`];
}

/** Gates, silences, mutes and whatever else keeps its notices from people. */
function holdLines({ situation, silences, mutes }: Explanation): string[] {
  const { gates, quietBy, alert } = situation;
  const at = (time: number): string => clock(situation, time);
  const reason = alert === null ? null : heldReason(situation, alert);
  const lines = [
    ...gates.map(({ name, key, fires }) => `gate ${name} (${key}): ${gateState(key, fires)}`),
    ...(reason === null || quietBy !== null ? [] : [reason]),
    ...silences.map(({ id, author, endsAt, comment }) => {
      const why = comment === null ? "" : ` (${cleanText(comment, 80)})`;
      return `silence ${id} by ${cleanText(author)} until ${at(endsAt)}${why}`;
    }),
    ...mutes.map(({ channel, until }) => `${channel} is muted until ${at(until)}`),
  ];
  return lines.length === 0 ? ["by nothing: no gate, cooldown, silence or mute"] : lines;
}

function gateState(key: GateFound["key"], fires: boolean): string {
  if (key === "unless") return fires ? "firing, so notices wait" : "not firing";
  return fires ? "firing, so it is open" : "not firing, so it is closed";
}

function remarks({ situation, edits, editedKeys, outages }: Explanation): string[] {
  const { rule, rounds, lastRound } = situation;
  const [edit] = edits;
  return [
    ...(edit === undefined
      ? []
      : [
          `the rule was edited at ${formatTime(edit.at)}${editedKeys.length === 0 ? "" : ` (${editedKeys.join(", ")})`}: the condition above is that of the rule as it is now`,
        ]),
    ...(isOfEntries(rule)
      ? ["its entries are reported once and are not kept: only the notices show them"]
      : []),
    ...(rounds.length === 0 && lastRound !== null && !isOfEntries(rule)
      ? ["the samples of that time are not kept"]
      : []),
    ...outages.map(
      ({ name, since }) =>
        `no answers since ${formatTime(since)}: ${name}; that was reported as source_down`,
    ),
  ];
}
