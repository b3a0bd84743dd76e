import { isFiring } from "../../decide/notification-state.ts";
import { type Alert, type AlertChange, NOTHING_TOLD } from "../../model/index.ts";

/** A time in which an alert fired; `to` null: it still does. */
export interface FiringSpan {
  readonly from: number;
  readonly to: number | null;
}

/** When an alert fired, by what became of it, oldest first. Recovering counts: it has not resolved yet. */
export function firingSpans(changes: readonly AlertChange[]): FiringSpan[] {
  const spans: { from: number; to: number | null }[] = [];
  let open: { from: number; to: number | null } | null = null;
  for (const { at, alert } of changes) {
    const fires = isFiring(alert.state);
    if (fires && open === null) {
      open = { from: at, to: null };
      spans.push(open);
    } else if (!fires && open !== null) {
      open.to = at;
      open = null;
    }
  }
  return spans;
}

/** What the daemon wrote down of one alert, to be asked for any time. */
export class AlertRecord {
  /**
   * `now`: as it is in the store; null: it is not watched any more. `changes`: what became of it, oldest first.
   * `since`: when its rule was first written down by a version that keeps changes; null: that is not known.
   */
  constructor(
    private readonly now: Alert | null,
    private readonly changes: readonly AlertChange[],
    private readonly since: number | null,
  ) {}

  /** What became of it last by a date; null: nothing that is kept. */
  changeBy(date: number): AlertChange | null {
    return this.changes.findLast(({ at }) => at <= date) ?? null;
  }

  /** The alert as it was left at a date; null: it was not there yet, or that is not kept. */
  at(date: number): Alert | null {
    const change = this.changeBy(date);
    const now = this.now;
    const isLatest = this.changes.every(({ at }) => at <= date);
    if (change !== null)
      return isLatest && now?.state === change.alert.state
        ? { ...now, missing: change.alert.missing }
        : change.alert;
    if (now === null || date < now.createdAt) return null;
    // Nothing ever became of it.
    if (isLatest) return now;
    return this.since !== null && this.since <= now.createdAt ? quiet(now) : null;
  }
}

/** An alert of which nothing has become yet. */
function quiet(alert: Alert): Alert {
  return {
    ...alert,
    started: true,
    state: "ok",
    since: alert.createdAt,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: NOTHING_TOLD,
    seen: null,
    life: null,
  };
}
