import type { Condition, Held } from "../model/index.ts";
import type { Happening } from "./transition.ts";
import type { Scene } from "./windows/sight.ts";

/** What people are told of one alert in one round. */
export type SayingKind =
  | "fired"
  | "worse"
  | "reminder"
  | "resolved"
  | "changed"
  | "no_data"
  | "data_back"
  | "flapping"
  | "steady";

export interface Saying {
  readonly kind: SayingKind;
  /** `flapping` and what ends it: whether the firings are meant or the gaps in the data. */
  readonly about: "firings" | "gaps";
  /** What came before and was held back, this one included where it is an event. */
  readonly held: Held | null;
}

export function saying(kind: SayingKind, held: Held | null = null): Saying {
  return { kind, about: "firings", held };
}

export function sayingOfGaps(kind: SayingKind): Saying {
  return { kind, about: "gaps", held: null };
}

/** What speaking needs to know of a round beside the alert. */
export interface Moment {
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
  readonly scene: Scene | null;
}

export function holdsAny(condition: Condition): boolean {
  if (condition.op === "any") return true;
  if (condition.op === "all") return condition.terms.some(holdsAny);
  return condition.op === "not" && holdsAny(condition.term);
}
