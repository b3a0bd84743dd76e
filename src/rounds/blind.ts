import type { AlertEvent } from "../engine/event.ts";
import { viewOf } from "../engine/gates.ts";
import { isSpent } from "../engine/life.ts";
import { isDueAsMissing } from "../engine/missing.ts";
import type { Saying } from "../engine/saying.ts";
import { speakOfMissing } from "../engine/speak.ts";
import { composeAlert, composePlain } from "../engine/words/notice.ts";
import { composeSource } from "../engine/words/source-notice.ts";
import type { Alert, Ask, Failure, Notice, Rule } from "../model.ts";
import type { AlertMemory, Memory, RuleMemory } from "./memory.ts";
import type { Telling } from "./notices.ts";
import { SOURCE_RULE } from "./source-rule.ts";

/** How a round fared with one kind of record. */
export interface RecordTally {
  answered: number;
  /** Requests that got no answer, for reasons that lie with the source. */
  failed: number;
  /** The first such reason, in clean words. */
  detail: string | null;
  /** Every reason with how often it came, and the first ask that met it. */
  readonly reasons: Map<
    Failure["reason"],
    { count: number; readonly ask: string; readonly detail: string }
  >;
}

export type Tallies = ReadonlyMap<Ask["record"], RecordTally>;

/** What the end of a round tells of alerts whose requests failed, and of their sources. */
export interface Blindness {
  readonly alerts: readonly { readonly memory: AlertMemory; readonly alert: Alert }[];
  readonly sources: readonly Alert[];
  readonly tellings: readonly Telling[];
}

/**
 * Whether to speak of alerts that have had no value for long enough because their requests failed.
 * If nothing of that record was answered in the round, the source is told once and the alerts are
 * not; if others were answered, each alert is told by itself.
 */
export function judgeBlindness(
  rules: readonly RuleMemory[],
  date: number,
  tallies: Tallies,
  memory: Memory,
  selfChannels: readonly string[],
): Blindness {
  const alerts: { memory: AlertMemory; alert: Alert }[] = [];
  const tellings: Telling[] = [];
  const due = new Map<Ask["record"], number>();
  for (const rule of rules) {
    for (const one of rule.alerts) {
      const { alert, unanswered } = one;
      if (alert === null || unanswered === null || isSpent(alert)) continue;
      if (!isDueAsMissing(rule.rule, alert, date)) continue;
      if (isDown(unanswered.record, rule.rule, date, tallies, memory)) {
        const since = alert.missing?.since ?? date;
        due.set(unanswered.record, Math.min(due.get(unanswered.record) ?? date, since));
        continue;
      }
      if (isReturning(unanswered.record, rule, tallies, memory)) continue;
      const gates = viewOf(one.gates, date, (gate) => gate.alert);
      const { alert: next, sayings } = speakOfMissing(rule.rule, alert, date, gates);
      if (next === alert) continue;
      alerts.push({ memory: one, alert: next });
      if (rule.rule.notify.length === 0) continue;
      for (const saying of sayings) {
        const notice = composed(blindEvent(one, alert, next, date, saying));
        tellings.push({ notice, channels: rule.rule.notify });
      }
    }
  }
  const sources: Alert[] = [];
  // A key that is refused is one trouble, however many kinds of records it is refused for.
  let keyTold = [...memory.sources.values()].some(isKeyRefused);
  for (const [record, since] of due) {
    const old = memory.sources.get(record);
    if (old?.state === "firing") continue;
    const keyRefused = refusesKey(tallies.get(record));
    const channels = keyRefused && keyTold ? [] : selfChannels;
    const heldAt = old?.heldAt ?? null;
    sources.push(sourceAlert(record, "firing", since, heldAt, channels, keyRefused));
    keyTold ||= keyRefused;
    // What is asked in other rounds is refused as well, unless it is down for another reason.
    const isBlind = (other: Ask["record"]): boolean => {
      const known = memory.sources.get(other);
      return other === record || (keyRefused && (known?.state !== "firing" || isKeyRefused(known)));
    };
    const blind = blindBy(isBlind, memory);
    const detail = tallies.get(record)?.detail ?? null;
    const about = { record, keyRefused, at: date, since, ...blind, detail };
    tellings.push({ notice: composeSource({ kind: "source_down", ...about }), channels });
  }
  for (const [record, { answered }] of tallies) {
    if (answered === 0) continue;
    const old = memory.sources.get(record);
    const heldAt = Math.max(date, old?.heldAt ?? date);
    const quiet = old?.state === "ok" ? old.since : date;
    sources.push(sourceAlert(record, "ok", quiet, heldAt, [], false));
    if (old?.state !== "firing") continue;
    const event = {
      kind: "source_up",
      record,
      keyRefused: isKeyRefused(old),
      at: date,
      since: old.since,
      rules: 0,
      alerts: 0,
    } as const;
    const notice = composeSource({ ...event, detail: null });
    tellings.push({ notice, channels: old.told.channels });
  }
  return { alerts, sources, tellings: tellings.filter(({ channels }) => channels.length > 0) };
}

/**
 * The source answered nothing in the rule's last round, nor since: it is only coming back, and what it
 * has not answered yet may be next. Whatever is still without a value then is told by itself. One that
 * has refused all that it was asked in this round is not coming back: it works, and the ids are told of.
 */
function isReturning(
  record: Ask["record"],
  { state }: RuleMemory,
  tallies: Tallies,
  memory: Memory,
): boolean {
  const tally = tallies.get(record);
  if (tally !== undefined && tally.answered + tally.failed === 0) return false;
  const answered = memory.sources.get(record)?.heldAt ?? null;
  return answered === null || (state.lastRound !== null && answered < state.lastRound);
}

/** A notice that cannot be composed in full must not keep the round from being closed. */
function composed(event: AlertEvent): Notice {
  try {
    return composeAlert(event, []);
  } catch {
    return composePlain(event);
  }
}

/**
 * Nothing of the record was answered, and not because of the ids that were asked for: in this round
 * nor, while the rule was patient, in those of other rules. A subject that trips the source and is
 * polled alone would else be an outage that is over in the next round of the others.
 */
export function isDown(
  record: Ask["record"],
  rule: Rule,
  date: number,
  tallies: Tallies,
  memory: Memory,
): boolean {
  const tally = tallies.get(record);
  if (tally === undefined || tally.answered > 0 || tally.failed === 0) return false;
  const answered = memory.sources.get(record)?.heldAt ?? null;
  return answered === null || date - answered >= rule.missingAfterMs;
}

function blindEvent(
  one: AlertMemory,
  before: Alert,
  after: Alert,
  at: number,
  { kind, about, held }: Saying,
): AlertEvent {
  return {
    kind,
    rule: one.watched.rule,
    subject: one.subject,
    at,
    before,
    after,
    evidence: null,
    also: [],
    bucket: null,
    description: null,
    decimals: () => null,
    closed: false,
    trouble: one.unanswered?.detail ?? null,
    more: { about, held, still: null, byMissing: kind === "fired" },
  };
}

/** Whether nothing but the key is why a record was not answered. */
function refusesKey(tally: RecordTally | undefined): boolean {
  return tally !== undefined && tally.reasons.size === 1 && tally.reasons.has("unauthorized");
}

/** What the alert of a source says of its trouble, where that is the key. */
const KEY_REFUSED = "key refused";

function isKeyRefused({ state, told }: Alert): boolean {
  return state === "firing" && told.value === KEY_REFUSED;
}

function blindBy(
  isBlind: (record: Ask["record"]) => boolean,
  memory: Memory,
): { rules: number; alerts: number } {
  const counts = memory.rules.map(
    ({ alerts }) =>
      alerts.filter(
        ({ alert, unanswered }) =>
          unanswered !== null && isBlind(unanswered.record) && (alert === null || !isSpent(alert)),
      ).length,
  );
  return {
    rules: counts.filter((count) => count > 0).length,
    alerts: counts.reduce((sum, count) => sum + count, 0),
  };
}

/** A source's state is kept as an alert of the daemon's own; `heldAt`: when it answered last. */
function sourceAlert(
  record: Ask["record"],
  state: "ok" | "firing",
  since: number,
  heldAt: number | null,
  channels: readonly string[],
  keyRefused: boolean,
): Alert {
  return {
    rule: SOURCE_RULE,
    subject: record,
    createdAt: since,
    started: true,
    state,
    since,
    heldAt,
    firedAt: state === "firing" ? since : null,
    firedBucket: null,
    missing: null,
    told: { state, value: keyRefused ? KEY_REFUSED : null, channels },
    seen: null,
    label: null,
    life: null,
  };
}
