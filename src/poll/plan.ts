import { isoDay } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import type { Decision } from "../decide/decide.ts";
import { judgesEntries } from "../decide/decide-alert.ts";
import type { ReferenceReadings } from "../decide/evaluation-context.ts";
import type { Request, Source } from "../fetch/source.ts";
import type { Reading, WatchKind } from "../kinds/kind.ts";
import type { Answer, Ask } from "../model/index.ts";
import type { AlertMemory, RuleMemory, SubjectMemory } from "./memory.ts";

/** One subject in a round, with the alerts that are due on it. */
export interface Work {
  readonly subject: SubjectMemory;
  readonly due: readonly AlertMemory[];
}

/** A request, and for each of its asks the subjects that wait for the answer. */
export interface PlannedRequest {
  readonly request: Request;
  readonly waiting: readonly Waiters[];
}

/** The places of those that wait for one answer; mostly it is one, and then no list is kept. */
type Waiters = number | readonly number[];

/** The first wave of a round: what is asked before any answer is there. */
export interface RoundPlan {
  readonly works: readonly Work[];
  /** For each work its asks; null: it has one, which is that of the request. */
  readonly asks: readonly (readonly Ask[] | null)[];
  readonly requests: readonly PlannedRequest[];
}

/** The plan of a round of these rules. */
export interface RulesPlan extends RoundPlan {
  /** In the order of the rules, from the first for which the last round had no time. */
  requests: readonly PlannedRequest[];
  readonly rules: readonly RuleMemory[];
  /** Their names: one list for all rounds that follow this plan. */
  readonly names: readonly string[];
  /** What some of its subjects ask for is of one day. */
  readonly dated: boolean;
}

/** Every subject that the due rules ask for once, in the order of the rules. */
export function collectWork(rules: readonly RuleMemory[]): Work[] {
  const asked = new Set<SubjectMemory>();
  for (const { rule, members, alerts, references } of rules) {
    if (rule.across === null) for (const { owner } of alerts) asked.add(owner);
    else for (const member of members) asked.add(member);
    for (const one of references.values()) for (const member of one.members) asked.add(member);
  }
  const due = new Set(rules);
  // Entries are read once: every alert that is tested on them is, whether its rule is due or not.
  const isDue = ({ watched }: AlertMemory): boolean => due.has(watched) || judgesEntries(watched);
  return Array.from(asked, (subject) => ({
    subject,
    // Mostly all of them are, and then no other list is kept.
    due: subject.alerts.every(isDue) ? subject.alerts : subject.alerts.filter(isDue),
  }));
}

/**
 * Plans the first wave; what earlier answers showed to be needed is asked with it, and so are facts
 * that are not known yet.
 */
function planRound(works: readonly Work[], date: number, source: Source, facts: Facts): RoundPlan {
  const asks = works.map(({ subject }) => {
    const own = subject.kind.asks(subject.subject, date, subject.cursor);
    const wanted = subject.wantsFacts ? unknownFacts(subject, facts, own) : [];
    const more = subject.extras.length + subject.followed.length + wanted.length;
    if (more === 0 && own.length === 1) return own;
    // What its kind cannot do without is served, or the rule would not have been taken.
    const { records } = subject.kind;
    return [...own, ...subject.extras, ...subject.followed, ...wanted].filter(
      (ask) => records.includes(ask.record) || isServed(ask, source),
    );
  });
  const several = asks.map((list) => (list.length === 1 ? null : list));
  return { works, asks: several, requests: planRequests(asks, source) };
}

/** Whether somebody can answer it: what is known to be refused is not asked in each round. */
function isServed({ record, instead, chainId }: Ask, source: Source): boolean {
  return (
    source.serves(record, chainId) || (instead !== undefined && source.serves(instead, chainId))
  );
}

/** Answers that hold for good, by the key of their ask. */
export type Facts = ReadonlyMap<string, Answer>;

/** Where a kind's own record is a fact as well, one answer is enough for both. */
function unknownFacts(
  { kind, subject }: SubjectMemory,
  facts: Facts,
  own: readonly Ask[],
): readonly Ask[] {
  const all = kind.facts?.(subject, (ask) => facts.get(ask.key)) ?? [];
  const wanted = all.filter(({ key }) => own.every((ask) => ask.key !== key));
  return wanted.filter(({ key }) => !facts.has(key));
}

/** The requests for the asks of several works, equal asks made once. */
export function planRequests(
  asks: Iterable<readonly Ask[]>,
  source: Source,
  indexOf: (position: number) => number = (position) => position,
): PlannedRequest[] {
  const waiting = new Map<string, number | number[]>();
  const wanted: Ask[] = [];
  let position = 0;
  for (const list of asks) {
    const index = indexOf(position);
    position += 1;
    for (const ask of list) {
      const others = waiting.get(ask.key);
      if (others === undefined) {
        waiting.set(ask.key, index);
        wanted.push(ask);
      } else if (typeof others === "number") waiting.set(ask.key, [others, index]);
      else others.push(index);
    }
  }
  return source.plan(wanted).map((request) => ({
    request,
    waiting: request.asks.map((ask) => waiting.get(ask.key) ?? []),
  }));
}

/** Of each group of rules there are as many as schedules that meet, which are few. */
const MOST_PLANS = 16;

/**
 * Remembers the plans of recent rounds: the same rules of a group are due again and again, and a plan
 * changes only with the day (gas is asked by days) or when a subject learned to ask for other things.
 */
export class PlanCache {
  readonly #source: Source;
  readonly #facts: Facts;
  /** By group. */
  readonly #plans = new Map<number, RulesPlan[]>();
  #day = "";

  constructor(source: Source, facts: Facts) {
    this.#source = source;
    this.#facts = facts;
  }

  /** The plan of rules of one group. */
  plan(rules: readonly RuleMemory[], date: number): RulesPlan {
    const day = isoDay(date);
    if (day !== this.#day) this.#forgetDated();
    this.#day = day;
    const group = groupOf(rules);
    const plans = this.#plans.get(group) ?? [];
    const known = plans.find((plan) => areSame(plan.rules, rules));
    if (known !== undefined) return known;
    const names = rules.map(({ rule }) => rule.name);
    const works = collectWork(rules);
    const made = planRound(works, date, this.#source, this.#facts);
    const plan = { ...made, rules, names, dated: areDated(works, date) };
    this.#plans.set(group, plans.length < MOST_PLANS ? [...plans, plan] : [plan]);
    return plan;
  }

  /** The next round begins with a request for which this one had no time: else it would be the same each time. */
  beginWith(plan: RulesPlan, first: PlannedRequest): void {
    const at = plan.requests.indexOf(first);
    plan.requests = [...plan.requests.slice(at), ...plan.requests.slice(0, at)];
  }

  /** Subjects of the group of these rules ask for other things; those of other groups do not. */
  forget(rules: readonly RuleMemory[]): void {
    this.#plans.delete(groupOf(rules));
  }

  forgetAll(): void {
    this.#plans.clear();
  }

  #forgetDated(): void {
    for (const [group, plans] of this.#plans) {
      this.#plans.set(
        group,
        plans.filter(({ dated }) => !dated),
      );
    }
  }
}

function groupOf([first]: readonly RuleMemory[]): number {
  return first?.group ?? 0;
}

function areSame(one: readonly RuleMemory[], other: readonly RuleMemory[]): boolean {
  return one.length === other.length && one.every((rule, index) => rule === other[index]);
}

/** Whether subjects of any kind ask for something else on the next day. */
function areDated(works: readonly Work[], date: number): boolean {
  const examples = new Map<WatchKind, SubjectMemory>();
  for (const { subject } of works) examples.set(subject.kind, subject);
  return [...examples].some(([kind, { subject, cursor }]) => {
    const tomorrow = kind.asks(subject, date + DAY, cursor);
    return kind.asks(subject, date, cursor).some(({ key }, at) => key !== tomorrow[at]?.key);
  });
}

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

/**
 * Gives rules that have something in common the same group, and others another: a record that both ask
 * for (they share requests then), a subject, a gate. What hangs in one group holds up no other, since
 * each is polled and closed by itself. `date`: of the asks, which may depend on the day.
 */
export function groupRules(rules: readonly RuleMemory[], date: number): void {
  const parent = rules.map((_, index) => index);
  const root = (index: number): number => {
    let at = index;
    for (let up = parent[at] ?? at; up !== at; up = parent[at] ?? at) {
      parent[at] = parent[up] ?? up;
      at = up;
    }
    return at;
  };
  const owners = new Map<string, number>();
  for (const [index, rule] of rules.entries()) {
    for (const key of ties(rule, date)) {
      const other = owners.get(key);
      if (other === undefined) owners.set(key, index);
      else parent[root(index)] = root(other);
    }
  }
  for (const [index, rule] of rules.entries()) rule.group = root(index);
}

/** The rules of each group, in their order; one list if all of them are of one. */
export function byGroup(rules: readonly RuleMemory[]): readonly (readonly RuleMemory[])[] {
  const [first] = rules;
  if (first !== undefined && rules.every(({ group }) => group === first.group)) return [rules];
  const groups = new Map<number, RuleMemory[]>();
  for (const rule of rules) {
    const others = groups.get(rule.group);
    if (others === undefined) groups.set(rule.group, [rule]);
    else others.push(rule);
  }
  return [...groups.values()];
}

function* ties({ rule, kind, alerts, members, references }: RuleMemory, date: number) {
  yield `rule ${rule.name}`;
  for (const gate of [...(rule.gates?.onlyWhile ?? []), ...(rule.gates?.unless ?? [])]) {
    yield `rule ${gate}`;
  }
  const own = rule.across === null ? alerts.map(({ owner }) => owner) : members;
  yield* recordsOf(own, kind.records.length > 0, date);
  for (const reference of references.values()) yield* recordsOf(reference.members, false, date);
}

/** Subjects of one kind ask for the same records, unless their kind cannot name them. */
function* recordsOf(subjects: readonly SubjectMemory[], alike: boolean, date: number) {
  for (const { subject, kind, cursor } of alike ? subjects.slice(0, 1) : subjects) {
    for (const record of kind.records) yield `record ${record}`;
    for (const { record, instead } of kind.asks(subject, date, cursor)) {
      yield `record ${record}`;
      if (instead !== undefined) yield `record ${instead}`;
    }
  }
}
