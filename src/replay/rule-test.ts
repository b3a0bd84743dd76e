import type { WatchKind } from "../kinds/kind.ts";
import type { Ask, Command, Holdings, Place, RawRecord, Rule, Subject } from "../model/index.ts";
import type { Part } from "./notation.ts";

/** The nouns of a file of rule tests; docs/testing.md says how one is written. */

/** Times in a case are milliseconds since its start, of the time that truly passes. */
export interface TestCase {
  readonly name: string;
  readonly place: Place;
  /** The rules that run in it; those by owner with all that their owners ever hold in it. */
  readonly rules: readonly Rule[];
  /** What the owners of its rules hold at the start; null: its rules name their subjects. */
  readonly held: Holdings | null;
  /** The date of its start in epoch milliseconds. */
  readonly start: number;
  /** It runs until then, this moment included. */
  readonly until: number;
  readonly given: readonly SubjectGiven[];
  /** In the order of their times. */
  readonly steps: readonly CaseStep[];
  readonly expected: readonly Expected[];
  /** Why it cannot be run, though the file can be used; null: it can. */
  readonly fault: CaseFault | null;
}

/** What is wrong with one case alone. */
export interface CaseFault {
  readonly place: Place;
  readonly message: string;
}

/** Everything that a case says of one subject. */
export interface SubjectGiven {
  readonly subject: Subject;
  readonly kind: WatchKind;
  /** What people call it in the case. */
  readonly name: string;
  /** Fields of its own record by time. */
  readonly series: readonly FieldSeries[];
  /** By record: what changes when, in the order of the times. */
  readonly records: ReadonlyMap<Ask["record"], readonly Moment[]>;
}

/** One field of a record in equal steps from the start. */
export interface FieldSeries {
  readonly field: string;
  readonly everyMs: number;
  readonly parts: readonly Part[];
  /** The text of a value as JSON has it in this field. */
  readonly json: (text: string) => unknown;
}

/** From a time on a record has these fields as well, is absent, fails, or has these entries. */
export interface Moment {
  readonly at: number;
  readonly change:
    | { readonly kind: "fields"; readonly fields: RawRecord }
    | { readonly kind: "entries"; readonly entries: readonly RawRecord[] }
    | { readonly kind: "absent" }
    | { readonly kind: "failed" };
}

export interface CaseStep {
  readonly at: number;
  readonly action: /** The daemon stops, for so long, and starts on what it has stored. */
    | { readonly kind: "restart"; readonly downMs: number }
    /** The owners of its rules hold this from now on. */
    | { readonly kind: "held"; readonly held: Holdings }
    /** Its clock jumps, by so much. */
    | { readonly kind: "clock"; readonly byMs: number }
    /** Somebody gives a command about the alerts of a rule, those of some subjects or all (null). */
    | {
        readonly kind: "command";
        readonly command: Command["kind"];
        readonly rule: string;
        readonly subjects: readonly string[] | null;
      };
}

/** A notice that must come; what is null may be anything. */
export interface Expected {
  readonly place: Place;
  /** Since the start (`elapsed`), or in epoch milliseconds by the daemon's own clock (`date`). */
  readonly at: { readonly elapsed: number } | { readonly date: number };
  readonly kind: string;
  readonly rule: string | null;
  /** The subjects that are meant: one, but where people call several the same. */
  readonly subjects: readonly string[] | null;
  /** As it stands in the file. */
  readonly subjectText: string | null;
  /** Parts of the headline, of the title and of the note. */
  readonly text: string | null;
  readonly title: string | null;
  readonly note: string | null;
  /** The whole first line. */
  readonly headline: string | null;
}
