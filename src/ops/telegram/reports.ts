import { type Clock, formatTime } from "../../base/clock.ts";
import { formatDuration } from "../../base/duration.ts";
import { countOf } from "../../base/text.ts";
import { neutral } from "../../channels/telegram.ts";
import { isFiring, notificationStateOf } from "../../decide/notification-state.ts";
import { troublesFromText } from "../../delivery/troubles.ts";
import { CHANNELS_MARK } from "../../model/index.ts";
import type { AlertMemory, RuleMemory } from "../../poll/memory.ts";
import { describeRule } from "../../rules/describe/sentence.ts";
import type { Store } from "../../store/store.ts";
import type { DaemonState } from "../daemon-view.ts";
import { firedAt, firingOf, nameOf } from "./watched.ts";
import { type WhyParts, whySentence } from "./why.ts";

/** What a report is made of: the daemon as it is at the moment. */
export interface Looked extends WhyParts {
  readonly state: DaemonState;
  readonly store: Store;
  /** The daemon's own clock. */
  readonly clock: Clock;
}

/** A message for a phone has no more lines. */
const MOST_LINES = 20;

export const HELP = [
  "/status: is everything watched?",
  "/firing: the alerts that fire",
  "/why RULE: what a rule says, and why",
  "/range: the positions and whether they are in range",
  "/ack RULE [SUBJECT]: no reminders until it resolves",
  "/silence RULE [SUBJECT] 8h: no notices for that long",
].join("\n");

export async function statusReport({ state, memory, store, clock }: Looked): Promise<string> {
  const now = clock.now();
  const troubles = [...state.troubles()];
  const marked = await store.mark(CHANNELS_MARK).catch(() => null);
  for (const [channel, { told, reason }] of troublesFromText(marked)) {
    if (told) troubles.push(`channel ${channel} delivers nothing: ${reason}`);
  }
  const failure = state.configuration()?.failure ?? null;
  const { firing, recovering, withoutData } = state.alerts();
  const last = state.lastRound();
  const owed = await state.owed().catch(() => null);
  const queued = [...(owed?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const rounds = last === null ? "no round yet" : `last round ${formatDuration(now - last)} ago`;
  return lines([
    `${troubles.length === 0 ? "🟢 healthy" : "🔴 not healthy"}: ${countOf(memory().rules.length, "rule")}, ${rounds}`,
    `${countOf(firing + recovering, "alert")} firing, ${withoutData} without data, ${countOf(queued, "notice")} queued`,
    ...troubles,
    ...(failure === null
      ? []
      : [`edited configuration not loaded: ${failure.problems[0] ?? "see the log"}`]),
  ]);
}

export function firingReport({ memory, clock }: Looked): string {
  const now = clock.now();
  const firing = firingOf(memory());
  if (firing.length === 0) return "🟢 no alert is firing";
  return listed(
    firing.map(
      (one) =>
        `${one.watched.rule.name}: ${nameOf(one)}, for ${formatDuration(now - firedAt(one))}${ackWords(one)}`,
    ),
  );
}

/** The positions that rules watch, each once, with what the newest round knows of it. */
export function rangeReport({ memory, clock }: Looked): string {
  const now = clock.now();
  const positions = new Map<string, AlertMemory>();
  for (const { rule, alerts } of memory().rules) {
    if (rule.kind !== "v4_position" || rule.across !== null) continue;
    for (const one of alerts) {
      // An alert on the range itself knows most.
      const known = positions.get(one.subject.key);
      if (known === undefined || rule.metrics.includes("in_range")) {
        positions.set(one.subject.key, one);
      }
    }
  }
  if (positions.size === 0) return "no rule watches a position";
  return listed([...positions.values()].map((one) => `${nameOf(one)}: ${rangeWords(one, now)}`));
}

function rangeWords({ owner, alert }: AlertMemory, now: number): string {
  const series = owner.series.find(({ metric }) => metric === "in_range");
  if (alert?.missing?.told === true) return "no data";
  switch (series?.text) {
    case "true":
      return `🟢 in range for ${formatDuration(now - series.first)}`;
    case "false":
      return `🟠 out of range for ${formatDuration(now - series.first)}`;
    default:
      return "not known: no rule looks at in_range, or it had no round yet";
  }
}

/** So many alerts are explained from what is recorded: it takes some milliseconds of each. */
const MOST_EXPLAINED = 3;

/** What a rule says, and how each of its alerts stands and why; those that fire first. */
export async function whyReport(
  { rule, kind, alerts }: RuleMemory,
  looked: Looked,
): Promise<string> {
  const now = looked.clock.now();
  const words = { metrics: kind.metrics, description: null, bucketMs: kind.bucketMs };
  const sorted = [...alerts].toSorted((a, b) => rank(a) - rank(b));
  const said: string[] = [];
  for (const [place, one] of sorted.slice(0, MOST_LINES).entries()) {
    // What is not recorded, or cannot be read at the moment, is said by the state alone.
    const why =
      place < MOST_EXPLAINED ? await whySentence(one, now, looked).catch(() => null) : null;
    said.push(`${nameOf(one)}: ${why ?? stateWords(one, now)}`);
  }
  const more = sorted.length - said.length;
  return listed([
    `${describeRule(rule, words)}.`,
    ...said,
    ...(more > 0 ? [`and ${more} more`] : []),
  ]);
}

function rank({ alert }: AlertMemory): number {
  if (alert === null) return 3;
  return isFiring(alert.state) ? 0 : alert.state === "pending" ? 1 : 2;
}

function stateWords(one: AlertMemory, now: number): string {
  const { alert, watched } = one;
  if (alert === null) return "had no round yet";
  if (alert.missing?.told === true)
    return `no data for ${formatDuration(now - alert.missing.since)}`;
  const told = alert.lastNotified.value;
  switch (alert.state) {
    case "firing":
      return `firing for ${formatDuration(now - firedAt(one))}${told === null ? "" : `, last notified at ${told}`}${ackWords(one)}`;
    case "recovering":
      return `firing for ${formatDuration(now - firedAt(one))}, and recovering for ${formatDuration(now - alert.since)}: it resolves after ${formatDuration(watched.rule.resolveAfterMs)}${ackWords(one)}`;
    case "pending":
      return `true for ${formatDuration(now - alert.since)}: it fires after ${formatDuration(watched.rule.forMs)}`;
    case "ok":
      return "not firing";
  }
}

function ackWords({ alert }: AlertMemory): string {
  const acked = alert === null ? null : notificationStateOf(alert).acked;
  return acked === null ? "" : `, acknowledged by ${acked.by} at ${formatTime(acked.at)}`;
}

function listed(all: readonly string[]): string {
  const more = all.length - MOST_LINES;
  return lines([...all.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])]);
}

const LONGEST_LINE = 400;

/** Names are what chains and people say: nothing in them is a link, a mention or a command. */
export function lines(all: readonly string[]): string {
  return all.map((line) => [...neutral(line)].slice(0, LONGEST_LINE).join("")).join("\n");
}
