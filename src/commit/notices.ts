import { Decimal } from "../base/decimal.ts";
import type { AlertEvent } from "../decide/event.ts";
import { valueToText } from "../decide/runtime.ts";
import type { Notice, Run } from "../model/index.ts";
import { composeAlert, composePlain } from "../notices/notice.ts";
import type { Store } from "../store/store.ts";

/** A notice with the channels that it goes to. */
export interface AddressedNotice {
  readonly notice: Notice;
  readonly channels: readonly string[];
}

/** A sparkline shows so many values. */
const RECENT_VALUES = 24;

/** Composes what the events have to tell, to those who must hear it. */
export async function noticesOf(
  events: readonly AlertEvent[],
  store: Store,
  seriesId: (subject: string, metric: string) => number | null,
  onTrouble: (error: unknown) => void,
): Promise<AddressedNotice[]> {
  const tellings: AddressedNotice[] = [];
  for (const event of events) {
    const channels = audience(event);
    if (channels.length === 0) continue;
    tellings.push({ notice: await composed(event, store, seriesId, onTrouble), channels });
  }
  return tellings;
}

/** One notice that cannot be composed must not keep itself or the others from coming. */
async function composed(
  event: AlertEvent,
  store: Store,
  seriesId: (subject: string, metric: string) => number | null,
  onTrouble: (error: unknown) => void,
): Promise<Notice> {
  try {
    return composeAlert(event, await recentValues(event, store, seriesId));
  } catch (error) {
    onTrouble(error);
    return composePlain(event);
  }
}

/** `resolved` goes to those who were told of the firing, everything else to the rule's channels. */
function audience(event: AlertEvent): readonly string[] {
  if (event.kind !== "resolved") return event.rule.notify;
  return event.rule.sendResolved ? event.before.lastNotified.channels : [];
}

async function recentValues(
  event: AlertEvent,
  store: Store,
  seriesId: (subject: string, metric: string) => number | null,
): Promise<string[]> {
  const { evidence } = event;
  if (evidence === null || !(evidence.value instanceof Decimal)) return [];
  const series = seriesId(event.subject.key, evidence.comparison.metric);
  if (series === null) return [];
  const end = event.bucket?.start ?? event.at;
  const span = shownSpan(event, end);
  const runs = (await store.window([series], end - span)).get(series) ?? [];
  const before = runs.filter(({ first }) => first < end);
  const values = sampleRuns(before, end - span, end, RECENT_VALUES - 1);
  values.push(valueToText(evidence.value) ?? "");
  return values.length < 2 ? [] : values;
}

/** The window of a change; otherwise so many intervals or buckets as a sparkline has places. */
function shownSpan({ evidence, bucket, rule }: AlertEvent, end: number): number {
  const comparison = evidence?.comparison;
  if (comparison !== undefined && "span" in comparison && comparison.span.kind !== "since_last") {
    return comparison.span.ms;
  }
  if (bucket !== null) return (RECENT_VALUES - 1) * bucket.ms;
  return ((RECENT_VALUES - 1) * (rule.schedule.third(end) - end)) / 3;
}

/** The values in force at `count` evenly spaced times of [from, to); unknown ones are left out. */
function sampleRuns(runs: readonly Run[], from: number, to: number, count: number): string[] {
  const values: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const time = from + ((to - from) * i) / count;
    const value = runs.findLast(({ first }) => first <= time)?.value ?? null;
    if (value !== null) values.push(value);
  }
  return values;
}
