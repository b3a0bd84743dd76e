import type { Answer, Ask, Failure, GroupReads, Rule, Subject } from "../../model/index.ts";
import type { RuleMemory, SubjectMemory } from "../../poll/memory.ts";
import { talliesOf } from "../../poll/outages.ts";
import {
  emptyTally,
  MOST_UNREAD,
  type RecordTally,
  type Tallies,
  tallyAnswer,
} from "../../poll/tally.ts";
import type { RecordedRound, RecordedSpan } from "../../store/operator-db/recorded.ts";
import { type PastFailure, type PastLook, type PastSubject, WHOLE } from "./past-subject.ts";
import type { PastGroup, PastRound } from "./replay.ts";

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

/** How the requests of a group fared, as a round wrote it down. */
interface ToldGroup {
  readonly tallies: Tallies;
  readonly hasFailures: boolean;
}

const NOTHING_REBASED: GroupReads["rebased"] = {};

/** Everything that is known of the past, moment by moment. */
export class Past {
  readonly #asked = new WeakMap<readonly string[], Asked>();
  readonly #told = new WeakMap<GroupReads, ToldGroup>();
  /** Some of it the service told. */
  readonly #hasTold: boolean;

  /**
   * `known` by the subject's key; `recordedRules`: those of which rounds were recorded, by name. `compared`: subjects, by
   * their keys, that entries of lists are compared with, whenever those come. `recordedAs`: of rules by another name,
   * whose rounds are theirs.
   */
  constructor(
    private readonly known: ReadonlyMap<string, Known>,
    private readonly recordedRules: ReadonlySet<string>,
    private readonly compared: ReadonlySet<string> = new Set(),
    private readonly recordedAs: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#hasTold = [...known.values()].some(
      ({ spacingMs, past }) => spacingMs !== null || past.entries !== null,
    );
  }

  /** The rules of a replay that are due at a moment, in their order. */
  due(rules: readonly RuleMemory[], moment: Moment): readonly RuleMemory[] {
    const { date, round } = moment;
    const asked = round === null ? NOBODY : this.#askedIn(round.rules);
    const due = rules.filter((one) => this.#isDue(one, date, asked));
    return due.length === rules.length ? rules : due;
  }

  #isDue(
    { rule, state: { lastRound }, alerts, members }: RuleMemory,
    date: number,
    asked: Asked,
  ): boolean {
    if (lastRound !== null && date < rule.schedule.next(lastRound)) return false;
    for (const { owner } of alerts) if (this.#isDueOn(owner.key, rule, date, asked)) return true;
    return members.some(({ key }) => this.#isDueOn(key, rule, date, asked));
  }

  #isDueOn(key: string, { name, schedule }: Rule, date: number, asked: Asked): boolean {
    const known = this.known.get(key);
    if (known === undefined) return false;
    // A list is looked at by the schedule, whatever the daemon did then.
    if (known.past.entries !== null) return schedule.next(date - 1) === date;
    if (!isWithin(known.recorded, date)) return isAtPoint(known, date);
    const as = this.recordedAs.get(name) ?? name;
    // A rule that ran then had exactly these rounds; one that did not takes those of its subjects.
    return this.recordedRules.has(as) ? asked.rules.has(as) : asked.subjects.has(key);
  }

  /** The moment as a replay sees it. */
  round({ date, round }: Moment): PastRound {
    const { subjects } = round === null ? NOBODY : this.#askedIn(round.rules);
    const find = ({ key }: SubjectMemory): Known | null => {
      const known = this.known.get(key);
      if (known === undefined || known.past.entries !== null) return known ?? null;
      if (this.compared.has(key)) return known;
      const isAsked = isWithin(known.recorded, date) ? subjects.has(key) : isAtPoint(known, date);
      return isAsked ? known : null;
    };
    const inferred = (wanted: Iterable<SubjectMemory>, known?: Tallies): Tallies => {
      const tallies = new Map<Ask["record"], RecordTally>(known);
      for (const subject of wanted) {
        const one = find(subject);
        const isTold = known !== undefined && isWithin(one?.recorded ?? null, date);
        if (one !== null && !isTold) addTo(tallies, one, round, date);
      }
      return tallies;
    };
    return {
      date,
      openedAt: round?.told.reads?.openedAt ?? null,
      reading: (subject) => {
        const known = find(subject);
        if (known === null) return null;
        const { past } = known;
        if (past.entries !== null) return past.at(date, { kind: "list", cursor: subject.cursor });
        return past.at(date, lookOf(known, round, date));
      },
      groups: (due) => {
        const reads = round?.told.reads ?? null;
        if (reads === null) {
          const hasFailures = round !== null && round.failed > 0;
          return [{ rules: due, hasFailures, rebased: NOTHING_REBASED, tallies: inferred }];
        }
        return groupsOf(due, reads.groups).map(({ rules, group }): PastGroup => {
          if (group === null) {
            return { rules, hasFailures: false, rebased: NOTHING_REBASED, tallies: inferred };
          }
          const { tallies, hasFailures } = this.#toldOf(group);
          const all = this.#hasTold
            ? (wanted: Iterable<SubjectMemory>) => inferred(wanted, tallies)
            : () => tallies;
          return { rules, hasFailures, rebased: group.rebased, tallies: all };
        });
      },
    };
  }

  #toldOf(group: GroupReads): ToldGroup {
    const known = this.#told.get(group);
    if (known !== undefined) return known;
    const scopes = Object.values(group.scopes);
    const hasFailures = scopes.some(({ failed, refused }) => failed || refused > 0);
    const told = { tallies: talliesOf(group.scopes), hasFailures };
    this.#told.set(group, told);
    return told;
  }

  #askedIn(names: readonly string[]): Asked {
    const cached = this.#asked.get(names);
    if (cached !== undefined) return cached;
    const rules = new Set(names);
    const subjects = new Set<string>();
    for (const [key, { readers }] of this.known) {
      for (const reader of readers) if (rules.has(reader)) subjects.add(key);
    }
    const asked = { rules, subjects };
    this.#asked.set(names, asked);
    return asked;
  }
}

/** The rules that are due as they were polled together, in the order in which they were closed; null: nobody did. */
function groupsOf(
  due: readonly RuleMemory[],
  groups: readonly GroupReads[],
): readonly { readonly rules: readonly RuleMemory[]; readonly group: GroupReads | null }[] {
  const [only] = groups;
  if (only !== undefined && groups.length === 1) return [{ rules: due, group: only }];
  const left = new Set(due);
  const found: { rules: readonly RuleMemory[]; group: GroupReads | null }[] = [];
  for (const group of groups) {
    const names = new Set(group.rules);
    const rules = [...left].filter(({ rule }) => group.rules === null || names.has(rule.name));
    for (const rule of rules) left.delete(rule);
    if (rules.length > 0) found.push({ rules, group });
  }
  if (left.size > 0) found.push({ rules: [...left], group: null });
  return found;
}

/** What a round saw of a subject: as it wrote down, or else as its samples and failures show. */
function lookOf(known: Known, round: RecordedRound | null, date: number): PastLook {
  const { past, members } = known;
  if (round === null) return WHOLE;
  const { unread, reads } = round.told;
  if (reads !== null) {
    const noted = unread.get(past.subject.key) ?? null;
    if (noted !== null || unread.size < MOST_UNREAD) return { kind: "noted", noted };
  }
  if (round.failed === 0 && unread.size === 0) return WHOLE;
  // What several had together was recorded, but for buckets, which all of them must have.
  const parts = past.kind.bucketMs === null && members.length !== 1 ? [] : members;
  const part = parts.find(({ key }) => unread.has(key));
  const lacking = part === undefined ? NOTHING : (unread.get(part.key)?.metrics ?? null);
  return { kind: "inferred", failure: failureOf(known, round, date), lacking };
}

/** Whether a round had subjects without an answer and did not write down all of them. */
export function isInferred({ round }: Moment): boolean {
  if (round === null) return false;
  const { unread, reads } = round.told;
  return reads === null ? round.failed > 0 : unread.size >= MOST_UNREAD;
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
  const own = new Set<Ask["record"]>();
  for (const subject of members) {
    for (const { key, record } of kind.asks(subject, date, null)) {
      const failure = round.failures[key];
      if (failure !== undefined) return { record, failure };
      own.add(record);
    }
  }
  if (past.knows(date)) return null;
  const isAllNamed = Object.keys(round.failures).length === round.failed;
  // What an answer showed to be needed besides, such as a position's pool, or one of more than were named.
  for (const { chainId } of members) {
    for (const record of kind.records) {
      if (isAllNamed && own.has(record)) continue;
      const start = `${record}:${chainId}:`;
      const found = Object.entries(round.failures).find(([key]) => key.startsWith(start));
      if (found !== undefined) return { record, failure: found[1] };
    }
  }
  if (past.covers(date)) return null;
  const [record] = kind.records;
  return !isAllNamed && record !== undefined ? { record, failure: UNNAMED } : null;
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
