import type { Alert } from "../model.ts";
import type { Reading } from "../watches/watch.ts";
import { descriptionOf } from "./description.ts";
import type { Scene } from "./evaluate.ts";
import { fire, type Happening } from "./transition.ts";
import { valueToText, type WatchedAlert } from "./watched.ts";

/** One for all alerts that nobody was told of. */
const NOTHING_TOLD: Alert["told"] = { state: "ok", value: null, channels: [] };

/** An alert in its first round: quiet, and silent until its rule has told that it watches. */
export function newAlert(watched: WatchedAlert, date: number): Alert {
  return {
    rule: watched.watched.rule.name,
    subject: watched.subject.key,
    createdAt: date,
    started: false,
    state: "ok",
    since: date,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    told: NOTHING_TOLD,
    seen: null,
    label: watched.subject.name,
  };
}

/** The alert with a name for people: the rule's own, else what the chain said first. */
export function withLabel(alert: Alert, watched: WatchedAlert, reading: Reading): Alert {
  const { name } = watched.subject;
  if (name !== null) return alert.label === name ? alert : { ...alert, label: name };
  if (alert.label !== null) return alert;
  const label = descriptionOf(reading)?.label ?? null;
  return label === null ? alert : { ...alert, label };
}

/** The alert once people know what happened to it; `value` is the one they are told. */
export function tell(
  alert: Alert,
  happened: readonly Happening[],
  channels: readonly string[],
  value: string | null,
): Alert {
  if (happened.includes("fired")) return { ...alert, told: { state: "firing", value, channels } };
  if (happened.includes("resolved"))
    return { ...alert, told: { state: "ok", value, channels: [] } };
  return alert;
}

/** The alert with the values that `since: last` will compare with. */
export function remember(alert: Alert, metrics: readonly string[], scene: Scene): Alert {
  if (metrics.length === 0) return alert;
  const seen = new Map(Object.entries(alert.seen ?? {}));
  let fresh = false;
  for (const metric of metrics) {
    const text = valueToText(scene.value(metric));
    if (text === null) continue;
    const old = seen.get(metric) ?? [];
    if (old.length === 2 && old[0] === text && old[1] === text) continue;
    seen.set(metric, [...old.slice(-1), text]);
    fresh = true;
  }
  return fresh ? { ...alert, seen: Object.fromEntries(seen) } : alert;
}

/**
 * The alert once its rule has told that it watches: what is true by then fires at once, without
 * `for`, and counts as told; what has no value is told as such.
 */
export function start(
  alert: Alert,
  date: number,
  channels: readonly string[],
  value: string | null,
  bucketed: boolean,
  sourceDown: boolean,
): Alert {
  // Of a source that is down people hear by a notice of its own.
  const missing = alert.missing === null ? null : { ...alert.missing, told: !sourceDown };
  const started = { ...alert, started: true, missing };
  if (alert.state !== "pending") return started;
  const told = { state: "firing", value, channels } as const;
  // A bucketed alert dates its states by buckets.
  return { ...fire(started, date, bucketed ? alert.since : null), told };
}
