import { chainName } from "../../base/chains.ts";
import { formatDuration, MINUTE } from "../../base/duration.ts";
import { cleanText } from "../../base/text.ts";
import { judgesEntries } from "../../decide/decide-alert.ts";
import { UNKNOWN_WINDOW } from "../../decide/evaluation-context.ts";
import type { AlertEvent } from "../../decide/event.ts";
import {
  isCompleted,
  isCooling,
  notificationStateOf,
  viewOf,
} from "../../decide/notification-state.ts";
import { matches, mutedUntil } from "../../delivery/suppress/hold.ts";
import { chainOfKey } from "../../kinds/kind.ts";
import type { Alert as AlertState, Rule, Silence } from "../../model/index.ts";
import { alertHeadline } from "../../notices/headline/headline.ts";
import { subjectName } from "../../notices/wording.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import { booleanText, writtenAs } from "../../rules/describe/metric-words.ts";
import { describeEntries } from "../../rules/describe/sentence.ts";
import type { Alert, HeldBack } from "../api/schemas/alerts.ts";
import { comparedOf, shownValue } from "./compared.ts";
import { rangeDistance } from "./range-distance.ts";
import { newestOf, restoredSeen, truthOf } from "./restored.ts";
import type { Row } from "./row.ts";
import type { Seen } from "./seen.ts";

/** What alerts are shown with beside what the rounds keep. */
export interface Around {
  readonly now: number;
  /** Those in force. */
  readonly silences: readonly Silence[];
  /** What was said with the acknowledgement that is in force. */
  readonly ackComment: (rule: string, subject: string) => string | null;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** What the newest round saw; without a value what was kept last, since that is what an alert stands on. */
function knownOf({ memory, seen }: Row): Seen | null {
  if (seen === null) return restoredSeen(memory);
  const { alert } = memory;
  if (seen.evidence !== null || seen.known === null || alert === null) return seen;
  return { ...seen, truth: truthOf(alert), evidence: seen.known };
}

/** What people call an alert's subject: with its chain, where its rule watches it on several. */
export function nameOf({ subject, watched, alert }: AlertMemory, seen: Seen | null): string {
  const { rule } = watched;
  const name = subjectName(subject, seen?.description ?? null, alert?.label ?? null);
  const chain = cleanText(chainName(subject.chainId));
  const apart =
    rule.across === null && rule.subjects.some((one) => one.chainId !== subject.chainId);
  return apart && !name.includes(chain) ? `${name} on ${chain}` : name;
}

/** An alert as the API shows it. */
export function alertView(row: Row, around: Around): Alert {
  const { memory } = row;
  const seen = knownOf(row);
  const { alert, subject, watched } = memory;
  const { rule } = watched;
  const name = nameOf(memory, seen);
  const chainId = chainOfKey(subject.key);
  const life = alert === null ? null : notificationStateOf(alert);
  const since = alert?.since ?? watched.state.startedAt ?? around.now;
  return {
    rule: rule.name,
    subject: subject.key,
    name,
    kind: rule.kind,
    chain: chainId === null ? null : { id: chainId, name: chainName(chainId) },
    severity: rule.severity,
    labels: rule.labels,
    state: alert?.state ?? "ok",
    since: iso(since),
    fired_at: alert?.firedAt === null || alert === null ? null : iso(alert.firedAt),
    sentence: sentenceOf(memory, seen, name, around.now),
    event: rule.event,
    no_data: noDataOf(alert, seen),
    window_known: seen?.truth !== UNKNOWN_WINDOW,
    held: heldOf(memory),
    compared: comparedIn(memory, seen, around.now),
    last: lastOf(memory, seen),
    range: rangeOf(seen),
    entries: judgesEntries(watched) ? { fires: entriesText(watched), last: null } : null,
    ack:
      life === null || life.acked === null
        ? null
        : {
            by: life.acked.by,
            since: iso(life.acked.at),
            comment: around.ackComment(rule.name, subject.key),
          },
    can_ack: row.canAck,
    spent: alert !== null && isCompleted(alert),
    held_back: heldBackOf(memory, around),
    told: alert === null ? [] : [...alert.lastNotified.channels],
    decided_at: seen === null ? null : iso(seen.at),
    link: seen?.description?.link ?? null,
  };
}

/** Of what fires by changing, how far it is away is how long it has been the same. */
function comparedIn({ owner }: AlertMemory, seen: Seen | null, now: number): Alert["compared"] {
  if (seen === null || seen.evidence === null) return null;
  const compared = comparedOf(seen.evidence, seen);
  const since = owner.series.find(({ metric }) => metric === compared.metric)?.first ?? Infinity;
  if (compared.op !== "changes" || compared.distance !== null || !Number.isFinite(since))
    return compared;
  const ms = Math.max(0, now - since);
  const text = `unchanged for ${formatDuration(ms - (ms % MINUTE))}`;
  return { ...compared, distance: { ratio: null, past: false, text } };
}

/** It is of the rule, and asked for each of its alerts. */
function entriesText({ rule, kind }: AlertMemory["watched"]): string {
  const known = ENTRIES.get(rule);
  if (known !== undefined) return known;
  const text = describeEntries(rule, { metrics: kind.metrics, bucketMs: kind.bucketMs });
  ENTRIES.set(rule, text);
  return text;
}

const ENTRIES = new WeakMap<Rule, string>();

function noDataOf(alert: AlertState | null, seen: Seen | null): Alert["no_data"] {
  if (alert === null || alert.missing === null) return null;
  const { since, rounds, told } = alert.missing;
  return { since: iso(since), rounds, told, reason: seen?.trouble ?? null };
}

/** How long a pending or recovering alert has held of the time that it needs. */
function heldOf({ alert, watched }: AlertMemory): Alert["held"] {
  if (alert === null || (alert.state !== "pending" && alert.state !== "recovering")) return null;
  const { forMs, resolveAfterMs } = watched.rule;
  const needed = alert.state === "pending" ? forMs : resolveAfterMs;
  const held = Math.max(0, (alert.heldAt ?? alert.since) - alert.since);
  return { ms: Math.min(held, needed), of_ms: needed, until: iso(alert.since + needed) };
}

function lastOf({ owner, watched }: AlertMemory, seen: Seen | null): Alert["last"] {
  for (const name of watched.rule.metrics) {
    const series = owner.series.find(({ metric }) => metric === name);
    const metric = watched.kind.metrics.get(name);
    if (series === undefined || metric === undefined) continue;
    const { value, at } = newestOf(series);
    if (value === null || !Number.isFinite(at)) continue;
    const as = writtenAs(metric, seen?.decimals[name] ?? null, seen?.description ?? null, 12);
    return { metric: name, label: metric.label, value: shownValue(value, as), at: iso(at) };
  }
  return null;
}

function rangeOf(seen: Seen | null): Alert["range"] {
  const range = seen?.description?.range ?? null;
  if (seen === null || range === null) return null;
  const { edge, text } = rangeDistance(range);
  const { lower, upper, price, unit, lowerTick, upperTick, tick, inverted } = range;
  return {
    lower,
    upper,
    price,
    unit,
    lower_tick: lowerTick,
    upper_tick: upperTick,
    tick,
    inverted,
    in_range: tick >= lowerTick && tick < upperTick,
    edge,
    distance: text,
    closed: seen.closed,
  };
}

/** What keeps people from being told of an alert, or of all of it. */
function heldBackOf(memory: AlertMemory, { now, silences }: Around): HeldBack[] {
  const { alert, subject, watched } = memory;
  const { rule } = watched;
  const found: HeldBack[] = [];
  const add = (by: HeldBack["by"], why: string, until: number | null): HeldBack => {
    const one: HeldBack = {
      by,
      why,
      until: until === null ? null : iso(until),
      channel: null,
      silence: null,
    };
    found.push(one);
    return one;
  };
  for (const one of silences) {
    const about = { rule: rule.name, subject: subject.key, labels: rule.labels };
    if (!matches(one, about)) continue;
    const said = one.comment === null ? "" : `: ${one.comment}`;
    add("silence", cleanText(`by ${one.author}${said}`, 600), one.endsAt).silence = one.id;
  }
  for (const [channel, lists] of rule.mutes) {
    const until = mutedUntil(lists, now);
    if (until !== null) add("mute", `for ${channel}`, until).channel = channel;
  }
  if (alert === null) return found;
  const life = notificationStateOf(alert);
  if (life.acked !== null) add("ack", `by ${life.acked.by}`, null);
  const { closedBy, quiet } = viewOf(memory.gates, now, (gate) => gate.alert);
  if (closedBy !== null) add("gate", `only while ${closedBy} fires`, null);
  if (quiet) add("unless", "while another rule fires", null);
  if (isCooling(rule, alert, now)) {
    add("cooldown", "after the last notice", (life.cooling ?? now) + rule.cooldownMs);
  }
  if (life.firings !== null && life.firings.on !== null) {
    add("flapping", "it fires too often; quiet until it settles", null);
  }
  if (isCompleted(alert)) add("once", "it has fired once; re-arm it", null);
  return found;
}

/** The icon stands apart on the page. */
const ICON = /^\p{Extended_Pictographic}\uFE0F? /u;

/** The first line of a notice about it, as it would be told now. */
function sentenceOf(memory: AlertMemory, seen: Seen | null, name: string, now: number): string {
  const { alert, watched, subject } = memory;
  if (alert === null || seen === null) return `${name}: not looked at since the daemon started`;
  const kind = kindOf(alert);
  if (kind === null) {
    if (seen.evidence === null || alert.missing !== null)
      return `${name}: ${seen.trouble ?? (judgesEntries(watched) ? "nothing new" : "no value yet")}`;
    const { metric, value } = seen.evidence;
    if (seen.closed) return `${name}: closed`;
    if (typeof value === "boolean") return `${name}: ${booleanText(metric.label, value)}`;
    return `${name}: ${metric.label} ${comparedOf(seen.evidence, seen).value.text}`;
  }
  const event: AlertEvent = {
    kind,
    rule: watched.rule,
    subject,
    at: kind === "no_data" ? now : seen.at,
    // Since when it fires stands beside the sentence.
    before: alert,
    after: { ...alert, firedAt: kind === "fired" ? seen.at : alert.firedAt },
    evidence: seen.evidence,
    also: seen.others,
    bucket: seen.bucket,
    description: seen.description,
    decimals: (metric) => seen.decimals[metric] ?? null,
    closed: seen.closed,
    trouble: seen.trouble,
  };
  return alertHeadline(event).replace(ICON, "");
}

function kindOf({ state, missing, life }: AlertState): AlertEvent["kind"] | null {
  if (missing?.told === true) return "no_data";
  if (life?.byMissing === true) return "no_data";
  if (state === "ok") return null;
  return state === "recovering" ? "resolved" : "fired";
}
