import { MINUTE, SECOND } from "../base/duration.ts";
import type { AlertEvent } from "../decide/event.ts";
import {
  isCompleted,
  isDueAsMissing,
  notificationStateOf,
  viewOf,
} from "../decide/notification-state.ts";
import { notifyOfMissing } from "../decide/notify.ts";
import type { NotificationIntent } from "../decide/notify-firings.ts";
import {
  type AddressedNotice,
  type Alert,
  type Ask,
  type Notice,
  type Rule,
  SOURCE_RULE,
} from "../model/index.ts";
import { composeAlert, composePlain } from "../notices/notice.ts";
import { composeSource, sourceName } from "../notices/source-notice.ts";
import type { AlertMemory, Memory, RuleMemory } from "../poll/memory.ts";
import {
  isKeyRefused,
  isWithin,
  KEY_REFUSED,
  RETURNED,
  type Scope,
  scopeFromKey,
  scopeKey,
} from "../poll/outages.ts";
import { type Answered, answeredIn, type EndedGroup } from "../poll/round-sum.ts";
import { type Elsewhere, OutageScopes } from "./outage-scopes.ts";

/** What the end of a round tells of alerts whose requests failed, and of their sources. */
export interface OutageVerdict {
  readonly alerts: readonly { readonly memory: AlertMemory; readonly alert: Alert }[];
  readonly sources: readonly Alert[];
  readonly notices: readonly AddressedNotice[];
  /** Some outage that was told is over. */
  readonly isOver: boolean;
}

const NOTHING: OutageVerdict = { alerts: [], sources: [], notices: [], isOver: false };

/**
 * Whether to speak of alerts that have had no value for long enough because their requests failed. If the
 * service answers nothing any more, or nothing of a kind of record or of a chain, that is told once and
 * the alerts are not; if others of their kind were answered on their chain, each alert is told by itself.
 * `groups`: all of the date, since what one is not answered says nothing of what another still asks for; none: nothing
 * is to be judged yet. `elsewhere`: other daemons ask for the rest, and what they were answered is among the memory's sources.
 */
export function judgeOutages(
  groups: readonly EndedGroup[],
  date: number,
  memory: Memory,
  selfChannels: readonly string[],
  elsewhere: Elsewhere | null = null,
): OutageVerdict {
  if (groups.length === 0) return NOTHING;
  const [first] = groups;
  const rules = groups.length > 1 ? groups.flatMap((one) => one.rules) : (first?.rules ?? []);
  // What a later round has asked for again was judged by that.
  const answered = answeredIn(
    groups,
    (record, chainId) => !memory.outages.isAskedAfter(date, { record, chainId }),
  );
  const overdue = overdueIn(rules, date);
  const down =
    overdue.length === 0
      ? NOTHING
      : judgeOverdue(overdue, {
          scopes: new OutageScopes(memory, rules, date, elsewhere),
          isShared: elsewhere !== null,
          answered,
          date,
          memory,
          selfChannels,
        });
  const back = judgeBack(answered, date, memory);
  const notices = [...down.notices, ...back.notices];
  return {
    alerts: down.alerts,
    sources: [...down.sources, ...back.sources, ...lastAnswered(answeredIn(groups), date, memory)],
    notices: notices.filter(({ channels }) => channels.length > 0),
    isOver: back.sources.length > 0,
  };
}

/** An alert that has had no value for long enough, since the request for a record failed. */
interface Overdue {
  readonly one: AlertMemory;
  readonly alert: Alert;
  readonly record: Ask["record"];
}

function overdueIn(rules: readonly RuleMemory[], date: number): readonly Overdue[] {
  const all: Overdue[] = [];
  for (const { rule, alerts } of rules) {
    for (const one of alerts) {
      const { alert, unanswered } = one;
      if (alert === null || unanswered === null || isCompleted(alert)) continue;
      if (isDueAsMissing(rule, alert, date)) all.push({ one, alert, record: unanswered.record });
    }
  }
  return all;
}

/** What overdue alerts are judged with. */
interface Judging {
  readonly scopes: OutageScopes;
  /** Other daemons ask for a part. */
  readonly isShared: boolean;
  readonly answered: Answered;
  readonly date: number;
  readonly memory: Memory;
  readonly selfChannels: readonly string[];
}

type Told = Pick<OutageVerdict, "alerts" | "sources" | "notices">;

function judgeOverdue(overdue: readonly Overdue[], judging: Judging): Told {
  const { scopes, isShared, answered, date } = judging;
  const alerts: { memory: AlertMemory; alert: Alert }[] = [];
  const notices: AddressedNotice[] = [];
  const due = new Map<string, Due>();
  for (const { one, alert, record } of overdue) {
    const { rule } = one.watched;
    const scope = scopes.scopeOf(one, record);
    if (scope !== null) {
      const since = alert.missing?.since ?? date;
      const key = scopeKey(scope);
      due.set(key, { scope, since: Math.min(due.get(key)?.since ?? date, since) });
      continue;
    }
    if (scopes.isReturning(one, record, answered)) continue;
    if (isShared && !isDueAsMissing(rule, alert, date - graceMs(rule))) continue;
    const gates = viewOf(one.gates, date, (gate) => gate.alert);
    const { alert: next, intents } = notifyOfMissing(rule, alert, date, gates);
    if (next === alert) continue;
    alerts.push({ memory: one, alert: next });
    if (rule.notify.length === 0) continue;
    for (const intent of intents) {
      const notice = composed(outageEvent(one, alert, next, date, intent));
      notices.push({ notice, channels: rule.notify });
    }
  }
  const down = tellDown([...due.values()], judging);
  return { alerts, sources: down.sources, notices: [...notices, ...down.notices] };
}

function tellDown(
  due: readonly Due[],
  { scopes, date, memory, selfChannels }: Judging,
): Omit<Told, "alerts"> {
  const sources: Alert[] = [];
  const notices: AddressedNotice[] = [];
  // The largest first: what is a part of it is told by it.
  for (const { scope, since } of due.toSorted((a, b) => partsOf(a) - partsOf(b))) {
    if (scopes.isTold(scope, sources)) continue;
    const outage = scopes.outageOf(scope);
    const keyRefused = outage?.byKey === true;
    const key = scopeKey(scope);
    const heldAt = memory.sources.get(key)?.heldAt ?? null;
    const why = keyRefused ? KEY_REFUSED : null;
    const alert = sourceAlert(key, "firing", since, heldAt, selfChannels, why);
    sources.push({ ...alert, createdAt: date });
    // With a key that is refused, what is asked in other rounds is refused as well.
    const blind = scopes.blindBy(keyRefused ? { record: null, chainId: null } : scope);
    const about = { scope, keyRefused, at: date, since, ...blind, detail: outage?.detail ?? null };
    const notice = composeSource({ kind: "source_down", subject: key, ...about });
    notices.push({ notice, channels: selfChannels });
  }
  return { sources, notices };
}

/** The outages that people know of and that are over. */
function judgeBack(answered: Answered, date: number, memory: Memory): Omit<Told, "alerts"> {
  const sources: Alert[] = [];
  const notices: AddressedNotice[] = [];
  // Where one group took long: what was told in a later round is not over by an answer from before that.
  const isOld = memory.outages.isAskedAfter(date);
  for (const [key, old] of memory.sources) {
    if (isOld && old.createdAt > date) continue;
    const scope = scopeFromKey(key);
    if (old.state !== "firing" || scope === null || !isAnswered(scope, answered)) continue;
    sources.push(sourceAlert(key, "ok", date, Math.max(date, old.heldAt ?? date), [], RETURNED));
    const about = { scope, keyRefused: isKeyRefused(old), at: date, since: old.since };
    const nothing = { rules: 0, alerts: 0, detail: null };
    const notice = composeSource({ kind: "source_up", subject: key, ...about, ...nothing });
    notices.push({ notice, channels: old.lastNotified.channels });
  }
  return { sources, notices };
}

/** Of what was answered, when that was. */
function lastAnswered(answered: Answered, date: number, memory: Memory): Alert[] {
  const sources: Alert[] = [];
  for (const key of answeredKeys(answered)) {
    const old = memory.sources.get(key);
    if (old?.state === "firing") continue;
    const heldAt = Math.max(date, old?.heldAt ?? date);
    sources.push(
      sourceAlert(key, "ok", old?.since ?? date, heldAt, [], old?.lastNotified.value ?? null),
    );
  }
  return sources;
}

/**
 * Where several daemons share the work each was answered last in another round: so long one that is not answered any
 * more waits for the others to find the same.
 */
function graceMs({ schedule }: Rule): number {
  return Math.min(Math.max(2 * (schedule.everyMs ?? MINUTE), SHORTEST_GRACE_MS), LONGEST_GRACE_MS);
}

const SHORTEST_GRACE_MS = 5 * SECOND;
const LONGEST_GRACE_MS = 5 * MINUTE;

/** A scope whose alerts are to be spoken of, and since when they know nothing. */
interface Due {
  readonly scope: Scope;
  readonly since: number;
}

function partsOf({ scope: { record, chainId } }: Due): number {
  return (record === null ? 0 : 1) + (chainId === null ? 0 : 1);
}

/** A notice that cannot be composed in full must not keep the round from being closed. */
function composed(event: AlertEvent): Notice {
  try {
    return composeAlert(event, []);
  } catch {
    return composePlain(event);
  }
}

function outageEvent(
  one: AlertMemory,
  before: Alert,
  after: Alert,
  at: number,
  { kind, about, held }: NotificationIntent,
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
    more: { about, held, still: null, byMissing: notificationStateOf(after).byMissing },
  };
}

/** Whether something of it was answered in this round. */
function isAnswered(scope: Scope, answered: Answered): boolean {
  for (const [record, chains] of answered) {
    if (record === "endpoint") continue;
    for (const chainId of chains) if (isWithin(scope, record, chainId)) return true;
  }
  return false;
}

/** Of which kinds of records, and of which on which chain, something was answered: a restart must know it. */
function* answeredKeys(answered: Answered): Generator<string> {
  for (const [record, chains] of answered) {
    yield record;
    if (record === "endpoint") continue;
    for (const chainId of chains) yield scopeKey({ record, chainId });
  }
}

/** A source's state is kept as an alert of the daemon's own, created when it is told; `heldAt`: when it answered last. */
function sourceAlert(
  subject: string,
  state: "ok" | "firing",
  since: number,
  heldAt: number | null,
  channels: readonly string[],
  value: string | null,
): Alert {
  const scope = state === "firing" ? scopeFromKey(subject) : null;
  return {
    rule: SOURCE_RULE,
    subject,
    createdAt: since,
    started: true,
    state,
    since,
    heldAt,
    firedAt: state === "firing" ? since : null,
    firedBucket: null,
    missing: null,
    lastNotified: { state, value, channels },
    seen: null,
    label: scope === null ? null : sourceName(scope),
    life: null,
  };
}
