import type { Alert, NotificationState, Rule, Suppressed } from "../model/index.ts";
import { notificationStateOf, withNotificationState } from "./notification-state.ts";
import type { Happening } from "./transition.ts";
import type { Verdict } from "./verdict.ts";

/** A notice of one alert in one round. */
export type IntentKind =
  | "fired"
  | "worse"
  | "reminder"
  | "resolved"
  | "changed"
  | "no_data"
  | "data_back"
  | "flapping"
  | "steady";

export interface NotificationIntent {
  readonly kind: IntentKind;
  /** `flapping` and its end: whether the firings flap or the data. */
  readonly about: "firings" | "gaps";
  /** What was held back before; an event includes itself. */
  readonly held: Suppressed | null;
}

/** What notifying needs of a round beside the alert. */
export interface NotifyMoment {
  readonly date: number;
  readonly happened: Happening | null;
  /** The truth of `when` is known: reminders and the like wait for that. */
  readonly known: boolean;
  /** `when` is true; only if that is known. */
  readonly holds: boolean;
  /** Its request failed: the end of the round decides whether to notify. */
  readonly unanswered: boolean;
  /** Something holds its notices back. */
  readonly quiet: boolean;
  /** Null: nothing was read. */
  readonly verdict: Verdict | null;
}

export interface Notified {
  readonly alert: Alert;
  readonly intents: readonly NotificationIntent[];
}

/** One alert in one round, while its notices are collected. */
export class Turn implements Notified {
  readonly rule: Rule;
  readonly moment: NotifyMoment;
  /** The alert so far, with its notices. */
  alert: Alert;
  readonly intents: NotificationIntent[] = [];

  constructor(rule: Rule, alert: Alert, moment: NotifyMoment) {
    this.rule = rule;
    this.alert = alert;
    this.moment = moment;
  }

  /** What the alert remembers. */
  get state(): NotificationState {
    return notificationStateOf(this.alert);
  }

  keep(parts: Partial<NotificationState>): void {
    this.alert = withNotificationState(this.alert, parts);
  }

  say(kind: IntentKind, held: Suppressed | null = null): void {
    this.intents.push({ kind, about: "firings", held });
  }

  sayOfGaps(kind: IntentKind): void {
    this.intents.push({ kind, about: "gaps", held: null });
  }
}
