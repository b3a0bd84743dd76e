import type { Decision } from "../engine/decide.ts";
import type { ReferenceReadings } from "../engine/reference.ts";
import type { Reading } from "../watches/watch.ts";
import type { Work } from "./plan.ts";

/** A subject whose alerts may be decided. */
export interface Ready {
  readonly work: Work;
  readonly reading: Reading;
  /** What was read of the subjects that its rules compare with. */
  readonly references: ReferenceReadings;
}

export interface DecidedWork extends Ready {
  readonly decision: Decision;
}
