import { common } from "../decide/across.ts";
import { comparisonsOfRule, looksOf } from "../decide/condition-tree.ts";
import type { Watermark } from "../decide/lag.ts";
import type {
  AlertRuntime,
  Gate,
  Gates,
  Look,
  ReferenceRuntime,
  RuleRuntime,
  SubjectRuntime,
  Windows,
} from "../decide/runtime.ts";
import type { WatchKind } from "../kinds/kind.ts";
import type {
  Alert,
  Answer,
  Ask,
  Comparison,
  Family,
  Reference,
  Rule,
  RuleState,
  SeriesName,
  Subject,
} from "../model/index.ts";
import type { BackfillState } from "./backfill-state.ts";
import { Outages } from "./outages.ts";
import type { SeriesMemory } from "./series-memory.ts";

/**
 * What the rounds keep in memory: every watched subject with its series and alerts. It follows
 * the store, never leads it: nothing in here moves before a commit has succeeded.
 */
export interface Memory {
  readonly subjects: ReadonlyMap<string, SubjectMemory>;
  readonly rules: readonly RuleMemory[];
  /** How many subjects rules are about, each once: not what is only compared with, several together, or a copy. */
  readonly watched: number;
  /** Series that the store does not know yet. */
  readonly newSeries: readonly SeriesName[];
  /** Alerts of rules or subjects that are no longer watched. */
  readonly removedAlerts: readonly Alert[];
  /** Alerts as they were on another set of subjects: each goes on as one of `cleared`. */
  readonly moved: readonly Alert[];
  /**
   * Alerts of edited rules that the edit has changed: of rules that became event rules while they
   * fired, since those have no state, and what an edit makes an alert forget.
   */
  readonly cleared: readonly Alert[];
  /** The sources as alerts of the daemon's own, by what they answer: see `scopeKey`. */
  readonly sources: Map<string, Alert>;
  /** What of them does not answer. */
  readonly outages: Outages;
  readonly removedRules: readonly string[];
  /** Rules of whose edit people were not told yet, by name; what they were never told of is not edited. */
  readonly edited: ReadonlySet<string>;
  /** The store has others for these than `edited`. */
  readonly editedAnew: boolean;
  /** Gives a number that no series has. */
  readonly nextSeries: () => number;
  /** Answers that hold for good, by the key of their ask. */
  readonly facts: Map<string, Answer>;
  /** When it was made, epoch milliseconds. */
  readonly openedAt: number;
}

/** That of a daemon which is still starting. */
export const NO_MEMORY: Memory = {
  subjects: new Map(),
  rules: [],
  watched: 0,
  newSeries: [],
  removedAlerts: [],
  moved: [],
  cleared: [],
  sources: new Map(),
  outages: new Outages(),
  removedRules: [],
  edited: new Set(),
  editedAnew: false,
  openedAt: 0,
  nextSeries: () => 0,
  facts: new Map(),
};

/** One for all subjects that nothing refers to. */
const NO_RULES: readonly RuleMemory[] = [];
const NO_ASKS: readonly Ask[] = [];

/** Most lists have one thing: `push` would make room for sixteen more, and `concat` takes ten times as long. */
export function withOne<Thing>(list: readonly Thing[], one: Thing): readonly Thing[] {
  return list.length === 0 ? [one] : list.concat(one);
}

export class SubjectMemory implements SubjectRuntime {
  readonly key: string;
  readonly kind: WatchKind;
  /** For asking; the names that rules give it are with the alerts. */
  readonly subject: Subject;
  /** Under which name the store keeps its samples, cursor and marks. */
  storeKey: string;
  // See `withOne`.
  series: readonly SeriesMemory[] = [];
  alerts: readonly AlertMemory[] = [];
  /** The rules that compare with a reference to it. */
  comparedBy: readonly RuleMemory[] = NO_RULES;
  /** The rules for which it is a part of a sum. */
  addedBy: readonly RuleMemory[] = NO_RULES;
  /** What its rules need beside what its kind always asks for. */
  extras: readonly Ask[] = NO_ASKS;
  /** What an earlier answer showed to be needed besides: asked at once from then on. */
  followed: readonly Ask[] = NO_ASKS;
  /** Another daemon writes down what there is of it: this one asks for it since its alerts need its value. */
  isCopy = false;
  /** Some rule needs to be told the decimals, as far as the source can. */
  wantsFacts = false;
  /** A list that is followed: what the last good reading gave, as it was committed. */
  cursor: string | null = null;
  /** When its histories were asked for, and what was in them; null: never. */
  backfills: readonly BackfillState[] | null = null;
  /** How far its records had come; null before the first one. */
  watermark: Watermark | null = null;
  /** Which family answers it; null: there is only one that could. */
  provenance: Provenance | null = null;
  /** Whether it was closed when what its samples do not say was written down last; null: not in this run. */
  notedClosed: boolean | null = null;

  constructor(subject: Subject, kind: WatchKind) {
    this.key = subject.key;
    this.kind = kind;
    this.subject = subject;
    this.storeKey = subject.key;
  }

  /** What tells `storeKey` from that of an earlier source. */
  get generation(): string {
    return this.storeKey.slice(this.key.length);
  }

  set generation(generation: string) {
    this.storeKey = this.key + generation;
  }
}

/** Another rule as one alert sees it: those of its alerts that count for it. */
export interface MemoryGate extends Gate {
  readonly alerts: readonly AlertMemory[];
}

export interface MemoryGates extends Gates {
  readonly onlyWhile: readonly MemoryGate[];
  readonly unless: readonly MemoryGate[];
}

export class AlertMemory implements AlertRuntime {
  readonly watched: RuleMemory;
  readonly owner: SubjectMemory;
  readonly subject: Subject;
  readonly windows: Windows;
  readonly decimals: number | null;
  gates: MemoryGates | null = null;
  alert: Alert | null;
  judged: number | null = null;
  /** The record whose request failed in its last round, and why. */
  unanswered: { readonly record: Ask["record"]; readonly detail: string | null } | null = null;

  constructor(
    watched: RuleMemory,
    owner: SubjectMemory,
    subject: Subject,
    windows: Windows,
    alert: Alert | null,
  ) {
    this.watched = watched;
    this.owner = owner;
    this.subject = subject;
    this.windows = windows;
    this.decimals = decimalsOf(watched.rule, subject);
    this.alert = alert;
  }
}

/** The value of a reference, for the rules that compare with it. */
export interface ReferenceMemory extends ReferenceRuntime {
  readonly reference: Reference;
  readonly owner: SubjectMemory;
  /** Whom to ask for it: the owner itself, or those that it is made of. */
  readonly members: readonly SubjectMemory[];
}

/** One for all rules that compare with none. */
const NO_REFERENCES: ReadonlyMap<Reference, ReferenceMemory> = new Map();

export class RuleMemory implements RuleRuntime {
  readonly rule: Rule;
  readonly kind: WatchKind;
  readonly looks: readonly Look[];
  readonly lastMetrics: readonly string[];
  readonly alerts: AlertMemory[] = [];
  /** Whom to ask for a rule with `across`; its alert is on all of them together. */
  readonly members: SubjectMemory[] = [];
  /** What it compares with; asked in the same round. */
  references: ReadonlyMap<Reference, ReferenceMemory> = NO_REFERENCES;
  #state: { -readonly [Key in keyof RuleState]: RuleState[Key] };
  /** It is decided after the rules of a lower rank, on which it depends. */
  rank = 0;
  /** Rules of one group are polled together, and those of another one by themselves. */
  group = 0;
  /** A poll of it is still running: it is not polled again. */
  running = false;
  readonly fresh: boolean;
  #before: number | null;
  #roundBefore: number | null = null;

  constructor(rule: Rule, kind: WatchKind, state: RuleState) {
    this.rule = rule;
    this.kind = kind;
    this.#state = { ...state };
    this.fresh = state.lastRound === null;
    this.#before = state.lastRound;
    // Of buckets everything is kept in one place.
    this.looks = kind.bucketMs === null ? comparisonsOfRule(rule).flatMap(looksOf) : [];
    this.lastMetrics = [
      ...new Set(
        comparisonsOfRule(rule)
          .filter((comparison) => looksAtLast(comparison, kind))
          .map(({ metric }) => metric),
      ),
    ];
  }

  /** As it is now: whoever keeps it for later takes a copy. */
  get state(): RuleState {
    return this.#state;
  }

  set state(state: RuleState) {
    this.#state = { ...state };
  }

  /** A round of it at `date` is over. */
  endRound(date: number): void {
    this.#roundBefore = this.#state.lastRound;
    // In place: a round may have a hundred thousand rules, and what outlives it is costly to collect.
    this.#state.lastRound = date;
  }

  /** When its last round before that at `date` was, which may be over or not. */
  roundBefore(date: number): number | null {
    return this.#state.lastRound === date ? this.#roundBefore : this.#state.lastRound;
  }

  /** As a new run of a daemon begins. */
  restart(): void {
    this.#before = this.state.lastRound;
    for (const one of this.alerts) one.unanswered = null;
  }

  /** No round of this run has ended in which it was looked at. */
  get isUnseen(): boolean {
    return this.state.lastRound === this.#before;
  }
}

function decimalsOf(rule: Rule, subject: Subject): number | null {
  if (rule.across === null) return rule.decimals.get(subject.key) ?? null;
  return common(rule.subjects.map(({ key }) => rule.decimals.get(key) ?? null));
}

/** Whether a comparison needs the values that the alert saw last. */
function looksAtLast(comparison: Comparison, { bucketMs }: WatchKind): boolean {
  if ("span" in comparison) return comparison.span.kind === "since_last";
  // Of buckets the newest is remembered with the others.
  if (comparison.op === "no_update_for") return bucketMs === null;
  return comparison.op === "changes" || comparison.op === "crosses";
}

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
