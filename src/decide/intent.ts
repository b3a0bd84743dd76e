import type { Alert, NotificationState, Rule, Suppressed } from "../model/index.ts";
import { notificationStateOf, withNotificationState } from "./notification-state.ts";
import type { Happening } from "./transition.ts";
import type { Verdict } from "./verdict.ts";

/** What people are told of one alert in one round. */
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
  /** `flapping` and what ends it: whether the firings are meant or the gaps in the data. */
  readonly about: "firings" | "gaps";
  /** What came before and was held back, this one included where it is an event. */
  readonly held: Suppressed | null;
}

/** What notifying needs to know of a round beside the alert. */
export interface NotifyMoment {
  readonly date: number;
  readonly happened: Happening | null;
  /** What `when` says is known: reminders and the like wait for that. */
  readonly known: boolean;
  /** What `when` says is true; only where it is known. */
  readonly holds: boolean;
  /** Its request failed: whether to say so is decided at the end of the round. */
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

/** One alert in one round while it is found out what people are to be told of it. */
export class Turn implements Notified {
  readonly rule: Rule;
  readonly moment: NotifyMoment;
  /** The alert so far, with what people are told of it. */
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
