import type { Answer, Ask, Failure, Subject } from "../../model/index.ts";
import type { RuleMemory, SubjectMemory } from "../../poll/memory.ts";
import { emptyTally, type RecordTally, tallyAnswer } from "../../poll/tally.ts";
import type { RecordedRound, RecordedSpan } from "../../store/operator-db/recorded.ts";
import type { PastFailure, PastSubject } from "./past-subject.ts";
import type { PastRound } from "./replay.ts";

/** One subject of the past, and where what is known of it comes from. */
export interface Known {
  readonly past: PastSubject;
  /** Whom a round asked for it: itself, or all of which it is made. */
  readonly members: readonly Subject[];
  /** What a daemon recorded of it; null: nothing of use. */
  readonly recorded: RecordedSpan | null;
  /** The rules, by name, whose rounds asked for it. */
  readonly readers: ReadonlySet<string>;
  /** Outside of what was recorded: the points of a history, so far apart; null: there is none. */
  readonly spacingMs: number | null;
}

/** A date at which there is something to decide. */
export interface Moment {
  readonly date: number;
  /** The round of the daemon at this date; null: there was none. */
  readonly round: RecordedRound | null;
}

/** What a list of rules that were due in a round tells. */
interface Asked {
  readonly rules: ReadonlySet<string>;
  /** The keys of the subjects that the round asked for. */
  readonly subjects: ReadonlySet<string>;
}

const NOBODY: Asked = { rules: new Set(), subjects: new Set() };

/** Everything that is known of the past, moment by moment. */
export class Past {
  readonly #known: ReadonlyMap<string, Known>;
  readonly #recordedRules: ReadonlySet<string>;
  readonly #compared: ReadonlySet<string>;
  readonly #asked = new WeakMap<readonly string[], Asked>();

  /**
   * `known` by the subject's key; `recordedRules`: those of which rounds were recorded, by name. `compared`: subjects, by
   * their keys, that entries of lists are compared with, whenever those come.
   */
  constructor(
    known: ReadonlyMap<string, Known>,
    recordedRules: ReadonlySet<string>,
    compared: ReadonlySet<string> = new Set(),
  ) {
    this.#known = known;
    this.#recordedRules = recordedRules;
    this.#compared = compared;
  }

  /** The rules of a replay that are due at a moment, in their order. */
  due(rules: readonly RuleMemory[], moment: Moment): readonly RuleMemory[] {
    const { date, round } = moment;
    const asked = round === null ? NOBODY : this.#askedIn(round.rules);
    const due = rules.filter(({ rule, state: { lastRound }, alerts, members }) => {
      if (lastRound !== null && date < rule.schedule.next(lastRound)) return false;
      const isDue = (key: string): boolean => {
        const known = this.#known.get(key);
        if (known === undefined) return false;
        // A list is looked at by the schedule, whatever the daemon did then.
        if (known.past.entries !== null) return rule.schedule.next(date - 1) === date;
        if (!isWithin(known.recorded, date)) return isAtPoint(known, date);
        // A rule that ran then had exactly these rounds; one that did not takes those of its subjects.
        return this.#recordedRules.has(rule.name)
          ? asked.rules.has(rule.name)
          : asked.subjects.has(key);
      };
      return alerts.some(({ owner }) => isDue(owner.key)) || members.some(({ key }) => isDue(key));
    });
    return due.length === rules.length ? rules : due;
  }

  /** The moment as a replay sees it. */
  round({ date, round }: Moment): PastRound {
    const { subjects } = round === null ? NOBODY : this.#askedIn(round.rules);
    const find = ({ key }: SubjectMemory): Known | null => {
      const known = this.#known.get(key);
      if (known === undefined || known.past.entries !== null) return known ?? null;
      if (this.#compared.has(key)) return known;
      const isAsked = isWithin(known.recorded, date) ? subjects.has(key) : isAtPoint(known, date);
      return isAsked ? known : null;
    };
    return {
      date,
      hasFailures: round !== null && round.failed > 0,
      reading: (subject) => {
        const known = find(subject);
        if (known === null) return null;
        const { past } = known;
        if (past.entries !== null) return past.at(date, null, NOTHING, subject.cursor);
        return past.at(date, failureOf(known, round, date), lackingIn(round, known));
      },
      tallies: (wanted) => {
        const tallies = new Map<Ask["record"], RecordTally>();
        for (const subject of wanted) {
          const known = find(subject);
          if (known !== null) addTo(tallies, known, round, date);
        }
        return tallies;
      },
    };
  }

  #askedIn(names: readonly string[]): Asked {
    const cached = this.#asked.get(names);
    if (cached !== undefined) return cached;
    const rules = new Set(names);
    const subjects = new Set<string>();
    for (const [key, { readers }] of this.#known) {
      for (const reader of readers) if (rules.has(reader)) subjects.add(key);
    }
    const asked = { rules, subjects };
    this.#asked.set(names, asked);
    return asked;
  }
}

/** Of what a round read nothing though it was answered; null: of all of a subject. */
function lackingIn(
  round: RecordedRound | null,
  { past, members }: Known,
): readonly string[] | null {
  if (round === null || round.unread.length === 0) return NOTHING;
  // What several had together was recorded, but for buckets, which all of them must have.
  if (past.kind.bucketMs === null && members.length !== 1) return NOTHING;
  const found = round.unread.find(({ subject }) => members.some(({ key }) => key === subject));
  return found === undefined ? NOTHING : found.metrics;
}

const NOTHING: readonly string[] = [];

function isWithin(span: RecordedSpan | null, date: number): boolean {
  return span !== null && span.first <= date && date <= span.last;
}

function isAtPoint({ spacingMs }: Known, date: number): boolean {
  return spacingMs !== null && date % spacingMs === 0;
}

/** Why a round had no answer for a subject, as far as it wrote that down. */
function failureOf(
  { past, members }: Pick<Known, "past" | "members">,
  round: RecordedRound | null,
  date: number,
): PastFailure | null {
  if (round === null || round.failed === 0) return null;
  const { kind } = past;
  for (const subject of members) {
    for (const { key, record } of kind.asks(subject, date, null)) {
      const failure = round.failures[key];
      if (failure !== undefined) return { record, failure };
    }
  }
  if (past.knows(date)) return null;
  // What an answer showed to be needed besides, such as a position's pool, or one of more than were named.
  for (const { chainId } of members) {
    for (const record of kind.records) {
      const start = `${record}:${chainId}:`;
      const found = Object.entries(round.failures).find(([key]) => key.startsWith(start));
      if (found !== undefined) return { record, failure: found[1] };
    }
  }
  if (past.covers(date)) return null;
  const named = Object.keys(round.failures).length;
  const [record] = kind.records;
  return round.failed > named && record !== undefined ? { record, failure: UNNAMED } : null;
}

/** Counts what became of a subject's requests, as the poll of the round did. */
function addTo(
  tallies: Map<Ask["record"], RecordTally>,
  { past, members }: Pick<Known, "past" | "members">,
  round: RecordedRound | null,
  date: number,
): void {
  const { kind } = past;
  const failure = failureOf({ past, members }, round, date);
  for (const subject of members) {
    const own = kind.asks(subject, date, null);
    const others = kind.records.filter((record) => own.every((ask) => ask.record !== record));
    const { chainId } = subject;
    const more = others.map((record): Ask => ({ key: record, record, chainId, id: "" }));
    for (const ask of [...own, ...more]) {
      const tally = tallies.get(ask.record) ?? emptyTally();
      tallies.set(ask.record, tally);
      const named = round?.failures[ask.key] ?? null;
      const isIt = members.length === 1 && ask.record === failure?.record;
      const its = named ?? (isIt ? failure.failure : null);
      tallyAnswer(tally, ask, its === null ? ANSWERED : { status: "failed", failure: its });
    }
  }
}

const ANSWERED: Answer = { status: "ok", records: [] };

const UNNAMED: Failure = { reason: "server_error", detail: "no answer" };
