import type { Alert, AlertChange, Rule } from "../../model/index.ts";
import type { Known, Part } from "./part.ts";

/** What one round of a rule made of one subject. All dates are epoch milliseconds. */
export interface RoundFound {
  readonly date: number;
  /** What `when` said at the root. */
  readonly truth: Known;
  readonly when: Part;
  /** Null: the rule has no `resolve_when`. */
  readonly resolveWhen: Part | null;
  /** Why a value was missing; null: none was. */
  readonly trouble: string | null;
  /** Since when it had no value, and in how many rounds; null: it had one. */
  readonly missing: Alert["missing"];
  /** Bucketed kinds: the newest bucket and for how long, in milliseconds of whole buckets, it was so. */
  readonly bucket: {
    readonly start: number;
    readonly ms: number;
    readonly trueMs: number;
    readonly recoveredMs: number;
  } | null;
}

/** A rule that another one looks at, and whether it fired as that one sees it. */
export interface GateFound {
  readonly name: string;
  readonly key: "only_while" | "unless";
  readonly fires: boolean;
}

/** What was known of an alert at a time that somebody asks about. */
export interface Situation {
  readonly rule: Rule;
  /** What people call the subject. */
  readonly name: string;
  /** The time that was asked about. */
  readonly at: number;
  /** That is now, and not some time of the past. */
  readonly isNow: boolean;
  /** The rounds up to that time, oldest first: as many as its timers need, the last one is explained. */
  readonly rounds: readonly RoundFound[];
  /** The newest round by then, whether or not its samples are kept; null: there was none. */
  readonly lastRound: number | null;
  /** The first round after that time; null: there is none yet. */
  readonly nextRound: number | null;
  /** The alert as the daemon had left it then; null: that is not kept, or it was not there yet. */
  readonly alert: Alert | null;
  /** What became of it last by then; null: nothing that is kept. */
  readonly change: AlertChange | null;
  /** It reports single entries, each of which is told once and none of which is kept. */
  readonly isOfEntries: boolean;
  /** When its windows were filled from the service's history: rounds before that did not know it. Null: they were not. */
  readonly backfilledAt: number | null;
  /** Every rule of `only_while` and `unless`, in their order. */
  readonly gates: readonly GateFound[];
  /** The first gate of `only_while` that was closed, and the first rule of `unless` that fired. */
  readonly closedBy: string | null;
  readonly quietBy: string | null;
  /** It was not watched then: since when it is, and until when it was. */
  readonly unwatched: { readonly since: number | null; readonly until: number | null } | null;
}
