import type { Condition, Suppressed } from "../model/index.ts";
import type { Happening } from "./transition.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";

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

export function intent(kind: IntentKind, held: Suppressed | null = null): NotificationIntent {
  return { kind, about: "firings", held };
}

export function intentOfGaps(kind: IntentKind): NotificationIntent {
  return { kind, about: "gaps", held: null };
}

/** What speaking needs to know of a round beside the alert. */
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
  /** What it was judged on; null: nothing was read. */
  readonly scene: EvaluationContext | null;
}

export function holdsAny(condition: Condition): boolean {
  if (condition.op === "any") return true;
  if (condition.op === "all") return condition.terms.some(holdsAny);
  return condition.op === "not" && holdsAny(condition.term);
}
