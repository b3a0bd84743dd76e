import type { Reading } from "../kinds/kind.ts";
import type { Alert } from "../model/index.ts";
import type { EvaluationContext } from "./evaluate.ts";
import { descriptionOf, knownLabel } from "./event.ts";
import { type AlertRuntime, valueToText } from "./runtime.ts";

/** One for all alerts that nobody was told of. */
const NOTHING_TOLD: Alert["lastNotified"] = { state: "ok", value: null, channels: [] };

/** An alert in its first round. That of a rule that is new fires without `for` in its first with a value. */
export function newAlert(watched: AlertRuntime, date: number): Alert {
  return {
    rule: watched.watched.rule.name,
    subject: watched.subject.key,
    createdAt: date,
    started: !watched.watched.fresh,
    state: "ok",
    since: date,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: NOTHING_TOLD,
    seen: null,
    label: watched.subject.name,
    life: null,
  };
}

/** The alert with a name for people: the rule's own, else what the chain said first. */
export function withLabel(alert: Alert, watched: AlertRuntime, reading: Reading): Alert {
  const { name } = watched.subject;
  if (name !== null) return alert.label === name ? alert : { ...alert, label: name };
  if (alert.label !== null) return alert;
  const label = descriptionOf(reading, null)?.label ?? null;
  return label === null ? alert : { ...alert, label };
}

/** The same as something is told of it: a name that the chain gave follows what the chain says now. */
export function toldBy(alert: Alert, { subject }: AlertRuntime, reading: Reading): Alert {
  if (subject.name !== null) return alert;
  const label = knownLabel(descriptionOf(reading, null)?.label ?? null, alert.label);
  return alert.label === label ? alert : { ...alert, label };
}

/** The alert with the values that `since: last` will compare with. */
export function remember(
  alert: Alert,
  metrics: readonly string[],
  scene: EvaluationContext,
): Alert {
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
