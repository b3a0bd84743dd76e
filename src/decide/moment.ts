import type { Happening } from "./transition.ts";
import type { Scene } from "./windows/sight.ts";

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
