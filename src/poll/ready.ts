import type { Decision } from "../decide/decide.ts";
import type { ReferenceReadings } from "../decide/reference.ts";
import type { Reading } from "../kinds/kind.ts";
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
