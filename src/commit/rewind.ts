import { rewoundWatermark } from "../decide/lag.ts";
import {
  type Alert,
  type Flaps,
  NO_CHANGE,
  type NotificationState,
  type RuleState,
  type SubjectMarks,
} from "../model/index.ts";
import { backfillKey, backfillsToText, rewoundBackfills, spansOf } from "../poll/backfill-state.ts";
import type { Memory, SubjectMemory } from "../poll/memory.ts";
import type { Store } from "../store/store.ts";
import { fillWindows } from "./backfill/points.ts";

/** Whether anything is dated later than `now`, as after a clock that was set back. */
export function isAhead(memory: Memory, now: number): boolean {
  if (memory.rules.some(({ state }) => laterOf(state.lastRound, state.startedAt) > now))
    return true;
  for (const { series } of memory.subjects.values()) {
    if (series.some(({ last }) => last > now)) return true;
  }
  for (const { alert, bucketed } of everyAlert(memory)) {
    if (rewindAlert(alert, bucketed, now) !== alert) return true;
  }
  return false;
}

function laterOf(...dates: readonly (number | null | undefined)[]): number {
  return dates.reduce<number>(
    (most, date) => Math.max(most, date ?? most),
    Number.NEGATIVE_INFINITY,
  );
}

/**
 * Dates everything that is dated later than `now` as `now`, in the store and in the memory: timers
 * and windows would otherwise stand still until the clock has caught up. Buckets and the records'
 * own times stay. Nothing may be decided meanwhile. Throws StoreError; then it must be done again.
 */
export async function rewind(memory: Memory, store: Store, now: number): Promise<void> {
  const alerts = new Map<Alert, Alert>();
  for (const { alert, bucketed } of everyAlert(memory)) {
    const next = rewindAlert(alert, bucketed, now);
    if (next !== alert) alerts.set(alert, next);
  }
  const rules = new Map(memory.rules.map(({ state }) => [state, rewindState(state, now)]));
  const ids: number[] = [];
  for (const { kind, series, isCopy } of memory.subjects.values()) {
    if (kind.bucketMs === null && !isCopy) for (const { id } of series) ids.push(id);
  }
  const marks: SubjectMarks[] = [];
  for (const { storeKey, backfills, isCopy } of memory.subjects.values()) {
    if (isCopy) continue;
    const next = rewoundBackfills(backfills ?? [], now);
    if (backfills === null || next === backfills) continue;
    marks.push({ subject: backfillKey(storeKey), value: backfillsToText(next) });
  }
  await store.rewind(ids, now);
  await store.commit({
    ...NO_CHANGE,
    alerts: [...alerts.values()],
    rules: [...rules.values()],
    marks,
  });
  for (const rule of memory.rules) rule.state = rules.get(rule.state) ?? rule.state;
  for (const [record, source] of memory.sources) {
    memory.sources.set(record, alerts.get(source) ?? source);
  }
  memory.outages.rewind(now);
  for (const subject of memory.subjects.values()) rewindSubject(subject, alerts, now);
  await fillWindows(memory, store, now, new Set());
}

function rewindSubject(
  subject: SubjectMemory,
  alerts: ReadonlyMap<Alert, Alert>,
  now: number,
): void {
  const { watermark } = subject;
  if (watermark !== null) subject.watermark = rewoundWatermark(watermark, now);
  for (const one of subject.alerts) {
    if (one.alert !== null) one.alert = alerts.get(one.alert) ?? one.alert;
  }
  if (subject.backfills !== null) subject.backfills = rewoundBackfills(subject.backfills, now);
  for (const series of subject.series) {
    series.backfilled = spansOf(subject.backfills ?? [], series.metric);
    for (const window of series.windows) window.clear();
    if (series.first > now) series.end();
    else series.last = Math.min(series.last, now);
  }
}

function* everyAlert(memory: Memory): Generator<{ alert: Alert; bucketed: boolean }> {
  for (const alert of memory.sources.values()) yield { alert, bucketed: false };
  for (const { kind, alerts } of memory.subjects.values()) {
    for (const { alert } of alerts)
      if (alert !== null) yield { alert, bucketed: kind.bucketMs !== null };
  }
}

function rewindAlert(alert: Alert, bucketed: boolean, now: number): Alert {
  const { createdAt, since, heldAt, firedAt, missing } = alert;
  const life = alert.life === null ? null : rewindLife(alert.life, now);
  // A bucketed alert dates its states by buckets.
  const latest = Math.max(
    createdAt,
    heldAt ?? createdAt,
    firedAt ?? createdAt,
    missing?.since ?? createdAt,
    bucketed ? createdAt : since,
  );
  if (latest <= now && life === alert.life) return alert;
  return {
    ...alert,
    createdAt: Math.min(createdAt, now),
    since: bucketed ? since : Math.min(since, now),
    heldAt: earlier(heldAt, now),
    firedAt: earlier(firedAt, now),
    missing: missing === null ? null : { ...missing, since: Math.min(missing.since, now) },
    life,
  };
}

/** What an alert remembers with its dates no later than `now`; the same object if none is. */
function rewindLife(life: NotificationState, now: number): NotificationState {
  if (latestOf(life) <= now) return life;
  const { firings, gaps, reminded, cooling, held, blindSince, lapse } = life;
  const trueSince = lapse === null ? null : earlier(lapse.trueSince, now);
  return {
    ...life,
    firings: rewindFlaps(firings, now),
    gaps: rewindFlaps(gaps, now),
    reminded: reminded === null ? null : { ...reminded, at: Math.min(reminded.at, now) },
    cooling: earlier(cooling, now),
    held: held === null ? null : { ...held, since: Math.min(held.since, now) },
    blindSince: earlier(blindSince, now),
    lapse: lapse === null ? null : { trueSince },
  };
}

function latestOf({
  firings,
  gaps,
  reminded,
  cooling,
  held,
  blindSince,
  lapse,
}: NotificationState): number {
  const dates = [
    ...datesOf(firings),
    ...datesOf(gaps),
    reminded?.at,
    cooling,
    held?.since,
    blindSince,
    lapse?.trueSince,
  ];
  return laterOf(...dates);
}

function datesOf(flaps: Flaps | null): readonly number[] {
  if (flaps === null) return [];
  const { dates, on } = flaps;
  return on === null ? dates : [...dates, on.since, on.told, on.side];
}

function rewindFlaps(flaps: Flaps | null, now: number): Flaps | null {
  if (flaps === null) return null;
  const { dates, on } = flaps;
  return {
    dates: dates.map((date) => Math.min(date, now)),
    on:
      on === null
        ? null
        : {
            since: Math.min(on.since, now),
            told: Math.min(on.told, now),
            side: Math.min(on.side, now),
          },
  };
}

function rewindState(state: RuleState, now: number): RuleState {
  const { startedAt, lastRound } = state;
  return { ...state, startedAt: earlier(startedAt, now), lastRound: earlier(lastRound, now) };
}

function earlier(date: number | null, now: number): number | null {
  return date === null ? null : Math.min(date, now);
}
