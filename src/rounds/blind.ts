import type { AlertEvent } from "../engine/event.ts";
import { isDueAsMissing } from "../engine/transition.ts";
import { composeAlert } from "../engine/words/notice.ts";
import { composeSource } from "../engine/words/source-notice.ts";
import type { Alert, Ask, Failure } from "../model.ts";
import { type AlertMemory, type Memory, type RuleMemory, SOURCE_RULE } from "./memory.ts";
import type { Telling } from "./notices.ts";

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
      if (alert === null || unanswered === null) continue;
      if (!isDueAsMissing(rule.rule, alert, date)) continue;
      if (isDown(tallies.get(unanswered.record))) {
        const since = alert.missing?.since ?? date;
        due.set(unanswered.record, Math.min(due.get(unanswered.record) ?? date, since));
        continue;
      }
      const next = told(alert);
      alerts.push({ memory: one, alert: next });
      const notice = composeAlert(noDataEvent(one, alert, next, date), []);
      if (rule.rule.notify.length > 0) tellings.push({ notice, channels: rule.rule.notify });
    }
  }
  const sources: Alert[] = [];
  for (const [record, since] of due) {
    if (memory.sources.get(record)?.state === "firing") continue;
    sources.push(sourceAlert(record, "firing", since, selfChannels));
    const blind = blindBy(record, memory);
    const detail = tallies.get(record)?.detail ?? null;
    const event = { kind: "source_down", record, at: date, since, ...blind, detail } as const;
    tellings.push({ notice: composeSource(event), channels: selfChannels });
  }
  for (const [record, old] of memory.sources) {
    if (old.state !== "firing" || (tallies.get(record)?.answered ?? 0) === 0) continue;
    sources.push(sourceAlert(record, "ok", date, []));
    const event = {
      kind: "source_up",
      record,
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

/** Nothing of the record was answered, and not because of the ids that were asked for. */
export function isDown(tally: RecordTally | undefined): boolean {
  return tally !== undefined && tally.answered === 0 && tally.failed > 0;
}

function told(alert: Alert): Alert {
  return alert.missing === null ? alert : { ...alert, missing: { ...alert.missing, told: true } };
}

function noDataEvent(one: AlertMemory, before: Alert, after: Alert, at: number): AlertEvent {
  return {
    kind: "no_data",
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
  };
}

function blindBy(record: Ask["record"], memory: Memory): { rules: number; alerts: number } {
  const counts = memory.rules.map(
    ({ alerts }) => alerts.filter(({ unanswered }) => unanswered?.record === record).length,
  );
  return {
    rules: counts.filter((count) => count > 0).length,
    alerts: counts.reduce((sum, count) => sum + count, 0),
  };
}

/** A source's state is kept as an alert of the daemon's own. */
function sourceAlert(
  record: Ask["record"],
  state: "ok" | "firing",
  since: number,
  channels: readonly string[],
): Alert {
  return {
    rule: SOURCE_RULE,
    subject: record,
    createdAt: since,
    started: true,
    state,
    since,
    heldAt: null,
    firedAt: state === "firing" ? since : null,
    firedBucket: null,
    missing: null,
    told: { state, value: null, channels },
    seen: null,
    label: null,
  };
}
