import { DAY, HOUR, MINUTE } from "../../../base/duration.ts";
import type { Api } from "../../api/api.ts";
import type { Alert, Recent } from "../../api/schemas/alerts.ts";
import type { Samples } from "../../api/schemas/history.ts";

/** The values that a picture shows, as near as it takes to see what happened. */

const STEPS = 96;
const LEAST_BUCKETS = 24;

/**
 * Firing alerts with the values of a time that holds their window and about three times their firing, from an
 * hour up; of a longer firing the last day is shown, which the overview has already. Of data by the hour it is a
 * day, of data by the day 24 of them. A position gets the way of its price.
 */
export async function closer(api: Api, alerts: readonly Alert[], now: number): Promise<Alert[]> {
  return await Promise.all(
    alerts.map(async (alert) => {
      if (alert.range !== null) return await withTrail(api, alert, now);
      const metric = alert.compared?.metric ?? alert.recent?.metric;
      const length = lengthFor(alert, now);
      // The last day is there.
      if (metric === undefined || length === DAY) return alert;
      return await within(api, alert, metric, now, length);
    }),
  );
}

/** A position with the ticks of the last day, where they are kept. */
export async function withTrail(api: Api, alert: Alert, now: number): Promise<Alert> {
  if (alert.range === null || alert.recent?.metric === "current_tick") return alert;
  const seen = await within(api, alert, "current_tick", now, DAY);
  return seen;
}

async function within(
  api: Api,
  alert: Alert,
  metric: string,
  now: number,
  length: number,
): Promise<Alert> {
  const from = now - length;
  const samples = await api.samples({
    subject: alert.subject,
    metric,
    from: new Date(from).toISOString(),
    to: new Date(now).toISOString(),
    points: STEPS,
  });
  if (samples === null || samples.points.length === 0) return alert;
  return { ...alert, recent: recentOf(samples, alert, from, now) };
}

function lengthFor(alert: Alert, now: number): number {
  const firing = now - Date.parse(alert.fired_at ?? alert.since);
  const window =
    alert.compared?.base_at === null || alert.compared === null
      ? 0
      : now - Date.parse(alert.compared.base_at ?? "");
  // So many buckets are a line.
  const buckets = LEAST_BUCKETS * (alert.recent?.bucket_ms ?? 0);
  const length = Math.max(HOUR, Math.min(DAY, firing * 3), Math.min(DAY, window * 1.02), buckets);
  return Math.ceil(length / (5 * MINUTE)) * 5 * MINUTE;
}

/** Samples as the recent past of an alert: a step that nothing was seen in goes on with what was, for a while. */
function recentOf(samples: Samples, alert: Alert, from: number, now: number): Recent {
  const { step_ms: step } = samples;
  const count = Math.max(1, Math.ceil((now - from) / step));
  const points: Recent["points"] = Array.from({ length: count }, () => null);
  for (const { at, min, max } of samples.points) {
    const index = Math.min(count - 1, Math.max(0, Math.floor((Date.parse(at) - from) / step)));
    points[index] = min === null || max === null ? null : [min, max];
  }
  // Rounds are farther apart than steps: between two of them the value is the one before.
  const apart = Math.max(3, Math.ceil((3 * MINUTE) / step));
  let since = apart;
  for (let i = 1; i < count; i += 1) {
    since = points[i] === null ? since + 1 : 0;
    const before = points[i - 1];
    if (points[i] === null && before !== undefined && since <= apart) points[i] = before;
  }
  const whole = alert.fired_at === null ? [] : [{ from: alert.fired_at, to: null }];
  // The last day's are cut to it.
  const firings = now - from > DAY ? whole : (alert.recent?.firing ?? whole);
  return {
    metric: samples.metric,
    from: new Date(from).toISOString(),
    to: new Date(now).toISOString(),
    step_ms: step,
    bucket_ms: alert.recent?.bucket_ms ?? null,
    points,
    firing: firings.filter(({ to }) => to === null || Date.parse(to) > from),
    resolve: samples.limits.find(({ rule }) => rule === alert.rule)?.resolve ?? [],
  };
}
