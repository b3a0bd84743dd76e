import type { Ask, Family } from "../model/index.ts";

/** Who answers each of a subject's asks that two families can answer; null: nobody has yet. */
export type Sources = readonly (Family | null)[];

/** Where a subject's values come from. */
export interface Provenance {
  /** Those of its asks that two families can answer. */
  readonly shared: readonly Ask[];
  /** Who answered them when its samples were taken; null: that is not known. */
  sources: Sources | null;
  /** How often that has changed. */
  changes: number;
}
