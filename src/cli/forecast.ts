import type { EndpointName } from "../api/endpoints.ts";
import { DAY, HOUR, SECOND } from "../base/duration.ts";
import { LONGEST_BLOCK_MS, type Schedule } from "../base/schedule.ts";
import { blockSecondsOf } from "../chain/block-times.ts";
import { createMemory } from "../commit/load.ts";
import { MOST_EXTRAS } from "../fetch/bad-ids/bad-ids.ts";
import type { Request, Source } from "../fetch/source.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { type Answer, type Ask, chainsOf, type Rule } from "../model/index.ts";
import type { Memory, RuleMemory, SubjectMemory } from "../poll/memory.ts";
import { PlanCache, planRequests } from "../poll/plan.ts";
import { identityOf } from "../replay/record-json.ts";
import { NOTHING_LOADED } from "../store/store.ts";

/** Requests by endpoint. */
export type Counts = ReadonlyMap<EndpointName, number>;

/** Rules that are due together, and what a round over them asks once everything is known. */
export interface RoundForecast {
  readonly rules: readonly string[];
  /** How many such rounds the day has, and when the first one is, in epoch milliseconds. */
  readonly times: number;
  readonly first: number;
  /** What is surely asked, and the most: records that only answers name may be others' already. */
  readonly least: Counts;
  readonly most: Counts;
  /** What a search for bad ids may add in one round. */
  readonly extras: Counts;
  /** What the first such round of a new store asks beyond `most`: facts, and in waves. */
  readonly once: Counts;
  /** The requests of `most`. */
  readonly asked: readonly Request[];
}

export interface Forecast {
  readonly rounds: readonly RoundForecast[];
  /** At most, in the busiest hour of the day and in the whole day. */
  readonly hour: Counts;
  readonly day: Counts;
  /** The second with the most requests; null: no rule is ever due that day. */
  readonly busiest: { readonly at: number; readonly requests: number } | null;
}

export function totalOf(counts: Counts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * What these rules ask of a source in the day that begins at `day` (epoch milliseconds), by the plans of
 * the rounds themselves. Without retries.
 */
export function forecast(
  rules: readonly Rule[],
  kinds: ReadonlyMap<string, WatchKind>,
  source: Source,
  day: number,
): Forecast {
  const planner = new Planner(rules, kinds, source);
  const dueAt = timesOf(rules, day);
  const bySet = new Map<
    string,
    { readonly names: ReadonlySet<string>; readonly dates: number[] }
  >();
  for (const [date, due] of dueAt) {
    const key = [...due].toSorted().join("\n");
    const known = bySet.get(key);
    if (known === undefined) bySet.set(key, { names: due, dates: [date] });
    else known.dates.push(date);
  }
  const rounds: RoundForecast[] = [];
  const hours = Array.from({ length: DAY / HOUR }, () => new Map<EndpointName, number>());
  let busiest: Forecast["busiest"] = null;
  for (const { names, dates } of bySet.values()) {
    const [first = day] = dates;
    const round = planner.round(names, first);
    rounds.push({ ...round, times: dates.length, first });
    const requests = totalOf(round.most);
    if (busiest === null || requests > busiest.requests) busiest = { at: first, requests };
    for (const date of dates) {
      const hour = hours[Math.floor((date - day) / HOUR)];
      if (hour !== undefined) addTo(hour, round.most);
    }
  }
  const whole = new Map<EndpointName, number>();
  for (const hour of hours) addTo(whole, hour);
  const hour = hours.reduce<Counts>(
    (most, one) => (totalOf(one) > totalOf(most) ? one : most),
    new Map(),
  );
  return { rounds: rounds.toSorted((a, b) => b.times - a.times), hour, day: whole, busiest };
}

/** The names of the rules that are due at each time of the day. */
function timesOf(rules: readonly Rule[], day: number): ReadonlyMap<number, ReadonlySet<string>> {
  const bySchedule = new Map<
    string,
    { readonly next: Schedule["next"]; readonly names: string[] }
  >();
  for (const rule of rules) {
    const { name, schedule } = rule;
    const chains = schedule.eachBlock ? [...chainsOf(rule)] : [];
    const key = [schedule.key, ...chains].join();
    const known = bySchedule.get(key);
    if (known !== undefined) known.names.push(name);
    else
      bySchedule.set(key, {
        next: schedule.eachBlock ? atBlocks(chains) : (after) => schedule.next(after),
        names: [name],
      });
  }
  const due = new Map<number, Set<string>>();
  for (const { next, names } of bySchedule.values()) {
    for (let at = next(day - 1); at < day + DAY; at = next(at)) {
      const known = due.get(at);
      if (known === undefined) due.set(at, new Set(names));
      else for (const name of names) known.add(name);
    }
  }
  return due;
}

/** When chains have blocks, one a second at most: of several that of whichever is next. */
function atBlocks(chains: readonly number[]): Schedule["next"] {
  const every = chains.map((chainId) => blockSecondsOf(chainId) * SECOND);
  if (every.length === 0) every.push(LONGEST_BLOCK_MS);
  return (after) => {
    const next = every.map((ms) => (Math.floor(after / ms) + 1) * ms);
    return Math.ceil(Math.min(...next) / SECOND) * SECOND;
  };
}

type Planned = Omit<RoundForecast, "times" | "first">;

/** Plans rounds on three memories: of a new daemon, and of one that knows everything. */
class Planner {
  readonly #source: Source;
  readonly #fresh: Side;
  readonly #least: Side;
  readonly #most: Side;

  constructor(rules: readonly Rule[], kinds: ReadonlyMap<string, WatchKind>, source: Source) {
    const side = (): Side => {
      const memory = createMemory(rules, kinds, ({ name }) => name, NOTHING_LOADED);
      return { memory, plans: new PlanCache(source, memory.facts) };
    };
    this.#source = source;
    this.#fresh = side();
    this.#least = side();
    this.#most = side();
    for (const { memory } of [this.#least, this.#most]) learnFacts(memory);
    for (const subject of this.#most.memory.subjects.values()) {
      subject.followed = followedBy(subject, 0);
    }
  }

  round(names: ReadonlySet<string>, date: number): Planned {
    const requests = ({ memory, plans }: Side): readonly Request[] =>
      plans
        .plan(rulesOf(memory, names), date)
        .requests.map(({ request }) => request)
        // How endpoints fare the source knows itself.
        .filter(({ record }) => record !== "endpoint");
    const most = requests(this.#most);
    const first = countOf([...requests(this.#fresh), ...this.#laterWaves(names, date)]);
    const counts = countOf(most);
    return {
      rules: rulesOf(this.#fresh.memory, names).map(({ rule }) => rule.name),
      least: countOf(requests(this.#least)),
      most: counts,
      extras: extrasOf(most),
      asked: most,
      once: new Map(
        [...first].flatMap(([endpoint, count]) => {
          const more = count - (counts.get(endpoint) ?? 0);
          return more > 0 ? [[endpoint, more] as const] : [];
        }),
      ),
    };
  }

  /** What the answers of the first wave show to be needed, before it is remembered. */
  #laterWaves(names: ReadonlySet<string>, date: number): readonly Request[] {
    const { memory, plans } = this.#fresh;
    const { works, requests } = plans.plan(rulesOf(memory, names), date);
    const asked = new Set(requests.flatMap(({ request }) => request.asks).map(({ key }) => key));
    const later = works.map(({ subject }) =>
      followedBy(subject, date).filter(
        ({ key, record }) => !asked.has(key) && this.#source.serves(record),
      ),
    );
    return planRequests(later, this.#source).map(({ request }) => request);
  }
}

interface Side {
  readonly memory: Memory;
  readonly plans: PlanCache;
}

function rulesOf(memory: Memory, names: ReadonlySet<string>): readonly RuleMemory[] {
  return memory.rules.filter(({ rule }) => names.has(rule.name));
}

/** Facts are asked once for good: as if all of them had been told, in as many steps as it takes. */
function learnFacts({ subjects, facts }: Memory): void {
  for (const { kind, subject, wantsFacts } of subjects.values()) {
    if (!wantsFacts) continue;
    const unknown = (): readonly Ask[] =>
      (kind.facts?.(subject, (ask) => facts.get(ask.key)) ?? []).filter(
        ({ key }) => !facts.has(key),
      );
    for (let asks = unknown(); asks.length > 0; asks = unknown()) {
      for (const { key } of asks) facts.set(key, { status: "absent" });
    }
  }
}

/** The records that answers will name, each as if it were nobody else's: that is the most. */
function followedBy({ kind, subject }: SubjectMemory, date: number): readonly Ask[] {
  // The next pages of a list depend on how much is new, and are not asked in a quiet round.
  if (kind.stream !== undefined) return [];
  const answer = (ask: Ask): Answer => ({ status: "ok", records: [identityOf(ask)] });
  const own = new Set(kind.asks(subject, date, null).map(({ key }) => key));
  return kind.follow(subject, answer, null).filter(({ key }) => !own.has(key));
}

function countOf(requests: readonly Request[]): Counts {
  const counts = new Map<EndpointName, number>();
  for (const { endpoint } of requests) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  return counts;
}

/** A batch is halved until every id of it was asked alone, within the bound of a round. */
function extrasOf(requests: readonly Request[]): Counts {
  const extras = new Map<EndpointName, number>();
  for (const { endpoint, asks } of requests) {
    const more = (extras.get(endpoint) ?? 0) + 2 * asks.length - 2;
    if (more > 0) extras.set(endpoint, Math.min(MOST_EXTRAS, more));
  }
  return extras;
}

function addTo(sum: Map<EndpointName, number>, counts: Counts): void {
  for (const [endpoint, count] of counts) sum.set(endpoint, (sum.get(endpoint) ?? 0) + count);
}
