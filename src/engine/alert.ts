import type { Alert, Rule, Worst } from "../model.ts";
import type { Reading } from "../watches/watch.ts";
import { descriptionOf } from "./description.ts";
import type { Scene } from "./evaluate.ts";
import { withFlap } from "./flapping.ts";
import { lifeOf, withLife } from "./life.ts";
import { hasBeenMissing } from "./missing.ts";
import { fire } from "./transition.ts";
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
    life: null,
  };
}

/** The alert with a name for people: the rule's own, else what the chain said first. */
export function withLabel(alert: Alert, watched: WatchedAlert, reading: Reading): Alert {
  const { name } = watched.subject;
  if (name !== null) return alert.label === name ? alert : { ...alert, label: name };
  if (alert.label !== null) return alert;
  const label = descriptionOf(reading, null)?.label ?? null;
  return label === null ? alert : { ...alert, label };
}

/** The same as something is told of it: a name that the chain gave follows what the chain says now. */
export function toldBy(alert: Alert, { subject }: WatchedAlert, reading: Reading): Alert {
  if (subject.name !== null) return alert;
  const label = descriptionOf(reading, null)?.label ?? alert.label;
  return alert.label === label ? alert : { ...alert, label };
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

/** What is known of an alert when its rule tells that it watches. */
export interface Beginning {
  readonly date: number;
  /** The value that it is told with; null: none. */
  readonly value: string | null;
  /** How far that has gone, for `worse`; null: it is measured from the next round on. */
  readonly worst: Worst | null;
  readonly bucketed: boolean;
  readonly sourceDown: boolean;
  /** No gate keeps it from firing. */
  readonly open: boolean;
}

/**
 * The alert once its rule has told that it watches: what is true by then fires at once, without
 * `for`, and counts as told; what has had no value so far is told as such.
 */
export function start(rule: Rule, alert: Alert, beginning: Beginning): Alert {
  const { date, value, worst, bucketed, sourceDown, open } = beginning;
  // Of a source that is down people hear by a notice of its own, and some fire without data. What misses
  // this round and few before it is told of later, if it lasts.
  const told = !sourceDown && rule.onMissing === "keep" && isLasting(rule, alert, date);
  const missing = alert.missing === null ? null : { ...alert.missing, told };
  const seen = { ...alert, started: true, missing };
  const started = missing?.told === true ? withLife(seen, { blindTo: rule.notify }) : seen;
  if (alert.state !== "pending" || !open) return started;
  const firing = {
    // A bucketed alert dates its states by buckets.
    ...fire(started, date, bucketed ? alert.since : null),
    told: { state: "firing", value, channels: rule.notify },
  } as const;
  const firings = withFlap(lifeOf(alert).firings, date, rule.flapping);
  return withLife(firing, { firings, worst: rule.worse === null ? null : worst });
}

/** Whether it never had a value since it is watched, or has had none for as long as `no_data` takes. */
function isLasting(rule: Rule, alert: Alert, date: number): boolean {
  const { missing, createdAt } = alert;
  if (missing === null) return false;
  const never = missing.since <= createdAt && date - createdAt >= rule.missingAfterMs;
  return never || hasBeenMissing(rule, alert, date);
}
