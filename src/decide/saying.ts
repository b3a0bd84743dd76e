import type { Held } from "../model/index.ts";

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
