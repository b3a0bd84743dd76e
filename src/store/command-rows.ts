import type { Silence } from "../model/index.ts";

/** A silence as a row of a table, the same in every store. */
export interface SilenceRow extends Omit<Silence, "subjects" | "labels"> {
  readonly subjects: string | null;
  readonly labels: string;
}

export function silenceOf({ subjects, labels, ...row }: SilenceRow): Silence {
  return {
    ...row,
    subjects: subjects === null ? null : (JSON.parse(subjects) as string[]),
    labels: JSON.parse(labels) as Record<string, string>,
  };
}
