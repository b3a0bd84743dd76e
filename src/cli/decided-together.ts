import type { Setup } from "../model/index.ts";
import type { Together } from "../poll/division.ts";
import { subjectCount } from "./report.ts";

/** A part of the work that is not more than this part of the subjects, or this many, keeps no daemon from its share. */
const PART = 1 / 20;
const FEW = 100;
/** A list of names is for a person to read. */
const MOST_NAMES = 5;

/** What several daemons cannot divide, by a configuration that has `cluster`. */
export interface Undivided {
  /** How many subjects there are. */
  readonly of: number;
  readonly parts: readonly Together[];
}

/** Null: there is one daemon. */
export async function undividedOf(setup: Setup): Promise<Undivided | null> {
  if (setup.cluster === null) return null;
  const { Division } = await import("../poll/division.ts");
  const of = subjectCount(setup);
  return { of, parts: new Division(setup.rules).together(Math.max(FEW, of * PART)) };
}

/** A line for each part. */
export function undividedLines({ of, parts }: Undivided): readonly string[] {
  return parts.map(({ subjects, rules }) => {
    const more = rules.length - MOST_NAMES;
    const names = rules.slice(0, MOST_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
    const count = `${subjects.toLocaleString("en-US")} of ${of.toLocaleString("en-US")} subjects`;
    return `${count} are decided together, by ${rules.length === 1 ? "rule" : "rules"} ${names}: one daemon of the cluster watches them all`;
  });
}
