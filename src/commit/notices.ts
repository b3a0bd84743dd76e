import { Decimal } from "../base/decimal.ts";
import type { Log } from "../base/log.ts";
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

type SeriesId = (subject: string, metric: string) => number | null;

/** Where the values before an event are: a store, or what is read of the past. */
export type Before = Pick<Store, "window">;

/** Composes what the events have to tell, to those who must hear it. */
export async function noticesOf(
  events: readonly AlertEvent[],
  store: Before,
  seriesId: SeriesId,
  { log }: { readonly log: Log },
): Promise<AddressedNotice[]> {
  const notices: AddressedNotice[] = [];
  for (const event of events) {
    const channels = audience(event);
    if (channels.length === 0) continue;
    // One that cannot be composed must not keep itself or the others from coming.
    const notice = await recentValues(event, store, seriesId)
      .catch((error: unknown) => {
        // The store is gone, and this is the first to ask it: what there is to tell is known without it.
        log.warn({ err: error }, "a notice is told without the values before it");
        return [];
      })
      .then((recent) => composeAlert(event, recent))
      .catch((error: unknown) => {
        log.error({ err: error }, "a notice could not be composed in full");
        return composePlain(event);
      });
    notices.push({ notice, channels });
  }
  return notices;
}

/** `resolved` goes to those who were told of the firing, everything else to the rule's channels. */
function audience(event: AlertEvent): readonly string[] {
  if (event.kind !== "resolved") return event.rule.notify;
  return event.rule.sendResolved ? event.before.lastNotified.channels : [];
}

async function recentValues(
  event: AlertEvent,
  store: Before,
  seriesId: SeriesId,
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
